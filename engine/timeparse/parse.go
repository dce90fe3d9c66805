package timeparse

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// parser parses one text: a date, a time of day, or both in either order, or a duration from now, each
// optionally followed by a time zone.
type parser struct {
	ctx    Context
	now    time.Time
	tokens []string

	date  *time.Time // a day, as midnight of UTC
	clock *Clock
	after *time.Duration // hours and minutes from now
	keep  bool           // use the current time of day
	last  bool           // the end of a period: its last minute, unless a time is given
	zone  *time.Location // named in the text
	notes []string
}

var fillers = map[string]bool{"at": true, "on": true, "the": true}

func (p *parser) parse(text string) error {
	p.tokens = tokens(text)
	if err := p.parseZone(); err != nil {
		return err
	}
	if len(p.tokens) == 0 {
		return fmt.Errorf(`there is no date in %q. Try "tomorrow 9am"`, strings.TrimSpace(text))
	}
	for len(p.tokens) > 0 {
		if fillers[p.tokens[0]] && len(p.tokens) > 1 {
			p.tokens = p.tokens[1:]
			continue
		}
		n, err := p.next()
		if err != nil {
			return err
		}
		if n == 0 {
			return p.unknown(p.tokens[0])
		}
		p.tokens = p.tokens[n:]
	}
	return nil
}

// tokens splits a text at blanks and commas. A separate "am" or "pm" is joined with its number.
func tokens(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == ',' || r == '\u00a0' })
	var out []string
	for _, w := range words {
		w = strings.ReplaceAll(strings.ReplaceAll(w, "a.m.", "am"), "p.m.", "pm")
		if (w == "am" || w == "pm") && len(out) > 0 && isDigit(out[len(out)-1]) {
			out[len(out)-1] += w
			continue
		}
		out = append(out, w)
	}
	return out
}

func isDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// next parses the beginning of the tokens and returns how many it consumed.
func (p *parser) next() (int, error) {
	for _, read := range []func() (int, error){p.span, p.timeOfDay, p.namedDay, p.weekday, p.ending, p.monthDay, p.numericDate} {
		if n, err := read(); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

func (p *parser) unknown(token string) error {
	switch token {
	case "midnight":
		return errors.New("midnight can be the start or the end of a day; enter 00:00 or 23:59")
	case "next":
		return errors.New(`next what? Try "next monday", "in 1 week" or "1 dec"`)
	case "morning", "afternoon", "evening", "tonight", "night":
		return fmt.Errorf("%q is not an exact time; enter one, such as 9am or 18:00", token)
	}
	if isDigit(token) {
		return fmt.Errorf("%q could be a time or a day; enter 9am or 9 dec, for example", token)
	}
	if w := closest(token); w != "" {
		return ParseError(token, "Did you mean "+w+"?")
	}
	return ParseError(token, `Try "tomorrow 9am", "next monday 10:00" or "25 dec 18:00"`)
}

func (p *parser) setDate(day time.Time) error {
	if p.date != nil || p.after != nil {
		return errors.New("there is more than one date; enter only one")
	}
	if day.Year() < 1970 || day.Year() > 9998 {
		return fmt.Errorf("the year %d is out of range", day.Year())
	}
	p.date = &day
	return nil
}

func (p *parser) setClock(c Clock) error {
	if p.clock != nil || p.after != nil {
		return errors.New("there is more than one time; enter only one")
	}
	p.clock = &c
	return nil
}

// result combines the parsed parts.
func (p *parser) result() (Result, error) {
	loc, floating := p.now.Location(), p.ctx.Zone == nil && p.zone == nil
	if p.zone != nil {
		loc = p.zone
		p.now = p.now.In(loc)
	}
	if p.after != nil {
		t := p.now.Add(*p.after + time.Minute - 1).Truncate(time.Minute)
		return p.finish(t, spelling(t, p.ctx.Zone, floating || p.zone != nil), false)
	}
	wall := p.wall()
	if floating && !p.keep {
		t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, time.UTC)
		return p.finish(t, t.Format(Local), true)
	}
	t, shift := At(wall, loc)
	p.notes = append(shift.notes(wall, t), p.notes...)
	return p.finish(t, spelling(t, loc, floating || p.zone != nil), false)
}

// spelling returns the local time, or a time with an offset if the local time would be ambiguous.
func spelling(t time.Time, loc *time.Location, explicit bool) string {
	if !explicit && loc != nil {
		if _, shift := At(t.In(loc), loc); shift == Once {
			return t.In(loc).Format(Local)
		}
		return t.In(loc).Format(time.RFC3339)
	}
	if loc == nil || explicit && offset(t)%60 != 0 {
		return t.UTC().Format(time.RFC3339)
	}
	return t.In(loc).Format(time.RFC3339)
}

// wall returns the local date and time of day.
func (p *parser) wall() time.Time {
	clock := Clock{Hour: 9}
	if p.ctx.Clock != nil {
		clock = *p.ctx.Clock
	}
	switch {
	case p.clock != nil:
		clock = *p.clock
	case p.keep:
		clock = Clock{Hour: p.now.Hour(), Minute: p.now.Minute()}
	case p.last:
		clock = Clock{Hour: 23, Minute: 59}
	default:
		p.notes = append(p.notes, "no time given; using "+clock.String())
	}
	day := midnight(p.now)
	if p.date != nil {
		day = *p.date
	}
	at := func(d time.Time) time.Time {
		return time.Date(d.Year(), d.Month(), d.Day(), clock.Hour, clock.Minute, clock.Second, 0, time.UTC)
	}
	if p.date == nil {
		if t, _ := At(at(day), p.now.Location()); !t.After(p.now) {
			day = day.AddDate(0, 0, 1)
		}
	}
	return at(day)
}

func (p *parser) finish(t time.Time, wire string, floating bool) (Result, error) {
	if t.Year() < 1 || t.Year() > 9998 {
		return Result{}, errors.New("this date is out of range; enter a date in the coming years")
	}
	shown := p.ctx.Zone
	if !floating && shown == nil {
		shown = time.UTC
		if p.zone != nil {
			shown = p.zone
		}
	}
	if shown != nil {
		t = t.In(shown)
	}
	return Result{Instant: t, Wire: wire, Text: FormatIn(t, shown), Floating: floating, Notes: p.notes}, nil
}
