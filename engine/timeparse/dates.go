package timeparse

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"bugle/engine/phrase"
	"bugle/engine/schema"
)

var (
	clock12 = regexp.MustCompile(`^(\d{1,2})(?:[:.](\d{2}))?(?:[:.](\d{2}))?(am|pm)$`)
	clock24 = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2}))?$`)
	clockH  = regexp.MustCompile(`^(\d{1,2})h(\d{2})$`)
	isoDate = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$`)
	dotDate = regexp.MustCompile(`^(\d{1,2})\.(\d{1,2})\.(\d{4})?$`)
	slashed = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})(?:/(\d{4}))?$`)
	ordinal = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th|\.)?$`)
	numeric = regexp.MustCompile(`^(?:utc|gmt)?([+-])(\d{2}):?(\d{2})$`)
	signed  = regexp.MustCompile(`^(.*\d)([+-]\d{2}:?\d{2}|z)$`)
)

func num(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// timeOfDay parses "9am", "9:30pm", "18:00" and "noon".
func (p *parser) timeOfDay() (int, error) {
	t := p.tokens[0]
	if t == "noon" {
		return 1, p.setClock(Clock{Hour: 12})
	}
	var c Clock
	if m := clock12.FindStringSubmatch(t); m != nil {
		c = Clock{num(m[1]), num(m[2]), num(m[3])}
		if c.Hour < 1 || c.Hour > 12 {
			return 0, fmt.Errorf("%q is not a time of day; use 1 to 12 with am and pm", t)
		}
		c.Hour %= 12
		if m[4] == "pm" {
			c.Hour += 12
		}
	} else if m := clock24.FindStringSubmatch(t); m != nil {
		c = Clock{num(m[1]), num(m[2]), num(m[3])}
	} else if m := clockH.FindStringSubmatch(t); m != nil {
		c = Clock{num(m[1]), num(m[2]), 0}
	} else {
		return 0, nil
	}
	if c.Hour > 23 || c.Minute > 59 || c.Second > 59 {
		return 0, fmt.Errorf("%q is not a time of day; use 00:00 to 23:59", t)
	}
	return 1, p.setClock(c)
}

// monthDay parses "25 dec", "dec 25th", "25 december 2026", "1st of march".
func (p *parser) monthDay() (int, error) {
	t := p.tokens
	day, month, n := 0, time.Month(0), 0
	switch {
	case len(t) > 1 && ordinal.MatchString(t[0]):
		day, n = num(ordinal.FindStringSubmatch(t[0])[1]), 1
		if t[1] == "of" && len(t) > 2 {
			n++
		}
		m, ok := months[strings.TrimSuffix(t[n], ".")]
		if !ok {
			return 0, nil
		}
		month, n = m, n+1
	default:
		m, ok := months[strings.TrimSuffix(t[0], ".")]
		if !ok {
			return 0, nil
		}
		if len(t) < 2 || !ordinal.MatchString(t[1]) {
			return 0, fmt.Errorf(`which day of %s? Try "25 %s"`, m, strings.ToLower(m.String()[:3]))
		}
		day, month, n = num(ordinal.FindStringSubmatch(t[1])[1]), m, 2
	}
	year := 0
	if n < len(t) && len(t[n]) == 4 && isNumber(t[n]) {
		year, n = num(t[n]), n+1
	}
	return n, p.setCalendarDay(year, month, day)
}

// numericDate parses 2026-12-01, 1.12.2026, and 12/25/2026 if only one order results in a valid date.
func (p *parser) numericDate() (int, error) {
	t := p.tokens[0]
	if m := isoDate.FindStringSubmatch(t); m != nil {
		return 1, p.setCalendarDay(num(m[1]), time.Month(num(m[2])), num(m[3]))
	}
	if m := dotDate.FindStringSubmatch(t); m != nil {
		return 1, p.setCalendarDay(num(m[3]), time.Month(num(m[2])), num(m[1]))
	}
	m := slashed.FindStringSubmatch(t)
	if m == nil {
		return 0, nil
	}
	a, b, year := num(m[1]), num(m[2]), num(m[3])
	switch {
	case a > 12:
		return 1, p.setCalendarDay(year, time.Month(b), a)
	case b > 12 || a == b:
		return 1, p.setCalendarDay(year, time.Month(a), b)
	}
	return 0, fmt.Errorf("%q could be %d %s or %d %s; write the month as a word", t, a, short(b), b, short(a))
}

func short(month int) string {
	if month < 1 || month > 12 {
		return "?"
	}
	return strings.ToLower(time.Month(month).String()[:3])
}

// setCalendarDay sets the date. Without a year it is today or the next such date.
func (p *parser) setCalendarDay(year int, month time.Month, day int) error {
	if month < 1 || month > 12 {
		return fmt.Errorf("there is no month %d", int(month))
	}
	if year != 0 {
		d := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
		if d.Day() != day || d.Month() != month {
			return fmt.Errorf("there is no %d %s %d", day, month, year)
		}
		return p.setDate(d)
	}
	today := midnight(p.now)
	for y := today.Year(); y <= today.Year()+8; y++ { // a leap day comes again within eight years
		if d := time.Date(y, month, day, 0, 0, 0, 0, time.UTC); d.Day() == day && d.Month() == month && !d.Before(today) {
			return p.setDate(d)
		}
	}
	return fmt.Errorf("there is no %d %s", day, month)
}

// parseZone parses a time zone at the end: utc, +02:00, Europe/Berlin.
func (p *parser) parseZone() error {
	if len(p.tokens) == 0 {
		return nil
	}
	last := p.tokens[len(p.tokens)-1]
	if m := signed.FindStringSubmatch(last); m != nil && strings.Contains(m[1], ":") {
		p.tokens[len(p.tokens)-1] = m[1]
		p.tokens = append(p.tokens, m[2])
		last = m[2]
	}
	switch m := numeric.FindStringSubmatch(last); {
	case last == "utc" || last == "gmt" || last == "z":
		p.zone = time.UTC
	case m != nil:
		seconds := num(m[2])*3600 + num(m[3])*60
		if num(m[2]) > 14 || num(m[3]) > 59 {
			return fmt.Errorf("%q is not an offset; use -12:00 to +14:00", last)
		}
		if m[1] == "-" {
			seconds = -seconds
		}
		p.zone = time.FixedZone("UTC"+m[1]+m[2]+":"+m[3], seconds)
	case strings.Contains(last, "/") && !isDigit(last):
		name := zoneCase(last)
		if !schema.Zone.Matches(name) {
			return fmt.Errorf(`%q is not a time zone. Try "Europe/Berlin"`, last)
		}
		loc, err := time.LoadLocation(name)
		if err != nil {
			return errors.New("cannot load this time zone; enter the time with an offset, such as 09:00 +01:00")
		}
		p.zone = loc
	default:
		return nil
	}
	p.tokens = p.tokens[:len(p.tokens)-1]
	if p.zone != nil {
		p.now = p.now.In(p.zone)
	}
	return nil
}

// zoneCase returns a time zone's name in the case that the database uses: Europe/Berlin,
// America/Port_of_Spain.
func zoneCase(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '/' })
	for i, part := range parts {
		words := strings.Split(part, "_")
		for j, w := range words {
			if w != "" && w != "of" && w != "es" && w != "au" {
				words[j] = phrase.Capitalize(w)
			}
		}
		parts[i] = strings.Join(words, "_")
	}
	return strings.Join(parts, "/")
}
