package template

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// directives are the letters of a date's format, with the layouts of package time.
var directives = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'B': "January", 'b': "Jan", 'd': "02", 'e': "_2", 'j': "002", 'A': "Monday", 'a': "Mon",
	'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM", 'f': "000000", 'z': "-0700", 'Z': "MST", 'F': "2006-01-02", 'T': "15:04:05",
}

// dateMembers are the members of dates and lengths of time.
var dateMembers = map[string]func(any) any{
	"date.year":      func(v any) any { return v.(time.Time).Year() },
	"date.month":     func(v any) any { return int(v.(time.Time).Month()) },
	"date.day":       func(v any) any { return v.(time.Time).Day() },
	"date.hour":      func(v any) any { return v.(time.Time).Hour() },
	"date.minute":    func(v any) any { return v.(time.Time).Minute() },
	"date.second":    func(v any) any { return v.(time.Time).Second() },
	"timedelta.days": func(v any) any { return days(v.(time.Duration)) },
	"timedelta.seconds": func(v any) any {
		return int((v.(time.Duration) - time.Duration(days(v.(time.Duration)))*day) / time.Second)
	},
}

// days returns the whole days of d, rounded down as in Python.
func days(d time.Duration) int { return int(math.Floor(float64(d) / float64(day))) }

func reprDuration(d time.Duration) string {
	n := days(d)
	d -= time.Duration(n) * day
	clock := fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	switch n {
	case 0:
		return clock
	case 1, -1:
		return fmt.Sprintf("%d day, %s", n, clock)
	}
	return fmt.Sprintf("%d days, %s", n, clock)
}

// wall returns what a clock shows at t, as a time in UTC.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// shift adds d to what a clock shows, as Python does: a day later is the same hour, also when clocks change.
func shift(t time.Time, d time.Duration) time.Time {
	w := wall(t).Add(d)
	return time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), w.Nanosecond(), t.Location())
}

// between returns how much later until is: on a clock if both are in one time zone, as in Python.
func between(from, until time.Time) time.Duration {
	if zone := from.Location().String(); zone != "" && zone == until.Location().String() {
		return wall(until).Sub(wall(from))
	}
	return until.Sub(from)
}

func (e *evaluator) zone() *time.Location {
	if e.data.Zone == nil {
		return time.UTC
	}
	return e.data.Zone
}

func (e *evaluator) now() time.Time {
	if e.data.Now.IsZero() {
		return time.Now().In(e.zone())
	}
	return e.data.Now.In(e.zone())
}

// inZone returns t in a time zone by name, or in that of the message for none.
func inZone(e *evaluator, t time.Time, name any) (any, error) {
	zone := e.zone()
	if name != nil {
		var err error
		if zone, err = time.LoadLocation(name.(string)); err != nil || name == "" || name == "Local" {
			return nil, fault("there is no time zone " + shorten(name.(string)) + ": write as in Europe/Berlin")
		}
	}
	return t.In(zone), nil
}

