package audience

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

// DateValue is a typed date for a filter.
type DateValue struct {
	// Wire is the filter's spelling: a date if no time was typed.
	Wire string
	// Text describes the result: "Mon 9 Mar 2026, the whole day".
	Text string
}

// ParseDate parses a date or a date and time as users type it: what [timeparse.Parse] accepts, and past dates
// such as "yesterday", "last monday", "30 days ago", which filters often need. Days are in the workspace's
// time zone. The error is a sentence for the user.
func ParseDate(text string, env Env) (DateValue, error) {
	zone, typed := env.zone(), strings.TrimSpace(text)
	if day, err := time.Parse(time.DateOnly, typed); err == nil {
		return DateValue{typed, wholeDay(day)}, nil
	}
	if t, ok := schema.ParseTime(typed, zone); ok {
		return DateValue{typed, timeparse.FormatIn(t, zone)}, nil
	}
	typed = past(typed, env.now().In(zone))
	r, err := readAt(typed, env, 9)
	if err != nil {
		return DateValue{}, timeparse.ParseError(strings.TrimSpace(text), "Try 1 dec, yesterday, last monday or 30 days ago")
	}
	// Where another hour fills in for the one that was not typed, there is none.
	if other, err := readAt(typed, env, 10); err == nil && !other.Instant.Equal(r.Instant) {
		return DateValue{r.Instant.Format(time.DateOnly), wholeDay(r.Instant)}, nil
	}
	return DateValue{r.Wire, r.Text}, nil
}

func readAt(text string, env Env, hour int) (timeparse.Result, error) {
	return timeparse.Parse(text, timeparse.Context{Now: env.now(), Zone: env.zone(), Clock: &timeparse.Clock{Hour: hour}})
}

func wholeDay(t time.Time) string { return timeparse.Day(t) + ", the whole day" }

var (
	agoForm  = regexp.MustCompile(`^(\d{1,4}|an?|one) (day|week|month|year)s? ago\b`)
	lastForm = regexp.MustCompile(`^last (week|month|year|mon|tue|wed|thu|fri|sat|sun)(?:day|s|sday|nesday|r|rs|rsday|urday)?\b`)
)

// past replaces words for a past date at the start of a text by the date.
func past(text string, now time.Time) string {
	low := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	y, m, d := now.Date()
	day := func(years, months, days int) string { // of noon, so that no change of the clocks moves it
		if months != 0 || years != 0 {
			last := time.Date(y+years, m+time.Month(months)+1, 0, 12, 0, 0, 0, time.UTC).Day()
			return time.Date(y+years, m+time.Month(months), min(d, last), 12, 0, 0, 0, time.UTC).Format(time.DateOnly)
		}
		return time.Date(y, m, d+days, 12, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	span := func(unit string, n int) string {
		switch unit {
		case "week":
			return day(0, 0, -7*n)
		case "month":
			return day(0, -n, 0)
		case "year":
			return day(-n, 0, 0)
		}
		return day(0, 0, -n)
	}
	if rest, ok := strings.CutPrefix(low, "yesterday"); ok {
		return day(0, 0, -1) + rest
	}
	if f := agoForm.FindStringSubmatch(low); f != nil {
		n, err := strconv.Atoi(f[1])
		if err != nil {
			n = 1
		}
		return span(f[2], n) + low[len(f[0]):]
	}
	f := lastForm.FindStringSubmatch(low)
	if f == nil {
		return text
	}
	rest := low[len(f[0]):]
	for i := 1; i <= 7; i++ {
		if then := now.AddDate(0, 0, -i); strings.EqualFold(then.Weekday().String()[:3], f[1]) {
			return day(0, 0, -i) + rest
		}
	}
	return span(f[1], 1) + rest
}
