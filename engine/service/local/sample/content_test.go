package sample_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

// unfinished are the drafts with something left to do, by name, and what that is at each stage.
var unfinished = map[string]struct{ draft, publish []string }{
	"": {
		publish: []string{
			"basic_details push.basic_details#required",
			"campaign_content campaign_content#required",
			"delivery_controls push.delivery_controls#required",
			"segmentation_details segmentation_details#required",
			"trigger_condition trigger_condition#required",
		},
	},
	"Latte art class, spring dates": {
		draft: lattes,
		publish: append([]string{
			"basic_details.platform_specific_details push.basic_details.platform_specific_details#required",
			"campaign_content.content.push.ios push#platform_content",
			"campaign_content.content.push.web.basic_details.message push.web.basic_details.message#expressions",
			"scheduling_details.start_time scheduling_details.start_time#ahead",
		}, lattes...),
	},
	"Spring catalog": {
		draft: catalogs,
		publish: append([]string{
			"basic_details.subscription_category email.basic_details.subscription_category#configured",
			"campaign_content.content.de campaign_content.content#every_cell",
			"campaign_content.content.default.variation_1.email.html_content email.content.html_content#expressions",
			"connector.connector_name connector.connector_name#configured",
			"segmentation_details.included_filters segmentation_details#minimum_audience",
		}, catalogs...),
	},
}

var (
	lattes = []string{
		"campaign_audience_limit campaign_audience_limit#forbidden",
		"campaign_content.content.push.android.custom_template_id push.android.custom_template_id#required",
		"campaign_content.content.push.web.basic_details.redirect_url push.web.basic_details.redirect_url#uri",
		"delivery_controls.queue_duration push.delivery_controls.queue_duration#forbidden",
		"delivery_controls.queuing_enabled push.delivery_controls.queuing_enabled#forbidden",
		"segmentation_details.included_filters.filters[0].operator filter.operator#enum",
	}
	catalogs = []string{
		"campaign_content.content.default.variation_1.email email.content#not_both",
		"campaign_content.content.default.variation_1.email.from_address email.content.from_address#email",
		"scheduling_details.user_timezone_details scheduling_details.user_timezone_details#required",
		"utm_params.season utm_params#keys",
		"utm_params.utm_medium utm_params.utm_medium#required",
	}
)

// The content holds at whatever moment it is installed: on the days when clocks change, at the ends of
// months and years, just before midnight.
func moments() []time.Time {
	at := func(s string) time.Time {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			panic(err)
		}
		return t
	}
	return []time.Time{
		now, at("2026-03-29T00:30:00Z"), at("2026-10-25T01:15:00Z"), at("2027-12-31T22:59:59Z"),
		at("2028-02-29T12:00:00Z"), at("2026-07-05T04:00:00Z"), at("2026-11-30T23:59:00+01:00"),
	}
}

func TestStatesHoldWhenReadWithTheClock(t *testing.T) {
	for _, at := range moments() {
		svc := install(t, at)
		for _, c := range campaigns(t, svc) {
			stored, err := svc.Revision(t.Context(), c.ID, c.Revision)
			if err != nil {
				t.Fatal(err)
			}
			if stored.Status != c.Status {
				t.Errorf("installed at %v: %q is stored %s and read %s", at, engine.CampaignName(c.Body), stored.Status, c.Status)
			}
		}
	}
}

func TestCampaignsAreValid(t *testing.T) {
	for _, at := range moments() {
		svc := install(t, at)
		w := workspace(t, svc)
		for _, c := range campaigns(t, svc) {
			if !c.Channel.Writable() {
				continue
			}
			name := engine.CampaignName(c.Body)
			env := schema.Env{Stage: schema.Publish, Flags: w.Flags, Lists: w.Lists, Expression: template.Check}
			if c.Status == catalog.Draft || c.Status == catalog.Scheduled {
				env.Now = at // their starts are ahead; those of the others have been
			}
			check(t, c, env, unfinished[name].publish)
			env.Stage = schema.Draft
			check(t, c, env, unfinished[name].draft)
		}
	}
}

