package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

// The bounds within which a periodic schedule is walked. One with more occurrences, ten years of
// days, counts as without an end.
const (
	maxOccurrences = 3660
	maxInterval    = 1200
)

var frequencies = map[string]rrule.Frequency{"DAILY": rrule.DAILY, "WEEKLY": rrule.WEEKLY, "MONTHLY": rrule.MONTHLY}

var weekdays = map[string]rrule.Weekday{
	"MONDAY": rrule.MO, "TUESDAY": rrule.TU, "WEDNESDAY": rrule.WE, "THURSDAY": rrule.TH,
	"FRIDAY": rrule.FR, "SATURDAY": rrule.SA, "SUNDAY": rrule.SU,
}

var weeksOfMonth = map[string]int{"FIRST": 1, "SECOND": 2, "THIRD": 3, "FOURTH": 4, "LAST": -1}

// TimeZone returns the time zone of a campaign's document. It returns false if the document names no known
// time zone; times without an offset are in UTC then.
func TimeZone(document doc.Value) (*time.Location, bool) {
	s := scheduling(document)
	loc := scheduleZone(s)
	return loc, loc != time.UTC || schema.Zone.Matches(s.Get("timezone").Text())
}

// InUserZone reports whether a campaign's document has each user get it at a time in the user's own time zone.
func InUserZone(document doc.Value) bool {
	return scheduling(document).Get("delivery_type").Text() == "SEND_IN_USER_TIMEZONE"
}

// UserZone returns the time zone that a user's attributes name, and whether they name one.
func UserZone(attributes map[string]any) (*time.Location, bool) {
	for _, name := range []string{"Timezone", "Time Zone", "timezone", "time_zone", "User Timezone (Standard)"} {
		if s, ok := attributes[name].(string); ok {
			if zone, known := schema.Location(s); known {
				return zone, true
			}
		}
	}
	return nil, false
}

// scheduling returns the schedule of a document as a request has it.
func scheduling(document doc.Value) doc.Value {
	channel := Channel(document.Get(fChannel).Text())
	return catalog.InRequest(channel, catalog.SchedulingDetails, document.Get(string(catalog.SchedulingDetails)))
}

// NextSends returns the first n send times of a campaign at or after a time, in the campaign's time zone: the
// occurrences of a periodic campaign, or the start of a one-time campaign. It returns none for campaigns that
// are sent immediately or by a trigger, and for a schedule that cannot be read.
func NextSends(document doc.Value, after time.Time, n int) []time.Time {
	s := scheduling(document)
	switch DeliveryType(document.Get("campaign_delivery_type").Text()) {
	case catalog.Periodic:
		return Occurrences(s, after, n)
	case catalog.OneTime:
		loc := scheduleZone(s)
		start := instant(s.Get("start_time"), loc)
		if n < 1 || start.IsZero() || start.Before(after) || s.Get("delivery_type").Text() == "ASAP" {
			return nil
		}
		return []time.Time{start.In(loc)}
	}
	return nil
}

// NoSendsReason returns a sentence that explains why [NextSends] returns nothing.
func NoSendsReason(document doc.Value, after time.Time) string {
	s := scheduling(document)
	kind := DeliveryType(document.Get("campaign_delivery_type").Text())
	start, readable := startOf(s, scheduleZone(s))
	switch {
	case kind != catalog.Periodic && kind != catalog.OneTime:
		return "Sent when the trigger happens, not at set times."
	case kind == catalog.OneTime && s.Get("delivery_type").Text() == "ASAP":
		return "Sent as soon as you publish."
	case s.Get("start_time").Empty():
		return "No start time yet."
	case !readable:
		return "The start time can't be read."
	case kind == catalog.Periodic && s.Get("periodic_details").Get("sending_frequency").Empty():
		return "Choose how often it repeats."
	case start.Before(after):
		return "All of its sends are in the past."
	}
	return "No date fits these choices."
}

// Occurrences returns the first n occurrences of a periodic campaign's `scheduling_details` at or after a
// time, in the campaign's time zone. It returns none if the schedule cannot be read.
//
// Times follow the local clock: 9:00 stays 9:00 after a daylight saving change. [timeparse.At] defines what
// happens to a time that the change skips or repeats. A month without the day is skipped.
func Occurrences(scheduling doc.Value, after time.Time, n int) []time.Time {
	next := occurrences(scheduling)
	expiry := instant(scheduling.Get("expiry_time"), scheduleZone(scheduling))
	var out []time.Time
	for range maxOccurrences {
		t, ok := next()
		if !ok || len(out) >= n || !expiry.IsZero() && t.After(expiry) {
			break
		}
		if !t.Before(after) {
			out = append(out, t)
		}
	}
	return out
}

// LastOccurrence returns the time of the last send of a periodic campaign in UTC. It returns the zero time if
// the campaign has no end, or none that is near.
func LastOccurrence(scheduling doc.Value) time.Time {
	count, ok := scheduling.Get("periodic_details").Get("no_of_occurences").Int()
	if !ok || count < 1 || count > maxOccurrences {
		return time.Time{}
	}
	next := occurrences(scheduling)
	var last time.Time
	for t, ok := next(); ok; t, ok = next() {
		last = t.UTC()
	}
	return last
}

