package check

import (
	"cmp"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

var schedulePath = doc.P(string(catalog.SchedulingDetails))

const inUserZone = "SEND_IN_USER_TIMEZONE"

// schedule is when a campaign goes out.
type schedule struct {
	value doc.Value
	kind  string         // of its delivery
	zone  *time.Location // of the campaign; that of the workspace where it names none
	wall  time.Time      // what the clocks show at the start, as a time of UTC
	start time.Time
	ok    bool // it has a start that can be read
}

func (r *run) schedule() schedule {
	s := schedule{value: catalog.InRequest(r.channel, catalog.SchedulingDetails, r.own.Lookup(schedulePath)), zone: time.UTC}
	if w := r.facts.Workspace; w != nil {
		if loc, ok := schema.Location(w.Timezone); ok {
			s.zone = loc
		}
	}
	if loc, ok := schema.Location(s.value.Get("timezone").Text()); ok {
		s.zone = loc
	}
	s.kind = s.value.Get("delivery_type").Text()
	text := s.value.Get("start_time").Text()
	t, ok := schema.ReadTime(text, s.zone)
	if !ok || s.kind == "ASAP" || !catalog.NeedsSchedule(r.campaign.DeliveryType) {
		return s
	}
	if s.start, s.ok = t, true; schema.HasOffset(text) {
		t = t.In(s.zone)
	} else {
		t, _ = schema.ReadTime(text, time.UTC) // as it is written, also where the clocks of the zone skip it
	}
	s.wall = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	return s
}

// ahead reports whether a start is still to come: what is sent already needs no warning.
func (r *run) ahead(s schedule) bool { return s.ok && s.start.After(r.facts.Now) }

// The earliest and the latest time zone that people live in, as offsets from UTC.
const firstZone = 14 * time.Hour

// userZones finds starts by the clock of the user that are over somewhere.
func userZones(r *run) {
	s := r.schedule()
	if !s.ok || s.kind != inUserZone || !r.unsent() {
		return
	}
	at, now := schedulePath.Child("start_time"), r.facts.Now
	what := "they get it at once"
	if !s.value.Get("user_timezone_details").Get("send_if_user_timezone_has_passed").True() {
		what = "they do not get it"
	}
	if a := r.facts.Audience; a != nil && len(a.Zones) > 0 {
		late, of := 0, 0
		for name, n := range a.Zones {
			of += n
			if loc, ok := schema.Location(name); ok {
				if t, _ := timeparse.At(s.wall, loc); t.Before(now) {
					late += n
				}
			}
		}
		if late > 0 {
			r.find("start-past-somewhere", at, noCell, "The start is over where %s of %s live; %s", phrase.Thousands(late), phrase.Count(of, "recipient"), what)
		}
		return
	}
	if first := s.wall.Add(-firstZone); first.Before(now) && s.wall.Add(12*time.Hour).After(now) {
		r.find("start-past-somewhere", at, noCell, "%s is over already east of here; %s", timeparse.Moment(s.wall, now), what)
	}
}

// unsent reports whether the campaign has yet to go out.
func (r *run) unsent() bool {
	switch r.campaign.Status {
	case "", catalog.Draft, catalog.Scheduled, catalog.Active, catalog.Paused:
		return true
	}
	return false
}

// next returns what the clocks of the zone show at the next sends of the campaign.
func (r *run) next(s schedule, n int) []time.Time {
	if r.campaign.DeliveryType == catalog.Periodic {
		return engine.Occurrences(s.value, r.facts.Now, n)
	}
	if r.ahead(s) {
		return []time.Time{s.start.In(s.zone)}
	}
	return nil
}

// The hours that count as night.
const nightBegins, nightEnds = 22, 7

func isNight(hour int) bool { return hour >= nightBegins || hour < nightEnds }

// atNight finds promotions that go out while most of their users sleep.
func atNight(r *run) {
	s := r.schedule()
	if !s.ok || !r.promotional() || !r.unsent() || s.kind == "SEND_IN_BTS" {
		return
	}
	at := schedulePath.Child("start_time")
	next := r.next(s, 1)
	if len(next) == 0 {
		return
	}
	hour := next[0].Hour()
	if s.kind == inUserZone {
		hour = s.wall.Hour()
	} else if a := r.facts.Audience; a != nil && len(a.Zones) > 0 {
		asleep, of := 0, 0
		for name, n := range a.Zones {
			of += n
			if loc, ok := schema.Location(name); ok && isNight(next[0].In(loc).Hour()) {
				asleep += n
			}
		}
		if 2*asleep > of {
			r.find("send-at-night", at, noCell, "It is night for %s of %s when it is sent", phrase.Thousands(asleep), phrase.Count(of, "recipient"))
		}
		return
	}
	if isNight(hour) {
		where := " in " + s.zone.String()
		if s.kind == inUserZone {
			where = " where the user is"
		}
		r.find("send-at-night", at, noCell, "It is sent at %s%s", cmp.Or(timeOf(s, next[0]), "night"), where)
	}
}

func timeOf(s schedule, next time.Time) string {
	if s.kind == inUserZone {
		next = s.wall
	}
	return next.Format("15:04")
}

// Of a periodic campaign, the sends of a year are looked at, and at least a few.
const (
	nextSends = 60
	yearSends = 366
)

// clockChange finds sends at a time that the clocks skip or show twice, and one-time campaigns on the day of a change.
func clockChange(r *run) {
	s := r.schedule()
	if !s.ok || !r.unsent() || schema.HasOffset(s.value.Get("start_time").Text()) && r.campaign.DeliveryType != catalog.Periodic {
		return
	}
	at := schedulePath.Child("start_time")
	next := r.next(s, yearSends)
	for i, t := range next {
		if i >= nextSends && t.After(next[0].AddDate(1, 0, 0)) {
			return
		}
		wall := time.Date(t.Year(), t.Month(), t.Day(), s.wall.Hour(), s.wall.Minute(), 0, 0, time.UTC)
		if time.Duration(wall.Hour()-t.Hour())*time.Hour > 12*time.Hour {
			wall = wall.AddDate(0, 0, -1) // the time that is skipped was before midnight
		}
		day := timeparse.Day(wall)
		switch _, shift := timeparse.At(wall, s.zone); {
		case shift == timeparse.Never:
			r.grade("clock-change", Warning, at, noCell, "On %s the clocks skip %s in %s", day, wall.Format("15:04"), s.zone)
			return
		case shift == timeparse.Twice:
			r.grade("clock-change", Warning, at, noCell, "On %s the clocks show %s twice in %s", day, wall.Format("15:04"), s.zone)
			return
		case r.campaign.DeliveryType == catalog.OneTime && changes(wall, s.zone):
			r.find("clock-change", at, noCell, "On %s the clocks change in %s", day, s.zone)
			return
		}
	}
}

// changes reports whether the clocks of a zone change on the day of a time of UTC.
func changes(wall time.Time, zone *time.Location) bool {
	begin := time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, zone)
	end := begin.AddDate(0, 0, 1)
	return end.Sub(begin) != 24*time.Hour
}

