// Package timeparse parses times as users type them: "tomorrow 9am", "next monday 10:00", "25 dec 18:00", "in
// 3 days", "end of month", and ISO 8601. It refuses text with unknown words, and ambiguous text with a
// suggestion how to write it, because a wrong date is worse than none. Days follow the local clock of the
// campaign's time zone; hours are elapsed time.
package timeparse

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// Local is the layout of a time without an offset, which is in the campaign's time zone (CONTRACT.md,
// scheduling_details).
const Local = "2006-01-02T15:04:05"

// Context holds what the meaning of a typed time depends on.
type Context struct {
	Now time.Time
	// Zone is the campaign's time zone. If it is nil because none is chosen yet, Now's location is used for
	// days.
	Zone *time.Location
	// Clock is the time of day of a date without one. Nil means 9:00.
	Clock *Clock
}

// Clock is a time of day.
type Clock struct{ Hour, Minute, Second int }

// String returns hours and minutes, and seconds if they are not zero.
func (c Clock) String() string {
	if c.Second != 0 {
		return fmt.Sprintf("%02d:%02d:%02d", c.Hour, c.Minute, c.Second)
	}
	return fmt.Sprintf("%02d:%02d", c.Hour, c.Minute)
}

// ClockOf returns the time of day of t in its location.
func ClockOf(t time.Time) Clock {
	h, m, s := t.Clock()
	return Clock{h, m, s}
}

// Result is a parsed time.
type Result struct {
	// Instant is the time in the campaign's time zone, or in UTC if it is floating.
	Instant time.Time
	// Wire is the spelling for a document: the typed text if it is ISO 8601; otherwise local time, or a time
	// with an offset if local time would be ambiguous.
	Wire string
	// Text describes the result: "Tue 1 Dec 2026, 09:00 Europe/Berlin".
	Text string
	// Exact reports that Wire is the typed text, byte for byte.
	Exact bool
	// Floating reports that the time depends on a time zone that is not chosen yet.
	Floating bool
	// Notes are sentences without periods that the user should read, for example about a time that a clock
	// change skips or repeats, or about a default time of day.
	Notes []string
}

// Parse parses a time. The error is a sentence for the user: what was not understood, and what to type.
func Parse(text string, c Context) (Result, error) {
	if strings.TrimSpace(text) == "" {
		return Result{}, errors.New("enter a date and time, such as tomorrow 9am or 25 dec 18:00")
	}
	if len(text) > maxText || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return Result{}, ParseError("", `Try "tomorrow 9am"`)
	}
	if r, ok := exact(text, c); ok {
		return r, nil
	}
	if t := strings.TrimSpace(text); isoLike(t) {
		if r, ok := exact(strings.ToUpper(t), c); ok {
			r.Exact = false
			return r, nil
		}
	}
	p := parser{ctx: c, now: c.Now.In(c.location())}
	if err := p.parse(text); err != nil {
		return Result{}, err
	}
	return p.result()
}

const maxText = 80

// ParseError returns the error for text that is not a date, with a hint what to type. It leaves out empty
// text.
func ParseError(text, hint string) error { return &parseError{text, hint} }

type parseError struct{ text, hint string }

func (e *parseError) Error() string {
	if e.text == "" {
		return "I can't read that date. " + e.hint
	}
	return fmt.Sprintf("I can't read %q. %s", e.text, e.hint)
}

// location returns the location used for days.
func (c Context) location() *time.Location {
	if c.Zone != nil {
		return c.Zone
	}
	return c.Now.Location()
}

func isoLike(s string) bool { return len(s) > 10 && s[4] == '-' && (s[10] == 't' || s[10] == 'T') }

// exact accepts ISO 8601 as it is.
func exact(text string, c Context) (Result, bool) {
	loc := c.Zone
	if loc == nil {
		loc = time.UTC
	}
	t, ok := schema.ParseTime(text, loc)
	if !ok || t.Year() < 1 || t.Year() > 9998 {
		return Result{}, false
	}
	r := Result{Instant: t.In(loc), Wire: text, Exact: true}
	if !schema.HasOffset(text) {
		wall, _ := schema.ParseTime(text, time.UTC)
		if c.Zone == nil {
			r.Floating = true
		} else {
			_, shift := At(wall, loc)
			r.Notes = shift.notes(wall, r.Instant)
		}
	}
	r.Text = FormatIn(r.Instant, c.Zone)
	return r, true
}

