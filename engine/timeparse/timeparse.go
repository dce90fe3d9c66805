// Package timeparse reads times as people type them: "tomorrow 9am", "next monday 10:00", "25 dec 18:00",
// "in 3 days", "end of month", and ISO 8601 as it stands.
//
// A wrong date is worse than none: every word has to mean something, and what may mean two things is
// refused with a spelling that does not. Days go by the clock of the campaign's zone, hours by the
// time that passes.
package timeparse

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// Local is the spelling of a time without an offset: one of the campaign's zone (CONTRACT.md,
// scheduling_details).
const Local = "2006-01-02T15:04:05"

// Context is what a time is read in.
type Context struct {
	Now time.Time
	// Zone is the campaign's; nil where it is not chosen yet. Days are then those of Now's location.
	Zone *time.Location
	// Clock is the time of day of a date that is typed without one; nine o'clock where nil.
	Clock *Clock
}

// Clock is a time of day.
type Clock struct{ Hour, Minute, Second int }

// String returns hours and minutes, and seconds where there are any.
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

// Result is a time that was understood.
type Result struct {
	// Instant is the moment, in the campaign's zone. A floating one is counted in UTC, as the
	// rest of the program counts it until a zone is chosen.
	Instant time.Time
	// Wire is how a document spells it: what was typed where that is ISO 8601 already; else local
	// time, which goes with the zone; with an offset where local time would not say which moment.
	Wire string
	// Text say what was understood: "Tue 1 Dec 2026, 09:00 Europe/Berlin".
	Text string
	// Exact tells that Wire is what was typed, byte for byte.
	Exact bool
	// Floating tells that the moment hangs on a zone that is not chosen yet.
	Floating bool
	// Notes are what a person should know: a time that the clocks skip or show twice, a time of
	// day that was filled in. Each is a sentence without its full stop.
	Notes []string
}

// Parse reads a time. The error is a sentence for the person who typed it: what was not understood,
// and what would be.
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

// ParseError is the error of a text that is no date, with a hint at what to type. The text is left out where it is
// empty.
func ParseError(text, hint string) error { return &parseError{text, hint} }

type parseError struct{ text, hint string }

func (e *parseError) Error() string {
	if e.text == "" {
		return "I can't read that date. " + e.hint
	}
	return fmt.Sprintf("I can't read %q. %s", e.text, e.hint)
}

// location returns the location whose days count.
func (c Context) location() *time.Location {
	if c.Zone != nil {
		return c.Zone
	}
	return c.Now.Location()
}

func isoLike(s string) bool { return len(s) > 10 && s[4] == '-' && (s[10] == 't' || s[10] == 'T') }

// exact takes ISO 8601 as it stands.
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

// FormatIn say a moment in a zone: "Tue 1 Dec 2026, 09:00 Europe/Berlin". With no zone they say that
// it is still to be chosen.
func FormatIn(t time.Time, zone *time.Location) string {
	if zone == nil {
		return Day(t) + ", " + ClockOf(t).String() + ", in the campaign's time zone"
	}
	t = t.In(zone)
	return Day(t) + ", " + ClockOf(t).String() + " " + zone.String()
}

// Day returns weekday and date: "Tue 1 Dec 2026".
func Day(t time.Time) string { return t.Format("Mon 2 Jan 2006") }

// Moment says a moment in its own location, as sentences and lists show it: "Thu 26 Nov, 08:30". It names the year
// where that is not the year of now.
func Moment(t, now time.Time) string {
	if t.Year() == now.In(t.Location()).Year() {
		return t.Format("Mon 2 Jan, 15:04")
	}
	return t.Format("Mon 2 Jan 2006, 15:04")
}

// Brief says in a few cells when t was or will be, as columns show it: "now", "5m", "3h", "6d", "in 2d", and the day
// in now's location where it is a week or more away: "9 Nov", "9 Nov 25". Empty for no time.
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

// Until says how far off t is, in days of now's location: "in 3 days", "tomorrow", "in 2 hours",
// "5 minutes ago".
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

// Ago says how long ago t was, in days of now's location: "just now", "5 minutes ago", "yesterday".
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

// days counts the midnights from a to b, which are in the same location.
func days(a, b time.Time) int {
	return int(midnight(b).Sub(midnight(a)).Hours() / 24)
}

// midnight returns the date of t as a time of UTC, which has no short days.
func midnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
