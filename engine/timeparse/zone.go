package timeparse

import (
	"fmt"
	"time"

	"bugle/engine/phrase"
)

// Shift says how often a local time occurs on its day.
type Shift uint8

// The shifts.
const (
	Once  Shift = iota // the usual case
	Never              // skipped when clocks go forward
	Twice              // repeated when clocks go back
)

// At returns the time at which clocks in loc show the date and time of wall, whose own location is ignored.
// It returns the first of two times. A skipped time is interpreted with the offset before the change, so that
// 2:30 becomes 3:30 if 2:00 becomes 3:00 (RFC 5545, 3.3.5).
func At(wall time.Time, loc *time.Location) (time.Time, Shift) {
	y, mo, d := wall.Date()
	h, mi, s := wall.Clock()
	utc := time.Date(y, mo, d, h, mi, s, wall.Nanosecond(), time.UTC)
	near := time.Date(y, mo, d, h, mi, s, wall.Nanosecond(), loc)
	start, end := near.ZoneBounds()
	offsets := []int{offset(near)}
	if !start.IsZero() {
		offsets = append(offsets, offset(start.Add(-1)))
	}
	if !end.IsZero() {
		offsets = append(offsets, offset(end))
	}
	var first time.Time
	found := 0
	for _, o := range offsets {
		t := utc.Add(-time.Duration(o) * time.Second)
		if offset(t.In(loc)) != o || found > 0 && t.Equal(first) {
			continue
		}
		if found++; found == 1 || t.Before(first) {
			first = t
		}
	}
	switch found {
	case 0:
		before := offset(near)
		for _, change := range []time.Time{start, end} {
			if change.IsZero() {
				continue
			}
			o := offset(change.Add(-1))
			if t := utc.Add(-time.Duration(o) * time.Second); !t.Before(change) && offset(t.In(loc)) > o {
				before = o
			}
		}
		return utc.Add(-time.Duration(before) * time.Second).In(loc), Never
	case 1:
		return first.In(loc), Once
	}
	return first.In(loc), Twice
}

func offset(t time.Time) int {
	_, o := t.Zone()
	return o
}

// ClockChange describes the daylight saving change on t's day in its location, such as "clocks go forward 1
// h". It returns "" on other days.
func ClockChange(t time.Time) string {
	y, m, d := t.Date()
	from, _ := At(time.Date(y, m, d, 0, 0, 0, 0, time.UTC), t.Location())
	to, _ := At(time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC), t.Location())
	by := offset(to) - offset(from)
	switch {
	case by > 0:
		return "clocks go forward " + span(by)
	case by < 0:
		return "clocks go back " + span(-by)
	}
	return ""
}

func span(seconds int) string {
	if seconds%3600 == 0 {
		return phrase.Count(seconds/3600, "hour")
	}
	return phrase.Count(seconds/60, "minute")
}

// notes returns the notes about a local time on the day of a clock change.
func (s Shift) notes(wall, t time.Time) []string {
	clock := ClockOf(wall).String()
	switch s {
	case Never:
		return []string{fmt.Sprintf("%s does not exist on that day, when clocks go forward; using %s instead", clock, ClockOf(t))}
	case Twice:
		return []string{fmt.Sprintf("%s happens twice that day, when clocks go back; this is the one at UTC%s", clock, t.Format("-07:00"))}
	}
	return nil
}
