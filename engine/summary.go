package engine

import (
	"slices"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// How long a one-time campaign counts as SENDING. Nothing is delivered to an audience (CONTRACT.md,
// States): these stand for the time that it would take.
const (
	sendingTime = 5 * time.Minute
	// A send in each user's own time zone or at their best time goes once round the world.
	roundTheWorld = 24 * time.Hour
)

// Summarize returns the summary of a campaign. It accepts any document; fields that it cannot read stay
// empty.
func Summarize(c Campaign) Summary {
	basic := c.Body.Get(string(catalog.BasicDetails))
	sum := Summary{
		Head: c.Head, Name: basic.Get("name").Text(), Team: basic.Get("team").Text(),
		Tags: basic.Get("tags").Strings(), Platforms: basic.Get("platforms").Strings(),
		AllUsers: c.Body.Get(string(catalog.SegmentationDetails)).Get("is_all_user_campaign").True(),
	}
	sum.Start, sum.End = schedule(c)
	return sum
}

// Title returns the display name of the campaign: its name, or a title made from its channel.
func (s Summary) Title() string {
	if s.Name == "" {
		return "Untitled " + s.Channel.Label()
	}
	return s.Name
}

// schedule returns when a campaign starts and when it is over; zero where it has no such time.
func schedule(c Campaign) (start, end time.Time) {
	s := catalog.InRequest(c.Channel, catalog.SchedulingDetails, c.Body.Get(string(catalog.SchedulingDetails)))
	loc := scheduleZone(s)
	start, expiry := instant(s.Get("start_time"), loc), instant(s.Get("expiry_time"), loc)
	switch c.DeliveryType {
	case catalog.OneTime:
		if start.IsZero() || s.Get("delivery_type").Text() == "ASAP" {
			start = c.SentTime // it started when it was published
		}
		if start.IsZero() {
			return start, end
		}
		end = start.Add(sendingTime)
		switch s.Get("delivery_type").Text() {
		case "SEND_IN_USER_TIMEZONE", "SEND_IN_BTS":
			end = start.Add(roundTheWorld)
		}
		return start, end
	case catalog.Periodic:
		end = LastOccurrence(s)
		if end.IsZero() || !expiry.IsZero() && expiry.Before(end) {
			end = expiry
		}
		return start, end
	}
	return start, expiry
}

// scheduleZone returns the campaign's time zone, UTC where it names none that is known.
func scheduleZone(s doc.Value) *time.Location {
	if loc, ok := schema.Location(s.Get("timezone").Text()); ok {
		return loc
	}
	return time.UTC
}

func instant(v doc.Value, loc *time.Location) time.Time {
	t, ok := schema.ReadTime(v.Text(), loc)
	if !ok {
		return time.Time{}
	}
	return t.UTC()
}

// StateAt returns the state of a campaign at a time: the stored state, advanced by the clock (CONTRACT.md,
// States).
func StateAt(sum Summary, now time.Time) State {
	st := sum.Status
	if !st.Live() {
		return st
	}
	if !sum.End.IsZero() && !now.Before(sum.End) {
		return catalog.Sent
	}
	if st == catalog.Scheduled && !sum.Start.IsZero() && !now.Before(sum.Start) {
		if sum.DeliveryType == catalog.OneTime {
			return catalog.Sending
		}
		return catalog.Active
	}
	return st
}

// HeadAt returns the head at a time: with the state of [StateAt], and with the sent time if only the clock
// changed the state.
func HeadAt(sum Summary, now time.Time) Head {
	h := sum.Head
	h.Status = StateAt(sum, now)
	if !h.SentTime.IsZero() || h.Status == sum.Status {
		return h
	}
	switch {
	case h.Status == catalog.Sending, h.Status == catalog.Sent && h.DeliveryType == catalog.OneTime:
		h.SentTime = sum.Start
	case h.Status == catalog.Sent:
		h.SentTime = sum.End
	}
	return h
}

// StartsAfter reports whether the campaign starts after now.
func (s Summary) StartsAfter(now time.Time) bool { return s.Start.After(now) }

// HasTag reports whether the campaign has one of the tags.
func (s Summary) HasTag(tags []string) bool {
	return slices.ContainsFunc(s.Tags, func(t string) bool { return slices.Contains(tags, t) })
}
