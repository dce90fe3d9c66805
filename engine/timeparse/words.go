package timeparse

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

var weekdays = map[string]time.Weekday{
	"sunday": 0, "sun": 0, "monday": 1, "mon": 1, "tuesday": 2, "tue": 2, "tues": 2, "wednesday": 3, "wed": 3,
	"thursday": 4, "thu": 4, "thur": 4, "thurs": 4, "friday": 5, "fri": 5, "saturday": 6, "sat": 6,
}

var months = map[string]time.Month{
	"january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4, "may": 5, "june": 6, "jun": 6,
	"july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9, "sep": 9, "sept": 9, "october": 10, "oct": 10,
	"november": 11, "nov": 11, "december": 12, "dec": 12,
}

var numbers = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12,
}

// unit is a unit of duration: calendar months and days, or elapsed time.
type unit struct {
	months, days int
	duration     time.Duration
}

var units = map[string]unit{
	"m": {duration: time.Minute}, "min": {duration: time.Minute}, "mins": {duration: time.Minute}, "minute": {duration: time.Minute}, "minutes": {duration: time.Minute},
	"h": {duration: time.Hour}, "hr": {duration: time.Hour}, "hrs": {duration: time.Hour}, "hour": {duration: time.Hour}, "hours": {duration: time.Hour},
	"d": {days: 1}, "day": {days: 1}, "days": {days: 1}, "w": {days: 7}, "week": {days: 7}, "weeks": {days: 7}, "wk": {days: 7},
	"mo": {months: 1}, "month": {months: 1}, "months": {months: 1}, "y": {months: 12}, "year": {months: 12}, "years": {months: 12},
}

