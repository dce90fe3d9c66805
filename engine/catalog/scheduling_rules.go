package catalog

import (
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

var zoneKnown = schema.Named{
	ID: "zone_known", Text: "a time zone, unless the start carries an offset",
	Check: func(p schema.Place) []schema.Finding {
		start := p.Value.Get("start_time").Text()
		switch p.Value.Get("delivery_type").Text() {
		case "AT_FIXED_TIME", "SEND_IN_BTS":
		default:
			return nil
		}
		if start == "" || !p.Value.Get("timezone").Empty() || !schema.DateTime.Matches(start) || schema.HasOffset(start) {
			return nil
		}
		return []schema.Finding{{
			Path:        doc.P("timezone"),
			Message:     "required, for example Europe/Berlin, because start_time has no offset; or end start_time in Z or +01:00",
			FormMessage: "choose the time zone of the start, for example Europe/Berlin",
		}}
	},
}

var startInFuture = schema.Named{
	ID: "ahead", Text: "not in the past",
	Check: func(p schema.Place) []schema.Finding {
		start, ok := moment(p.Value, p.Object)
		if !ok || p.Env.Now.IsZero() || !start.Before(p.Env.Now) {
			return nil
		}
		now := p.Env.Now.In(start.Location())
		return []schema.Finding{{
			Message:     "must not be in the past; it is now " + now.Format("2006-01-02T15:04Z07:00"),
			FormMessage: "the start is in the past; it is now " + timeparse.Moment(now, now),
		}}
	},
}

var expiryAfterStart = schema.Named{
	ID: "after_start", Text: "after the start",
	Check: func(p schema.Place) []schema.Finding {
		expiry, ok1 := moment(p.Value, p.Object)
		start, ok2 := moment(p.Object.Get("start_time"), p.Object)
		if !ok1 || !ok2 || expiry.After(start) {
			return nil
		}
		return []schema.Finding{{
			Message:     "must be after start_time, which is " + p.Object.Get("start_time").Text(),
			FormMessage: "must be after the start, " + timeparse.Moment(start, p.Env.Now),
		}}
	},
}

var clockOrTime = schema.Named{
	ID: "time", Text: "a time of day, such as 09:30, or a date and time",
	Check: func(p schema.Place) []schema.Finding {
		s := p.Value.Text()
		if s == "" || schema.Clock.Matches(s) || schema.DateTime.Matches(s) {
			return nil
		}
		return []schema.Finding{{Message: "must be a time of day, such as 09:30, or a date and time, not " + p.Value.Literal()}}
	},
}

// moment parses a time of scheduling_details. Without an offset it is in the time zone given there, or in UTC
// if that is missing or unknown.
func moment(v, scheduling doc.Value) (time.Time, bool) {
	loc := time.UTC
	if l, ok := schema.Location(scheduling.Get("timezone").Text()); ok {
		loc = l
	}
	if v.Kind() != doc.String {
		return time.Time{}, false
	}
	return schema.ReadTime(v.Text(), loc)
}
