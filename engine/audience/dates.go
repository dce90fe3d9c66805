package audience

import (
	"math"
	"slices"
	"time"
)

// calendar is the base of relative dates.
type calendar struct {
	now  time.Time // in zone
	zone *time.Location
}

// window is a range of time in Unix microseconds, including low and excluding high.
type window struct {
	low, high int64
	zone      *time.Location // of dates without an offset
}

func (w window) whole() bool         { return false }
func (w window) at(t time.Time) bool { return w.overlaps(t.UnixMicro(), t.UnixMicro()+1) }

func (w window) takes(v any) bool {
	switch v := v.(type) {
	case string:
		from, to, ok := moments(v, w.zone)
		return ok && w.overlaps(from, to)
	case time.Time:
		return w.at(v)
	}
	return false
}

func (w window) overlaps(from, to int64) bool { return from < w.high && to > w.low }

// window returns the range of an operator, or false if an operand is not a date or not a number of days.
func (c calendar) window(operator string, operands []any) (comparison, bool) {
	today := c.now
	out := window{low: math.MinInt64, high: math.MaxInt64, zone: c.zone}
	switch operator {
	case "today":
		year, month, day := today.Date()
		out.low, out.high = dayOf(year, month, day, c.zone)
		return out, true
	case "inTheLast", "inTheNext":
		n, ok := asNumber(operands[0])
		if !ok || n < 0 || n != math.Trunc(n) || len(operands) != 1 {
			return nil, false
		}
		days := int(min(n, 3_000_000)) // as far as calendars go
		if operator == "inTheLast" {
			days = -days
		}
		ends := []int64{today.UnixMicro(), today.AddDate(0, 0, days).UnixMicro()}
		out.low, out.high = slices.Min(ends), slices.Max(ends)+1
		return out, true
	}
	var from, to []int64
	for _, o := range operands {
		s, _ := o.(string)
		first, after, ok := moments(s, c.zone)
		if !ok {
			return nil, false
		}
		from, to = append(from, first), append(to, after)
	}
	switch {
	case operator == opBetween && len(from) == 2:
		out.low, out.high = slices.Min(from), slices.Max(to)
		return out, true
	case len(from) != 1:
		return nil, false
	case operator == "on":
		year, month, day := time.UnixMicro(from[0]).In(c.zone).Date()
		out.low, out.high = dayOf(year, month, day, c.zone)
	case operator == "before":
		out.high = from[0]
	case operator == "after":
		out.low = to[0]
	default:
		return nil, false
	}
	return out, true
}

// moments returns the range in microseconds of an ISO 8601 date or date-time: a whole day, or one
// microsecond. It accepts what [schema.ParseTime] does, and a space instead of the T, without allocating for
// invalid text.
func moments(s string, zone *time.Location) (from, to int64, ok bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return 0, 0, false
	}
	year, okYear := digits(s[:4])
	month, okMonth := digits(s[5:7])
	day, okDay := digits(s[8:10])
	if !okYear || !okMonth || !okDay || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, 0, false
	}
	if len(s) == 10 {
		from, to = dayOf(year, time.Month(month), day, zone)
		return from, to, true
	}
	if s[10] != 'T' && s[10] != ' ' {
		return 0, 0, false
	}
	clock, rest, ok := timeOfDay(s[11:])
	if !ok {
		return 0, 0, false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Add(clock)
	if rest == "" {
		t = time.Date(year, time.Month(month), day, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
	} else if offset, ok := offsetOf(rest); ok {
		t = t.Add(-offset)
	} else {
		return 0, 0, false
	}
	from = t.UnixMicro()
	return from, from + 1, true
}

// timeOfDay parses HH:MM and HH:MM:SS with an optional fraction, and returns the rest.
func timeOfDay(s string) (clock time.Duration, rest string, ok bool) {
	if len(s) < 5 || s[2] != ':' {
		return 0, "", false
	}
	hour, okHour := digits(s[:2])
	minute, okMinute := digits(s[3:5])
	if !okHour || !okMinute || hour > 23 || minute > 59 {
		return 0, "", false
	}
	clock, rest = time.Duration(hour)*time.Hour+time.Duration(minute)*time.Minute, s[5:]
	if len(rest) < 3 || rest[0] != ':' {
		return clock, rest, true
	}
	second, ok := digits(rest[1:3])
	if !ok || second > 59 {
		return 0, "", false
	}
	clock, rest = clock+time.Duration(second)*time.Second, rest[3:]
	if len(rest) < 2 || rest[0] != '.' && rest[0] != ',' || rest[1] < '0' || rest[1] > '9' {
		return clock, rest, true
	}
	unit := time.Second / 10
	for rest = rest[1:]; rest != "" && '0' <= rest[0] && rest[0] <= '9'; rest = rest[1:] {
		clock, unit = clock+time.Duration(rest[0]-'0')*unit, unit/10
	}
	return clock, rest, true
}

// offsetOf parses Z, ±HH:MM or ±HHMM.
func offsetOf(s string) (time.Duration, bool) {
	if s == "Z" {
		return 0, true
	}
	if len(s) == 6 && s[3] == ':' {
		s = s[:3] + s[4:]
	}
	if len(s) != 5 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hours, okHours := digits(s[1:3])
	minutes, okMinutes := digits(s[3:5])
	if !okHours || !okMinutes || hours > 24 || minutes > 59 {
		return 0, false
	}
	d := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if s[0] == '-' {
		d = -d
	}
	return d, true
}

func digits(s string) (int, bool) {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// dayOf returns the first microsecond of a day in a time zone, and of the next day.
func dayOf(year int, month time.Month, day int, zone *time.Location) (from, to int64) {
	return startOfDay(year, month, day, zone).UnixMicro(), startOfDay(year, month, day+1, zone).UnixMicro()
}

// startOfDay returns the first moment of a day. A daylight saving change may skip or repeat midnight; a day
// that a time zone skipped completely starts when the next one does.
func startOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	switch civil := midnight(t); {
	case civil.Before(date):
		_, t = t.ZoneBounds()
		return t
	case civil.After(date):
		t, _ = t.ZoneBounds()
		return t
	}
	_, offset := t.Zone()
	_, earlier := t.Add(-2 * time.Hour).Zone()
	if back := time.Duration(earlier-offset) * time.Second; back > 0 {
		if first := t.Add(-back); midnight(first).Equal(date) {
			return first
		}
	}
	return t
}

// midnight returns the date of t in UTC.
func midnight(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