// startOf returns what the clocks of loc show at the start of a schedule, as a time of UTC, which has no
// changes that a rule could stumble over; false where there is no start.
func startOf(scheduling doc.Value, loc *time.Location) (time.Time, bool) {
	text := scheduling.Get("start_time").Text()
	t, ok := schema.ReadTime(text, time.UTC)
	if !ok || !schema.HasOffset(text) {
		return t, ok
	}
	t = t.In(loc)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC), true
}

// FollowStart returns an edited document in which a weekly schedule repeats on the day of its start, if the edit has set the
// start or that it is weekly, and the schedule had no days or just that of the start before.
func FollowStart(before, after doc.Value) doc.Value {
	was, now := scheduling(before), scheduling(after)
	old, day := startDay(was), startDay(now)
	repeats := now.Get("periodic_details")
	days := repeats.Get("repeat_on_days_of_week").Strings()
	edited := old != day || was.Get("periodic_details").Get("sending_frequency").Text() != repeats.Get("sending_frequency").Text()
	follows := len(days) == 0 || len(days) == 1 && days[0] == old
	if day == "" || !edited || !follows || repeats.Get("sending_frequency").Text() != "WEEKLY" {
		return after
	}
	at := doc.P(string(catalog.SchedulingDetails), "periodic_details", "repeat_on_days_of_week")
	followed, err := after.Set(at, doc.NewArray(doc.NewString(day)))
	if err != nil {
		return after
	}
	return followed
}

// startDay returns the day of the week on which a schedule starts; "" if it has no start.
func startDay(scheduling doc.Value) string {
	start, ok := startOf(scheduling, scheduleZone(scheduling))
	if !ok {
		return ""
	}
	return strings.ToUpper(start.Weekday().String())
}

// occurrences walks a schedule. Days of the month, days of the week, and days of a week of the
// month add up: a send happens on each of them.
func occurrences(scheduling doc.Value) rrule.Next {
	none := func() (time.Time, bool) { return time.Time{}, false }
	loc := scheduleZone(scheduling)
	start, ok := startOf(scheduling, loc)
	d := scheduling.Get("periodic_details")
	freq, known := frequencies[d.Get("sending_frequency").Text()]
	if !ok || !known {
		return none
	}
	opt := rrule.ROption{Freq: freq, Dtstart: start, Interval: 1}
	if n, ok := d.Get("repeat_frequency").Int(); ok && n > 0 {
		if n > maxInterval {
			return none
		}
		opt.Interval = int(n)
	}
	var walks []*walk
	for _, o := range alternatives(opt, d) {
		r, err := rrule.NewRRule(o)
		if err != nil {
			return none
		}
		w := &walk{next: r.Iterator()}
		w.step()
		walks = append(walks, w)
	}
	left := int64(maxOccurrences)
	if n, ok := d.Get("no_of_occurences").Int(); ok && n > 0 {
		left = min(left, n)
	}
	return func() (time.Time, bool) {
		if left--; left < 0 {
			return time.Time{}, false
		}
		wall, ok := earliest(walks)
		if !ok {
			return time.Time{}, false
		}
		t, _ := timeparse.At(wall, loc)
		return t, true
	}
}

// alternatives returns a rule for each way in which the schedule names its days; one alone where
// it leaves them to the start.
func alternatives(opt rrule.ROption, d doc.Value) []rrule.ROption {
	var out []rrule.ROption
	days := named(d.Get("repeat_on_days_of_week"))
	if opt.Freq != rrule.DAILY && len(days) > 0 {
		o := opt
		o.Byweekday = days
		out = append(out, o)
	}
	if opt.Freq == rrule.MONTHLY {
		var dates []int
		for _, e := range d.Get("repeat_on_date_of_month").Elems() {
			if n, ok := e.Int(); ok && n >= 1 && n <= 31 && !slices.Contains(dates, int(n)) {
				dates = append(dates, int(n))
			}
		}
		if len(dates) > 0 {
			o := opt
			o.Bymonthday = dates
			out = append(out, o)
		}
		var nth []rrule.Weekday
		for _, e := range d.Get("repeat_on_days_of_week_for_month").Elems() {
			week, ok := weeksOfMonth[e.Get("week_granularity").Text()]
			for _, day := range named(e.Get("repeat_on_days_of_week")) {
				if ok && !slices.Contains(nth, day.Nth(week)) {
					nth = append(nth, day.Nth(week))
				}
			}
		}
		if len(nth) > 0 {
			o := opt
			o.Byweekday = nth
			out = append(out, o)
		}
	}
	if len(out) == 0 {
		return []rrule.ROption{opt}
	}
	return out
}

// named reads a list of weekdays, or a single one.
func named(v doc.Value) []rrule.Weekday {
	names := v.Strings()
	if v.Kind() == doc.String {
		names = []string{v.Text()}
	}
	var out []rrule.Weekday
	for _, name := range names {
		if day, ok := weekdays[name]; ok && !slices.Contains(out, day) {
			out = append(out, day)
		}
	}
	return out
}

// walk is one rule and the occurrence that it stands at.
type walk struct {
	next rrule.Next
	at   time.Time
	ok   bool
}

func (w *walk) step() { w.at, w.ok = w.next() }

// earliest returns the first occurrence that any walk stands at, and steps all that stand there.
func earliest(walks []*walk) (time.Time, bool) {
	var first time.Time
	found := false
	for _, w := range walks {
		if w.ok && (!found || w.at.Before(first)) {
			first, found = w.at, true
		}
	}
	for _, w := range walks {
		if w.ok && w.at.Equal(first) {
			w.step()
		}
	}
	return first, found
}