// check wants the problems of a campaign to be those.
func check(t *testing.T, c engine.Campaign, env schema.Env, want []string) {
	t.Helper()
	var got []string
	for _, p := range catalog.Campaign(c.Channel).Validate(c.Document(), env) {
		if p.Severity == schema.Error {
			got = append(got, p.Path.String()+" "+p.Rule)
		} else if len(want) == 0 {
			t.Errorf("%q has a notice: %s", engine.CampaignName(c.Body), p)
		}
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%q at the stage %s has the problems\n\t%s\nwant\n\t%s", engine.CampaignName(c.Body), env.Stage, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// Everything that a campaign can be occurs.
func TestEverythingOccurs(t *testing.T) {
	all := campaigns(t, install(t, now))
	if len(all) < 40 {
		t.Errorf("%d campaigns are few", len(all))
	}
	seen := map[string]bool{}
	for _, c := range all {
		see(c, func(format string, args ...any) { seen[fmt.Sprintf(format, args...)] = true })
	}
	for _, w := range everything() {
		if !seen[w] {
			t.Errorf("%s does not occur", w)
		}
	}
	if t.Failed() {
		t.Log(slices.Sorted(maps.Keys(seen)))
	}
}

// see says what a campaign shows.
func see(c engine.Campaign, saw func(format string, args ...any)) {
	saw("%s", c.Status)
	saw("%s", c.Channel)
	saw("%s %s", c.Channel, c.DeliveryType)
	for _, k := range engine.TestKeys(c.Channel, c.Document(), engine.KeyFilter{}) {
		saw("%s %s", k.Platform, c.Document().Lookup(k.Content).Get("template_type").Text())
	}
	content := c.Body.Get(string(catalog.CampaignContent))
	saw("split %s", content.Get("variation_details").Get("distribution_type").Text())
	saw("%d locales, %d variations", content.Get("locales").Len()+1, content.Get("content").Get("default").Len())
	for what, there := range map[string]bool{
		"flow": c.FlowID != "" && c.FlowName != "", "child": c.ParentID != "", "rejected": c.RejectionComment != "" && c.Status == catalog.Draft,
	} {
		if there {
			saw("%s", what)
		}
	}
	for name := range c.Body.Members() {
		saw("component %s", name)
	}
	walk(c.Body, func(name string, v doc.Value) {
		if v.Kind() == doc.String {
			saw("%s %s", name, v.Text())
		}
	})
}

// everything is what has to be seen.
func everything() []string {
	want := []string{
		"PUSH BROADCAST_LIVE_ACTIVITY", "component connector", "3 locales, 2 variations", "split MANUAL", "split OPTIMIZER", "flow", "child", "rejected",
	}
	for _, st := range []engine.State{
		catalog.Draft, catalog.Scheduled, catalog.Active, catalog.Sending, catalog.Paused, catalog.Sent, catalog.Stopped, catalog.Archived,
	} {
		want = append(want, string(st))
	}
	for _, ch := range catalog.Channels {
		want = append(want, string(ch))
		for _, info := range catalog.DeliveryTypes(ch) {
			if info.Offered {
				want = append(want, fmt.Sprintf("%s %s", ch, info.Type))
			}
		}
	}
	for _, info := range catalog.Components(catalog.Push) {
		want = append(want, "component "+string(info.Name))
	}
	for _, dataType := range []string{"bool", "double", "string", "datetime"} {
		want = append(want, "data_type "+dataType)
		for _, op := range catalog.Operators(dataType) {
			want = append(want, "operator "+op)
		}
	}
	each := func(of string, names ...string) {
		for _, n := range names {
			want = append(want, of+" "+n)
		}
	}
	each("ANDROID", "BASIC", "STYLIZED_BASIC", "SIMPLE_IMAGE_CAROUSEL", "IMAGE_BANNER_WITH_TEXT", "TIMER", "TIMER_WITH_PROGRESS_BAR", "Custom")
	each("IOS", "BASIC", "STYLIZED_BASIC", "SIMPLE_IMAGE_CAROUSEL", "Custom")
	each("WEB", "BASIC")
	each("connector_type", "CUSTOM_SMTP", "AMAZON_SES", "SENDGRID")
	each("delivery_type", "ASAP", "AT_FIXED_TIME", "SEND_IN_BTS", "SEND_IN_USER_TIMEZONE")
	each("file_type", "URL", "PERSONALIZED_ATTACHMENT")
	each("filter_type", "user_attributes", "actions", "custom_segments")
	each("sending_frequency", "DAILY", "WEEKLY", "MONTHLY")
	each("timer_ends_at", "DURATION", "SPECIFIC_TIME_USER_TIMEZONE")
	each("trigger_delay_type", "DELAY", "ASAP", "INTELLIGENT_DELAY")
	each("trigger_relation", "BEFORE", "AFTER")
	each("triggered_at", "ENTRY", "dwell")
	return want
}

// walk gives every member of an object to fn, all the way down.
func walk(v doc.Value, fn func(name string, v doc.Value)) {
	for name, m := range v.Members() {
		fn(name, m)
		walk(m, fn)
	}
	for _, e := range v.Elems() {
		fn("", e)
		walk(e, fn)
	}
}

func TestVersionsOfOneCampaign(t *testing.T) {
	byID := map[string][]engine.Campaign{}
	for _, c := range campaigns(t, install(t, now)) {
		byID[c.CampaignID] = append(byID[c.CampaignID], c)
	}
	found := false
	for _, versions := range byID {
		if len(versions) == 1 {
			if versions[0].Version != 0 {
				t.Errorf("%q is alone and has a version", engine.CampaignName(versions[0].Body))
			}
			continue
		}
		found = true
		slices.SortFunc(versions, func(a, b engine.Campaign) int { return a.Version - b.Version })
		for i, c := range versions {
			want := catalog.Stopped
			if i == len(versions)-1 {
				want = catalog.Active
			}
			if c.Version != i+1 || c.Status != want || i > 0 && c.ID == versions[i-1].ID {
				t.Errorf("version %d of %d is number %d, %s", i+1, len(versions), c.Version, c.Status)
			}
		}
	}
	if !found {
		t.Error("no campaign has several versions")
	}
}

func TestChildrenHaveParents(t *testing.T) {
	all := campaigns(t, install(t, now))
	children := 0
	for _, c := range all {
		if c.ParentID == "" {
			continue
		}
		children++
		at := slices.IndexFunc(all, func(p engine.Campaign) bool { return p.ID == c.ParentID })
		if at < 0 || all[at].DeliveryType != catalog.Periodic {
			t.Errorf("%q has no periodic parent", engine.CampaignName(c.Body))
		}
	}
	if children < 3 {
		t.Errorf("%d children", children)
	}
}
