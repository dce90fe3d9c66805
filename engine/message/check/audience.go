package check

import (
	"fmt"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
)

var audiencePath = doc.P(string(catalog.SegmentationDetails))

// noCell is for findings that are about no single message.
var noCell engine.TestKey

func audienceEmpty(r *run) {
	if n := r.facts.Audience.Count; n.Matched == 0 {
		r.find("audience-empty", audiencePath, noCell, "None of the %s matches the audience", phrase.Count(n.Total, "user"))
	}
}

// audienceEveryone finds promotions to everybody. What an event triggers is for those who did something, whoever the
// audience is.
func audienceEveryone(r *run) {
	all := r.own.Lookup(audiencePath)
	if !r.promotional() || !catalog.NeedsSchedule(r.campaign.DeliveryType) {
		return
	}
	at := audiencePath.Child("is_all_user_campaign")
	optOut := all.Get("send_campaign_to_opt_out_users").True()
	switch a := r.facts.Audience; {
	case all.Get("is_all_user_campaign").True() && optOut:
		r.find("audience-everyone", at, noCell, "It goes to all users%s, also to those who opted out", r.counted())
	case all.Get("is_all_user_campaign").True() && all.Get("excluded_filters").Get("filters").Len() == 0:
		r.grade("audience-everyone", Note, at, noCell, "It goes to all users%s", r.counted())
	case a != nil && a.Count.Total > 20 && a.Count.Matched == a.Count.Total && !all.Get("is_all_user_campaign").True():
		r.find("audience-everyone", audiencePath.Child("included_filters"), noCell, "The filters match every one of the %s", phrase.Count(a.Count.Total, "user"))
	}
}

func (r *run) counted() string {
	if a := r.facts.Audience; a != nil {
		return fmt.Sprintf(" (%s)", phrase.Thousands(a.Count.Matched))
	}
	return ""
}

// audienceUnreachable finds audiences of which fewer than one in five can be reached.
func audienceUnreachable(r *run) {
	a := r.facts.Audience.Count
	reach, what := a.Reach.Email, "an email address"
	if r.channel == catalog.Push {
		reach, what = 0, "a device of the campaign's platforms"
		platforms := r.own.Get(string(catalog.BasicDetails)).Get("platforms").Strings()
		for _, p := range platforms {
			reach = max(reach, map[catalog.Platform]int{catalog.Android: a.Reach.Android, catalog.IOS: a.Reach.IOS, catalog.Web: a.Reach.Web}[catalog.Platform(p)])
		}
		if len(platforms) != 1 {
			reach, what = a.Reach.Push, "a device"
		}
	}
	if a.Matched > 0 && reach*5 < a.Matched {
		r.find("audience-unreachable", audiencePath, noCell, "%s of the %s have %s", phrase.Thousands(reach), phrase.Count(a.Matched, "user"), what)
	}
}

// promotional reports whether the campaign advertises: emails say so; of push, those that no event triggers are taken
// for it.
func (r *run) promotional() bool {
	if r.channel == catalog.Email {
		return r.own.Get(string(catalog.BasicDetails)).Get("content_type").Text() == "PROMOTIONAL"
	}
	return catalog.NeedsSchedule(r.campaign.DeliveryType)
}

// apart is how far two campaigns to the same audience should be from each other.
const apart = 24 * time.Hour

// near reports whether another campaign goes out within a day of this one.
func near(own, other engine.Summary, now time.Time) bool {
	if !catalog.NeedsSchedule(own.DeliveryType) || !catalog.NeedsSchedule(other.DeliveryType) {
		return false
	}
	switch engine.StateAt(other, now) {
	case catalog.Active, catalog.Scheduled, catalog.Sending:
	default:
		return false
	}
	gap := startOf(own, now).Sub(startOf(other, now))
	return gap.Abs() < apart
}

// startOf returns when a campaign goes out; now where that is when it is published.
func startOf(s engine.Summary, now time.Time) time.Time {
	if s.Start.IsZero() || s.Start.Before(now) && s.Status == catalog.Draft {
		return now
	}
	return s.Start
}

func duplicates(r *run) {
	own := r.own.Lookup(audiencePath)
	if own.Empty() {
		return
	}
	sum := engine.Summarize(r.campaign)
	var names []string
	for _, o := range r.facts.Others {
		if o.ID != r.campaign.ID && o.Channel == r.channel && near(sum, o.Summary, r.facts.Now) && sameAudience(own, o.Audience) {
			names = append(names, quote(o.Title()))
		}
	}
	if len(names) > 0 {
		r.find("duplicate-audience", audiencePath, noCell, "The same audience gets %s within 24 hours", some(names))
	}
}

// sameAudience reports whether two audiences are for certain the same users.
func sameAudience(a, b doc.Value) bool {
	everyone := func(v doc.Value) bool {
		return v.Get("is_all_user_campaign").True() && v.Get("excluded_filters").Get("filters").Len() == 0
	}
	if everyone(a) || everyone(b) {
		return everyone(a) && everyone(b)
	}
	return doc.Equal(a.Get("included_filters"), b.Get("included_filters")) && doc.Equal(a.Get("excluded_filters"), b.Get("excluded_filters"))
}

// limitsIgnored finds promotions that go out to users who got enough or sleep.
func limitsIgnored(r *run) {
	if !r.promotional() {
		return
	}
	at := doc.P(string(catalog.DeliveryControls))
	for _, c := range []struct{ name, what string }{{"bypass_dnd", "quiet hours"}, {"ignore_frequency_capping", "the frequency cap"}} {
		if r.own.Lookup(at).Get(c.name).True() {
			r.find("limits-ignored", at.Child(c.name), noCell, "This promotion ignores %s", c.what)
		}
	}
}
