package campaigns

import (
	"fmt"
	"time"
)

// ago returns how long ago a time was, in a few cells: "5m", "3h", "6d"; the day where it is
// longer ago than that. Empty for no time.
func ago(now, t time.Time, loc *time.Location) string {
	const week = 7 * 24 * time.Hour
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute: // a clock elsewhere may be ahead
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < week:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return day(now, t, loc)
}

// ahead returns how long it is until a time, in a few cells: "in 5m", "in 3h", "in 6d"; what is past as [ago]
// says it, what is further away by its day. Empty for no time.
func ahead(now, t time.Time, loc *time.Location) string {
	switch d := t.Sub(now); {
	case t.IsZero() || d <= 0:
		return ago(now, t, loc)
	case d < time.Hour:
		return fmt.Sprintf("in %dm", max(d/time.Minute, 1))
	case d < 24*time.Hour:
		return fmt.Sprintf("in %dh", d/time.Hour)
	case d < 7*24*time.Hour:
		return fmt.Sprintf("in %dd", d/(24*time.Hour))
	}
	return day(now, t, loc)
}

// day returns a time's day, with the year where it is another one. Empty for no time.
func day(now, t time.Time, loc *time.Location) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(loc)
	if t.Year() == now.In(loc).Year() {
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 06")
}

// moment returns a time's day and time of day. Empty for no time.
func moment(now, t time.Time, loc *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return day(now, t, loc) + " " + t.In(loc).Format("15:04")
}