// shortMonths finds monthly campaigns on a day that a month of theirs does not have.
func shortMonths(r *run) {
	s := r.schedule()
	d := s.value.Get("periodic_details")
	if !s.ok || r.campaign.DeliveryType != catalog.Periodic || d.Get("sending_frequency").Text() != "MONTHLY" || !r.unsent() {
		return
	}
	at, day := schedulePath.Child("periodic_details").Child("repeat_on_date_of_month"), int64(0)
	for _, e := range d.Get("repeat_on_date_of_month").Elems() {
		if n, ok := e.Int(); ok && n <= 31 {
			day = max(day, n)
		}
	}
	if day == 0 && d.Get("repeat_on_days_of_week").Empty() && d.Get("repeat_on_days_of_week_for_month").Empty() {
		at, day = schedulePath.Child("start_time"), int64(s.wall.Day())
	}
	every, ok := d.Get("repeat_frequency").Int()
	if !ok || every < 1 {
		every = 1
	}
	sends := engine.Occurrences(s.value, time.Time{}, nextSends)
	if len(sends) == 0 || day == 0 {
		return
	}
	last := sends[len(sends)-1]
	for month := time.Date(s.wall.Year(), s.wall.Month(), 1, 0, 0, 0, 0, time.UTC); month.Before(last); month = month.AddDate(0, int(every), 0) {
		if month.AddDate(0, 0, int(day)-1).Month() != month.Month() {
			r.find("month-without-day", at, noCell, "%s has no day %d, so nothing is sent for it", month.Format("January 2006"), day)
			return
		}
	}
}

// earlyEnd finds periodic campaigns that end before their second send.
func earlyEnd(r *run) {
	s := r.schedule()
	if !s.ok || r.campaign.DeliveryType != catalog.Periodic || !r.unsent() {
		return
	}
	expiry := doc.P("expiry_time")
	sends, endless := engine.Occurrences(s.value, time.Time{}, 2), engine.Occurrences(s.value.Delete(expiry), time.Time{}, 2)
	if len(sends) < 2 && len(endless) == 2 {
		missing := [...]string{"first", "second"}[len(sends)]
		r.find("end-after-one-send", schedulePath.Child("expiry_time"), noCell, "It ends before its %s send, which would be on %s", missing, timeparse.Moment(endless[len(sends)], r.facts.Now))
	}
}
