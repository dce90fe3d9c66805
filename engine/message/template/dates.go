package template

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// directives are the letters of a date's format, with the layouts of package time.
var directives = map[string]string{
	"Y": "2006", "y": "06", "m": "01", "B": "January", "b": "Jan", "d": "02", "j": "002", "A": "Monday", "a": "Mon",
	"H": "15", "I": "03", "M": "04", "S": "05", "p": "PM", "z": "-0700", "Z": "MST",
}

// days returns the whole days of d, rounded down as in Python.
func days(d time.Duration) int { return int(math.Floor(float64(d) / float64(day))) }

// in returns what a clock shows at t as a time in a zone.
func in(zone *time.Location, t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
}

// shift adds d to what a clock shows, as Python does: a day later is the same hour, also when clocks change.
func shift(t time.Time, d time.Duration) time.Time { return in(t.Location(), in(time.UTC, t).Add(d)) }

// between returns how much later until is: on a clock if both are in one time zone, as in Python.
func between(from, until time.Time) time.Duration {
	if zone := from.Location().String(); zone != "" && zone == until.Location().String() {
		from, until = in(time.UTC, from), in(time.UTC, until)
	}
	return span(until.Sub(from).Seconds()) // at most the longest that there is
}

// span returns a length of time, to the microsecond as in Python.
func span(seconds float64) time.Duration {
	if math.Abs(seconds) > 292*365.25*24*3600 {
		try(failure("this is longer than 292 years"))
	}
	return time.Duration(math.Round(seconds*1e6)) * time.Microsecond
}

// inZone returns t in a time zone by name, or in that of the message for none.
func inZone(e *evaluator, t time.Time, name any) time.Time {
	if name == nil {
		return t.In(e.data.Zone)
	}
	zone, err := time.LoadLocation(name.(string))
	if err != nil || name == "" || name == "Local" {
		try(fault("there is no time zone " + shorten(name.(string)) + ": write as in Europe/Berlin"))
	}
	return t.In(zone)
}

// isoLayouts are the dates that are read without a format, with hours and a time zone or without.
var isoLayouts = []string{
	"2006-01-02", "2006-01-02Z0700", "2006-01-02Z07:00",
	"2006-01-02 15:04", "2006-01-02 15:04Z0700", "2006-01-02 15:04Z07:00",
	"2006-01-02 15:04:05", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05Z07:00",
}

// isoSpelling writes what else is common as in [isoLayouts].
var isoSpelling = strings.NewReplacer(" UTC", "Z", "UTC", "Z", " Z", "Z", "T", " ", " +", "+", " -", "-")

var unixNumber = regexp.MustCompile(`^\d{9,}$`)

// dateOf is the filter and the function date.
func dateOf(e *evaluator, a []any) any {
	format, formatted := a[1].(string)
	if t, ok := a[0].(time.Time); ok && formatted {
		try(fault("this is a date already: |strftime('" + shorten(format) + "') writes it"))
	} else if ok {
		return t
	}
	s, text := isText(a[0])
	s = strings.TrimSpace(s)
	if formatted && text {
		layout := parseLayout(format)
		t, err := time.ParseInLocation(layout, s, e.data.Zone)
		if err != nil {
			try(failure(shorten(s) + " is not a date written as " + shorten(format) + "; to write one like that, use |strftime"))
		}
		if strings.Contains(layout, "MST") && !strings.Contains(s, "UTC") && !strings.Contains(s, "GMT") {
			try(fault("%Z reads only UTC and GMT, as other names of time zones have several meanings; %z reads +0200"))
		}
		return t
	}
	for _, layout := range isoLayouts {
		if len(s) > 2*len(layout) {
			continue
		}
		if t, err := time.ParseInLocation(layout, isoSpelling.Replace(s), e.data.Zone); err == nil {
			return t
		}
	}
	seconds := numeric(a[0])
	switch {
	case unixNumber.MatchString(s):
		seconds, _ = strconv.ParseFloat(s, 64)
	case text:
		try(failure(shorten(s) + " is not a date: write as in 2026-05-01, or the format as in date('%d.%m.%Y')"))
	case seconds == nil:
		try(fault("a date is made of a text or of seconds since 1970, not of " + kind(a[0])))
	}
	x := float(seconds)
	digits := strconv.FormatFloat(x, 'f', -1, 64)
	if _, err := time.Parse("20060102", digits); err == nil {
		try(failure(digits + " looks like a date: write |string|date('%Y%m%d')"))
	}
	if math.Abs(x) >= 1e11 { // milliseconds
		x /= 1000
	}
	if math.Abs(x) >= 1e11 {
		try(failure("these are too many seconds for a date"))
	}
	return time.UnixMicro(int64(math.Round(x * 1e6))).In(e.data.Zone)
}

func formatDate(e *evaluator, a []any) any {
	e.room(16 * len(a[1].(string)))
	return strftime(dateOf(e, []any{a[0], nil}).(time.Time), a[1].(string))
}

var (
	dateDirective = regexp.MustCompile(`(?s)%-?.?`)
	layoutWord    = regexp.MustCompile(`[0-9]|Jan|Mon|MST|PM|pm`) // what package time takes for a directive
)

// layoutOf returns the layout of package time for a directive such as %d.
func layoutOf(directive string) string {
	letter := directive[len(directive)-1:]
	layout, known := directives[letter]
	switch {
	case letter == "%" && directive != "%":
		return "%"
	case !known:
		try(fault("the format of a date has no " + shorten(directive) + "; %d is the day, %m or %B the month, %Y the year, %H:%M the time"))
	}
	return layout
}

// strftime writes t as in %d %B %Y. A - behind the % leaves out zeros in front.
func strftime(t time.Time, format string) string {
	return dateDirective.ReplaceAllStringFunc(format, func(directive string) string {
		s := t.Format(layoutOf(directive))
		if strings.HasPrefix(directive, "%-") {
			s = cmp.Or(strings.TrimLeft(s, "0"), "0")
		}
		return s
	})
}

// parseLayout returns the layout of package time for a format. It reads days and months of one digit, too.
func parseLayout(format string) string {
	for _, literal := range dateDirective.Split(format, -1) {
		if layoutWord.MatchString(literal) {
			try(fault("the format of a date cannot have " + shorten(literal) + " in it"))
		}
	}
	return dateDirective.ReplaceAllStringFunc(format, func(directive string) string {
		if layout := layoutOf(directive); layout != "06" && layout != "002" {
			return strings.TrimPrefix(layout, "0")
		}
		return layoutOf(directive)
	})
}

func timedelta(_ *evaluator, a []any) any {
	total := 0.0
	for i, unit := range []time.Duration{day, time.Second, time.Minute, time.Hour, 7 * day} {
		total += float(a[i]) * unit.Seconds()
	}
	return span(total)
}
