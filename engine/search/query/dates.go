package query

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"bugle/engine/phrase"
)

// span is a time value that was read: an age, a named stretch, a date or two.
type span struct {
	text     string // as the language writes it
	op       string // "", "<", "<=", ">" or ">="
	age      int    // how many units; 0 where it is no age
	ahead    bool   // the age lies ahead: +7d
	unit     byte   // h, d, w, m or y
	word     string // today, this-month, …
	from, to date   // the dates; to is from unless it is a range
}

// date is a year, a month or a day. Missing parts are 0.
type date struct{ year, month, day int }

var (
	ageForm  = regexp.MustCompile(`^(\+?)(\d{1,4})(h|d|w|m|mo|y)$`)
	dateForm = regexp.MustCompile(`^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$`)
)

// namedRange is a named stretch of time around now.
type namedRange struct {
	name, words string
	of          func(now time.Time) (from, to time.Time)
}

var namedRanges = []namedRange{
	{"today", "today", days(0)},
	{"yesterday", "yesterday", days(-1)},
	{"tomorrow", "tomorrow", days(1)},
	{"this-week", "this week", weeks(0)},
	{"last-week", "last week", weeks(-1)},
	{"next-week", "next week", weeks(1)},
	{"this-month", "this month", months(0)},
	{"last-month", "last month", months(-1)},
	{"next-month", "next month", months(1)},
	{"this-year", "this year", years(0)},
	{"last-year", "last year", years(-1)},
}

func timeWords() []string {
	out := make([]string, len(namedRanges))
	for i, s := range namedRanges {
		out[i] = s.name
	}
	return out
}

func days(n int) func(time.Time) (time.Time, time.Time) {
	return func(now time.Time) (time.Time, time.Time) {
		d := day(now)
		return d.AddDate(0, 0, n), d.AddDate(0, 0, n+1)
	}
}

// weeks start on Monday (ISO 8601).
func weeks(n int) func(time.Time) (time.Time, time.Time) {
	return func(now time.Time) (time.Time, time.Time) {
		d := day(now)
		monday := d.AddDate(0, 0, -(int(d.Weekday())+6)%7)
		return monday.AddDate(0, 0, 7*n), monday.AddDate(0, 0, 7*n+7)
	}
}

func months(n int) func(time.Time) (time.Time, time.Time) {
	return func(now time.Time) (time.Time, time.Time) {
		first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
		return first.AddDate(0, n, 0), first.AddDate(0, n+1, 0)
	}
}

func years(n int) func(time.Time) (time.Time, time.Time) {
	return func(now time.Time) (time.Time, time.Time) {
		first := time.Date(now.Year(), 1, 1, 0, 0, 0, 0, now.Location())
		return first.AddDate(n, 0, 0), first.AddDate(n+1, 0, 0)
	}
}

func day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// parseSpan reads a time value.
func parseSpan(text string) (span, bool) {
	s := span{}
	rest := slug(strings.TrimSpace(text))
	for _, op := range []string{"<=", ">=", "<", ">"} {
		if after, ok := strings.CutPrefix(rest, op); ok {
			s.op, rest = op, after
			break
		}
	}
	s.text = s.op + rest
	if m := ageForm.FindStringSubmatch(rest); m != nil {
		s.age, _ = strconv.Atoi(m[2])
		s.ahead, s.unit = m[1] != "", m[3][0]
		s.text = fmt.Sprintf("%s%s%d%c", s.op, m[1], s.age, s.unit)
		return s, true
	}
	for _, st := range namedRanges {
		if st.name == rest {
			s.word = rest
			return s, true
		}
	}
	first, last, ranged := strings.Cut(rest, "..")
	var ok bool
	if s.from, ok = parseDate(first); !ok || ranged && s.op != "" {
		return span{}, false
	}
	s.to = s.from
	if ranged {
		s.to, ok = parseDate(last)
	}
	return s, ok
}