// FormatIn formats t in a time zone: "Tue 1 Dec 2026, 09:00 Europe/Berlin". If zone is nil, it says that the
// time zone is still to be chosen.
func FormatIn(t time.Time, zone *time.Location) string {
	if zone == nil {
		return Day(t) + ", " + ClockOf(t).String() + ", in the campaign's time zone"
	}
	t = t.In(zone)
	return Day(t) + ", " + ClockOf(t).String() + " " + zone.String()
}

// Day formats the weekday and date of t: "Tue 1 Dec 2026".
func Day(t time.Time) string { return t.Format("Mon 2 Jan 2006") }

// Moment formats t in its own location for sentences and lists: "Thu 26 Nov, 08:30". It includes the year if
// that differs from now's.
func Moment(t, now time.Time) string {
	if t.Year() == now.In(t.Location()).Year() {
		return t.Format("Mon 2 Jan, 15:04")
	}
	return t.Format("Mon 2 Jan 2006, 15:04")
}

// Zoned formats t in a campaign's time zone and, where the clocks of now's zone show another time, in that zone as well:
// "Thu 26 Nov, 08:30 Europe/Berlin (07:30 your time)".
func Zoned(t time.Time, zone *time.Location, now time.Time) string {
	there, here := t.In(zone), t.In(now.Location())
	name := zone.String()
	if zone == time.Local { // it calls itself "Local"
		name = there.Format("MST")
	}
	text := Moment(there, now.In(zone)) + " " + name
	switch {
	case ClockOf(there) == ClockOf(here) && there.YearDay() == here.YearDay():
		return text
	case there.YearDay() == here.YearDay():
		return text + " (" + ClockOf(here).String() + " your time)"
	}
	return text + " (" + Moment(here, now) + " your time)"
}

// Brief describes t in a few characters for table columns: "now", "5m", "3h", "6d", "in 2d", or the date in
// now's location if it is a week or more away: "9 Nov", "9 Nov 25". It returns "" for the zero time.
func Brief(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	ahead := t.Sub(now)
	in, d := "", -ahead
	if ahead > 0 {
		in, d = "in ", ahead
	}
	switch {
	case d < time.Minute && ahead < 30*time.Second: // a clock elsewhere may be ahead
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%s%dm", in, max(d/time.Minute, 1))
	case d < 24*time.Hour:
		return fmt.Sprintf("%s%dh", in, d/time.Hour)
	case d < 7*24*time.Hour:
		return fmt.Sprintf("%s%dd", in, d/(24*time.Hour))
	}
	t = t.In(now.Location())
	if t.Year() == now.Year() {
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 06")
}

// Until describes how far away t is, in days of now's location: "in 3 days", "tomorrow", "in 2 hours", "5
// minutes ago".
func Until(t, now time.Time) string {
	t = t.In(now.Location())
	if d := t.Sub(now); d > -12*time.Hour && d < 12*time.Hour && (days(now, t) == 0 || d.Abs() < 6*time.Hour) {
		return fromNow(d)
	}
	n := days(now, t)
	switch {
	case n == 0:
		return "today"
	case n == 1:
		return "tomorrow"
	case n == -1:
		return "yesterday"
	case n < -59:
		return phrase.Count(-n/30, "month") + " ago"
	case n < 0:
		return phrase.Count(-n, "day") + " ago"
	case n > 729:
		return "in " + phrase.Count(n/365, "year")
	case n > 59:
		return "in " + phrase.Count(n/30, "month")
	}
	return "in " + phrase.Count(n, "day")
}

// Ago describes how long ago t was, in days of now's location: "just now", "5 minutes ago", "yesterday".
func Ago(t, now time.Time) string {
	if now.Sub(t) < time.Minute {
		return "just now"
	}
	return Until(t, now)
}

func fromNow(d time.Duration) string {
	words := "less than a minute"
	switch a := d.Abs(); {
	case a >= time.Hour:
		words = phrase.Count(int((a+30*time.Minute)/time.Hour), "hour")
	case a >= time.Minute:
		words = phrase.Count(int((a+30*time.Second)/time.Minute), "minute")
	}
	if d < 0 {
		return words + " ago"
	}
	return "in " + words
}

// days returns the number of midnights from a to b, which must have the same location.
func days(a, b time.Time) int {
	return int(midnight(b).Sub(midnight(a)).Hours() / 24)
}

// midnight returns the date of t as a UTC time, because every UTC day has 24 hours.
func midnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