// closest returns the known word that a token was probably meant to be.
func closest(token string) string {
	if len(token) < 4 {
		return ""
	}
	for _, words := range [][]string{
		{"today", "tomorrow", "next", "noon"},
		{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"},
		{"january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december"},
	} {
		for _, w := range words {
			if differByOne(token, w) {
				return w
			}
		}
	}
	return ""
}

// differByOne reports whether a and b differ by one inserted, deleted or replaced letter.
func differByOne(a, b string) bool {
	i, j := 0, 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for j < len(a)-i && j < len(b)-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	return max(len(a), len(b))-i-j <= 1 || len(a) == len(b) && len(a)-i-j == 2 && a[i] == b[i+1] && a[i+1] == b[i]
}

// span parses "in 3 days", "+2h", "in 1h30m", "2 weeks from now".
func (p *parser) span() (int, error) {
	rest, n := p.tokens, 0
	led := false
	switch t := rest[0]; {
	case t == "now":
		return 1, p.setSpan(unit{})
	case t == "in" && len(rest) > 1:
		led, rest, n = true, rest[1:], 1
	case strings.HasPrefix(t, "+") && len(t) > 1:
		led = true
		rest = append([]string{t[1:]}, rest[1:]...)
	}
	sum, took, err := amounts(rest)
	if err != nil || took == 0 {
		if err == nil && led {
			err = errors.New(`how long? Try "in 3 days", "in 2 hours" or "+2h"`)
		}
		return 0, err
	}
	n += took
	rest = rest[took:]
	switch {
	case len(rest) >= 2 && rest[0] == "from" && rest[1] == "now":
		n += 2
	case !led:
		return 0, fmt.Errorf(`%q from when? Try "in %s"`, strings.Join(p.tokens[:n], " "), strings.Join(p.tokens[:n], " "))
	}
	return n, p.setSpan(sum)
}

// amounts adds numbers with units, and returns how many tokens it consumed.
func amounts(rest []string) (unit, int, error) {
	var sum unit
	took := 0
	for took < len(rest) {
		t := rest[took]
		if t == "and" && took > 0 && took+1 < len(rest) {
			if _, k, _ := amounts(rest[took+1:]); k > 0 {
				took++
				continue
			}
		}
		parts, k := pairs(rest[took:])
		if k == 0 {
			break
		}
		for _, part := range parts {
			u := units[part.unit]
			if part.n > 50000 || sum.months+part.n*u.months > 1200 || sum.days+part.n*u.days > 36600 {
				return sum, 0, errors.New("that is more than a hundred years away; enter an earlier time")
			}
			sum.months, sum.days = sum.months+part.n*u.months, sum.days+part.n*u.days
			sum.duration += time.Duration(part.n) * u.duration
		}
		took += k
	}
	return sum, took, nil
}

type pair struct {
	n    int
	unit string
}

// pairs parses "3 days", "a week" or "1h30m".
func pairs(rest []string) ([]pair, int) {
	word := rest[0]
	if n, ok := numbers[word]; ok || isNumber(word) {
		if !ok {
			n, _ = strconv.Atoi(word)
		}
		if len(rest) > 1 {
			if _, known := units[rest[1]]; known {
				return []pair{{n, rest[1]}}, 2
			}
		}
		return nil, 0
	}
	var out []pair
	for word != "" {
		i := strings.IndexFunc(word, func(r rune) bool { return r < '0' || r > '9' })
		if i < 1 || i > 6 {
			return nil, 0
		}
		n, _ := strconv.Atoi(word[:i])
		word = word[i:]
		j := strings.IndexFunc(word, func(r rune) bool { return r >= '0' && r <= '9' })
		if j < 0 {
			j = len(word)
		}
		if _, known := units[word[:j]]; !known {
			return nil, 0
		}
		out, word = append(out, pair{n, word[:j]}), word[j:]
	}
	return out, 1
}

func isNumber(s string) bool {
	return s != "" && len(s) <= 6 && strings.Trim(s, "0123456789") == ""
}

// setSpan sets a duration from now. Hours and minutes are elapsed time; days and months keep the time of day.
func (p *parser) setSpan(u unit) error {
	if u.months == 0 && u.days == 0 {
		if p.date != nil || p.clock != nil || p.after != nil {
			return errors.New("hours count from now; leave out the date and the time")
		}
		p.after = &u.duration
		return nil
	}
	if u.duration != 0 {
		return errors.New("days and hours can't be combined; enter a date and a time, such as tomorrow 9am")
	}
	p.keep = true
	return p.setDate(plusMonths(midnight(p.now), u.months).AddDate(0, 0, u.days))
}

// plusMonths adds n months, and uses the last day of a month that is too short.
func plusMonths(day time.Time, n int) time.Time {
	first := time.Date(day.Year(), day.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, min(day.Day(), daysIn(first))-1)
}

func daysIn(first time.Time) int { return first.AddDate(0, 1, -1).Day() }

func (p *parser) namedDay() (int, error) {
	day := midnight(p.now)
	switch t := p.tokens; {
	case t[0] == "today":
		return 1, p.setDate(day)
	case t[0] == "tomorrow":
		return 1, p.setDate(day.AddDate(0, 0, 1))
	case len(t) >= 3 && t[0] == "day" && t[1] == "after" && t[2] == "tomorrow":
		return 3, p.setDate(day.AddDate(0, 0, 2))
	}
	return 0, nil
}

// weekday parses "friday", the next one; "next friday", the one of next week; and "this friday", the one of
// this week. Weeks start on Monday (ISO 8601).
func (p *parser) weekday() (int, error) {
	which, t := "", p.tokens
	if (t[0] == "next" || t[0] == "this") && len(t) > 1 {
		which, t = t[0], t[1:]
	}
	want, ok := weekdays[t[0]]
	if !ok {
		return 0, nil
	}
	today := midnight(p.now)
	coming := today.AddDate(0, 0, (int(want-today.Weekday())+6)%7+1)
	day := today.AddDate(0, 0, iso(want)-iso(today.Weekday())) // of this week
	switch which {
	case "":
		return 1, p.setDate(coming)
	case "this":
		if day.Before(today) {
			return 0, fmt.Errorf("this %s is over; enter %s or next %s", t[0], t[0], t[0])
		}
	case "next":
		if day = day.AddDate(0, 0, 7); !day.Equal(coming) {
			p.notes = append(p.notes, fmt.Sprintf("that is next week; %s alone means %s", t[0], Day(coming)))
		}
	}
	return 2, p.setDate(day)
}

func iso(d time.Weekday) int { return (int(d)+6)%7 + 1 }

// ending parses "end of month", "end of next week", "start of next month".
func (p *parser) ending() (int, error) {
	t := p.tokens
	if len(t) < 3 || t[0] != "end" && t[0] != "start" && t[0] != "beginning" || t[1] != "of" {
		return 0, nil
	}
	n, next := 2, 0
	switch t[n] {
	case "next":
		n, next = n+1, 1
	case "this", "the":
		n++
	}
	if n >= len(t) {
		return 0, errors.New(`the end of what? Try "end of month"`)
	}
	today := midnight(p.now)
	var from, to time.Time
	switch t[n] {
	case "day":
		from = today.AddDate(0, 0, next)
		to = from
	case "week":
		from = today.AddDate(0, 0, 1-iso(today.Weekday())+7*next)
		to = from.AddDate(0, 0, 6)
	case "month":
		from = time.Date(today.Year(), today.Month()+time.Month(next), 1, 0, 0, 0, 0, time.UTC)
		to = from.AddDate(0, 1, -1)
	case "year":
		from = time.Date(today.Year()+next, 1, 1, 0, 0, 0, 0, time.UTC)
		to = from.AddDate(1, 0, -1)
	default:
		return 0, ParseError(strings.Join(t[:n+1], " "), `Try "end of month"`)
	}
	if t[0] == "end" {
		p.last = true
		return n + 1, p.setDate(to)
	}
	if next == 0 {
		return 0, fmt.Errorf("the start of this %s is over; enter start of next %s", t[n], t[n])
	}
	return n + 1, p.setDate(from)
}