func parseDate(s string) (date, bool) {
	m := dateForm.FindStringSubmatch(s)
	if m == nil {
		return date{}, false
	}
	var d date
	d.year, _ = strconv.Atoi(m[1])
	d.month, _ = strconv.Atoi(m[2])
	d.day, _ = strconv.Atoi(m[3])
	if m[2] != "" && (d.month < 1 || d.month > 12) {
		return date{}, false
	}
	if m[3] != "" && (d.day < 1 || time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Day() != d.day) {
		return date{}, false
	}
	return d, true
}

// of returns the range of the date.
func (d date) of(loc *time.Location) (from, to time.Time) {
	switch {
	case d.month == 0:
		from = time.Date(d.year, 1, 1, 0, 0, 0, 0, loc)
		return from, from.AddDate(1, 0, 0)
	case d.day == 0:
		from = time.Date(d.year, time.Month(d.month), 1, 0, 0, 0, 0, loc)
		return from, from.AddDate(0, 1, 0)
	}
	from = time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, loc)
	return from, from.AddDate(0, 0, 1)
}

// Range returns the range for a value of updated, created or start: times at or after from and before to,
// where a zero time is no bound. Days are in now's location. An age means the time since then, with > the
// time before; +7d means the next seven days. It returns false for a value that is not a time.
func Range(text string, now time.Time) (from, to time.Time, ok bool) {
	s, ok := parseSpan(text)
	if !ok {
		return from, to, false
	}
	if s.unit != 0 {
		from, to = s.ageRange(now)
		return from, to, true
	}
	if s.word != "" {
		for _, st := range namedRanges {
			if st.name == s.word {
				from, to = st.of(now)
			}
		}
	} else {
		from, _ = s.from.of(now.Location())
		_, to = s.to.of(now.Location())
	}
	switch s.op {
	case "<":
		return time.Time{}, from, true
	case "<=":
		return time.Time{}, to, true
	case ">":
		return to, time.Time{}, true
	case ">=":
		return from, time.Time{}, true
	}
	return from, to, true
}

func (s span) ageRange(now time.Time) (from, to time.Time) {
	n := -s.age
	if s.ahead {
		n = s.age
	}
	at := now
	switch s.unit {
	case 'h':
		at = now.Add(time.Duration(n) * time.Hour)
	case 'd':
		at = now.AddDate(0, 0, n)
	case 'w':
		at = now.AddDate(0, 0, 7*n)
	case 'm':
		at = now.AddDate(0, n, 0)
	case 'y':
		at = now.AddDate(n, 0, 0)
	}
	far := strings.HasPrefix(s.op, ">")
	switch {
	case s.ahead && far:
		return at, time.Time{}
	case s.ahead:
		return now, at
	case far:
		return time.Time{}, at
	}
	return at, time.Time{}
}

// words describes the value as a clause.
func (s span) words() string {
	if s.unit != 0 {
		unit := map[byte]string{'h': "hour", 'd': "day", 'w': "week", 'm': "month", 'y': "year"}[s.unit]
		length := phrase.Count(s.age, unit)
		far := strings.HasPrefix(s.op, ">")
		switch {
		case s.ahead && far:
			return "more than " + length + " ahead"
		case s.ahead:
			return "in the next " + length
		case far:
			return "more than " + length + " ago"
		}
		return "in the last " + length
	}
	what := strings.TrimLeft(s.text, "<>=")
	if s.word != "" {
		what = strings.ReplaceAll(s.word, "-", " ")
	}
	if first, last, ranged := strings.Cut(what, ".."); ranged {
		return "from " + first + " to " + last
	}
	switch s.op {
	case "<":
		return "before " + what
	case "<=":
		return "up to " + what
	case ">":
		return "after " + what
	case ">=":
		return "from " + what + " on"
	}
	if s.word != "" {
		return what
	}
	if s.from.day > 0 {
		return "on " + what
	}
	return "in " + what
}