var isoDate = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?(\.\d{1,9})?)? ?(Z|UTC|[+-]\d{2}:?\d{2})?$`)

// dateOf is the filter and the function date.
func dateOf(e *evaluator, a []any) (any, error) {
	format, formatted := a[1].(string)
	if t, ok := a[0].(time.Time); ok && formatted {
		return nil, fault("this is a date already: |strftime('" + shorten(format) + "') writes it")
	} else if ok {
		return t, nil
	}
	s, text := isText(a[0])
	s = strings.TrimSpace(s)
	if formatted && text {
		layout := must(parseLayout(format))
		t, err := time.ParseInLocation(layout, s, e.zone())
		if err != nil {
			return nil, failure(shorten(s) + " is not a date written as " + shorten(format) + "; to write one like that, use |strftime")
		}
		return t, nil
	}
	if m := isoDate.FindStringSubmatch(s); m != nil {
		clock, zone := m[2], m[5]
		if clock == "" {
			clock = "00:00"
		}
		if m[3] == "" {
			m[3] = ":00"
		}
		layout := "2006-01-02 15:04:05"
		if zone == "UTC" {
			zone = "Z"
		}
		if zone != "" {
			if layout += "Z0700"; len(zone) == 6 {
				layout = "2006-01-02 15:04:05Z07:00"
			}
		}
		t, err := time.ParseInLocation(layout, m[1]+" "+clock+m[3]+m[4]+zone, e.zone())
		if err != nil {
			return nil, failure(shorten(s) + " is not a day or an hour that there is")
		}
		return t, nil
	}
	seconds := numeric(a[0])
	if text && len(s) >= 9 && strings.Trim(s, "0123456789") == "" {
		if i, err := strconv.Atoi(s); err == nil {
			seconds = i
		}
	}
	switch {
	case text && seconds == nil:
		return nil, failure(shorten(s) + " is not a date: write as in 2026-05-01, or the format as in date('%d.%m.%Y')")
	case seconds == nil:
		return nil, fault("a date is made of a text or of seconds since 1970, not of " + kind(a[0]))
	}
	x := float(seconds)
	if math.Abs(x) >= 1e11 { // milliseconds
		x /= 1000
	}
	if math.Abs(x) >= 1e11 {
		return nil, failure("these are too many seconds for a date")
	}
	whole, part := math.Modf(x)
	return time.Unix(int64(whole), int64(part*1e6)*1000).In(e.zone()), nil
}

func formatDate(e *evaluator, a []any) (any, error) {
	t := must(dateOf(e, []any{a[0], nil}))
	try(e.room(16 * len(a[1].(string))))
	return strftime(t.(time.Time), a[1].(string))
}

// strftime writes t as in %d %B %Y. A - behind the % leaves out zeros in front.
func strftime(t time.Time, format string) (string, error) {
	var b strings.Builder
	err := eachDirective(format, func(literal, layout string, short bool) error {
		s := literal
		if layout == "000000" {
			s = t.Format(".000000")[1:]
		} else if layout != "" {
			s = t.Format(layout)
		}
		if short {
			if s = strings.TrimLeft(s, "0 "); s == "" {
				s = "0"
			}
		}
		b.WriteString(s)
		return nil
	})
	return b.String(), err
}

// parseLayout returns the layout of package time for a format.
func parseLayout(format string) (string, error) {
	var b strings.Builder
	err := eachDirective(format, func(literal, layout string, _ bool) error {
		if strings.ContainsAny(literal, "0123456789") || strings.ContainsAny(literal, "JMPZ_") && time.Now().Format(literal) != literal {
			return fault("the format of a date cannot have " + shorten(literal) + " in it")
		}
		if len(layout) == 2 && layout[0] == '0' && layout != "06" {
			layout = layout[1:] // also reads days and months of one digit
		}
		b.WriteString(literal + layout)
		return nil
	})
	return b.String(), err
}

// eachDirective calls do with the parts of a format: what is written as it stands, or a layout.
func eachDirective(format string, do func(literal, layout string, short bool) error) error {
	for format != "" {
		literal, rest, found := strings.Cut(format, "%")
		if err := do(literal, "", false); err != nil || !found {
			return err
		}
		after, short := strings.CutPrefix(rest, "-")
		if after == "" {
			return fault("a % in the format of a date is followed by a letter, as in %d %B %Y")
		}
		layout, known := directives[after[0]]
		literal = ""
		if after[0] == '%' {
			known, literal = true, "%"
		}
		if !known {
			return fault("the format of a date has no %" + shorten(firstRunes(after, 1)) + "; %d is the day, %m or %B the month, %Y the year, %H:%M the time")
		}
		try(do(literal, layout, short))
		format = after[1:]
	}
	return nil
}

// replaceDate is the method replace of dates.
func replaceDate(_ *evaluator, a []any) (any, error) {
	t := a[0].(time.Time)
	parts := [6]int{t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute(), t.Second()}
	for i := range parts {
		if n, ok := a[1+i].(int); ok {
			parts[i] = n
		}
	}
	made := time.Date(parts[0], time.Month(parts[1]), parts[2], parts[3], parts[4], parts[5], 0, t.Location())
	if w := wall(made); w.Day() != parts[2] || int(w.Month()) != parts[1] {
		return nil, failure("there is no such day")
	}
	return made, nil
}

func timedelta(_ *evaluator, a []any) (any, error) {
	total := 0.0
	for i, unit := range []time.Duration{day, time.Second, time.Microsecond, time.Millisecond, time.Minute, time.Hour, 7 * day} {
		total += float(a[i]) * float64(unit)
	}
	if math.Abs(total) >= 1<<62 {
		return nil, failure("this is longer than 146 years")
	}
	return time.Duration(math.Round(total)), nil
}
