package sample_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/personalize"
	"bugle/engine/schema"
)

// unfinished are the drafts with something left to do, by name, and what that is at each stage.
var unfinished = map[string]struct{ draft, publish []string }{
	"": {
		publish: []string{
			"basic_details push.basic_details#required",
			"campaign_content campaign_content#required",
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
	"Spring catalogue": {
		draft: catalogues,
		publish: append([]string{
			"basic_details.subscription_category email.basic_details.subscription_category#configured",
			"campaign_content.content.de campaign_content.content#every_cell",
			"campaign_content.content.default.variation_1.email.html_content email.content.html_content#expressions",
			"connector.connector_name connector.connector_name#configured",
			"segmentation_details segmentation_details#minimum_audience",
		}, catalogues...),
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
	catalogues = []string{
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
				t.Errorf("installed at %v: %q is stored %s and read %s", at, engine.NameOf(c.Body), stored.Status, c.Status)
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
			name := engine.NameOf(c.Body)
			env := schema.Env{Stage: schema.Publish, Flags: w.Flags, Lists: w.Lists, Expression: personalize.Parse}
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
			t.Errorf("%q has a notice: %s", engine.NameOf(c.Body), p)
		}
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%q at the stage %s has the problems\n\t%s\nwant\n\t%s", engine.NameOf(c.Body), env.Stage, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// Everything that a campaign can be occurs.
func TestEverythingOccurs(t *testing.T) {
	seen := map[string]int{}
	saw := func(format string, args ...any) { seen[fmt.Sprintf(format, args...)]++ }
	all := campaigns(t, install(t, now))
	for _, c := range all {
		saw("%s", c.Status)
		saw("%s", c.Channel)
		saw("%s %s", c.Channel, c.DeliveryType)
		for _, k := range engine.TestKeys(c.Channel, c.Document(), engine.KeyFilter{}) {
			saw("%s %s", k.Platform, c.Document().Lookup(k.Content).Get("template_type").Text())
			saw("locale %s", k.Locale)
			saw("variation %s", k.Variation)
		}
		content := c.Body.Get(string(catalog.CampaignContent))
		saw("split %s", content.Get("variation_details").Get("distribution_type").Text())
		if n := content.Get("content").Get("default").Len(); n == 2 && content.Get("locales").Len() == 2 {
			saw("keyed")
		}
		for _, head := range []struct {
			name string
			set  bool
		}{{"flow", c.FlowID != ""}, {"child", c.ParentID != ""}, {"rejected", c.RejectionComment != "" && c.Status == catalog.Draft}} {
			if head.set {
				saw("%s", head.name)
			}
		}
		walk(c.Body, func(name string, v doc.Value) {
			switch name {
			case "filter_type", "operator", "sending_frequency", "trigger_delay_type", "triggered_at", "timer_ends_at", "connector_type", "delivery_type", "file_type":
				saw("%s %s", name, v.Text())
			}
		})
		for name := range c.Body.Members() {
			saw("component %s", name)
		}
	}
	var want []string
	for _, st := range []engine.State{catalog.Draft, catalog.Scheduled, catalog.Active, catalog.Sending, catalog.Paused, catalog.Sent, catalog.Stopped, catalog.Archived} {
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
	for platform, templates := range map[string][]string{
		"ANDROID": {"BASIC", "STYLIZED_BASIC", "SIMPLE_IMAGE_CAROUSEL", "IMAGE_BANNER_WITH_TEXT", "TIMER", "TIMER_WITH_PROGRESS_BAR", "Custom"},
		"IOS":     {"BASIC", "STYLIZED_BASIC", "SIMPLE_IMAGE_CAROUSEL", "Custom"},
		"WEB":     {"BASIC"},
	} {
		for _, name := range templates {
			want = append(want, platform+" "+name)
		}
	}
	for _, info := range catalog.Components(catalog.Push) {
		want = append(want, "component "+string(info.Name))
	}
	want = append(want,
		"PUSH BROADCAST_LIVE_ACTIVITY", "component connector", "locale de", "locale fr", "variation variation_2", "keyed", "split MANUAL", "split OPTIMIZER",
		"flow", "child", "rejected", "filter_type user_attributes", "filter_type actions", "filter_type custom_segments",
		"sending_frequency DAILY", "sending_frequency WEEKLY", "sending_frequency MONTHLY", "triggered_at ENTRY", "triggered_at dwell",
		"trigger_delay_type DELAY", "trigger_delay_type ASAP", "trigger_delay_type INTELLIGENT_DELAY", "timer_ends_at DURATION",
		"timer_ends_at SPECIFIC_TIME_USER_TIMEZONE", "connector_type CUSTOM_SMTP", "connector_type AMAZON_SES", "connector_type SENDGRID",
		"delivery_type AT_FIXED_TIME", "delivery_type SEND_IN_BTS", "delivery_type SEND_IN_USER_TIMEZONE", "file_type URL", "file_type PERSONALIZED_ATTACHMENT",
	)
	for _, dataType := range []string{"bool", "double", "string", "datetime"} {
		if !slices.ContainsFunc(catalog.Operators(dataType), func(op string) bool { return seen["operator "+op] > 0 }) {
			t.Errorf("no filter has an operator of %s", dataType)
		}
	}
	for _, w := range want {
		if seen[w] == 0 {
			t.Errorf("%s does not occur", w)
		}
	}
	if len(all) < 40 {
		t.Errorf("%d campaigns are few", len(all))
	}
	if t.Failed() {
		t.Log(slices.Sorted(maps.Keys(seen)))
	}
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
				t.Errorf("%q is alone and has a version", engine.NameOf(versions[0].Body))
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
			t.Errorf("%q has no periodic parent", engine.NameOf(c.Body))
		}
	}
	if children < 3 {
		t.Errorf("%d children", children)
	}
}

var (
	attributeNames = regexp.MustCompile(`\b(UserAttribute|EventAttribute|BusinessEventAttribute|ContentBlock)\['([^']+)'\]`)
	addresses      = regexp.MustCompile(`[\w.+-]+@[\w-]+(\.[\w-]+)+`)
	reserved       = regexp.MustCompile(`@([\w-]+\.)*example\.(com|org|net)$`)
)

// What the content names is there: attributes, events, segments, content blocks.
func TestNamesAreKnown(t *testing.T) {
	svc := install(t, now)
	w := workspace(t, svc)
	known := map[string][]string{}
	for _, a := range w.Attributes {
		known["UserAttribute"] = append(known["UserAttribute"], a.Name)
	}
	for _, e := range w.Events {
		kind := "EventAttribute"
		if e.Business {
			kind = "BusinessEventAttribute"
		}
		for _, a := range e.Attributes {
			known[kind] = append(known[kind], a.Name)
		}
	}
	for _, b := range w.ContentBlocks {
		known["ContentBlock"] = append(known["ContentBlock"], b.Name)
	}
	text := func(where, s string) {
		for _, m := range attributeNames.FindAllStringSubmatch(s, -1) {
			if !slices.Contains(known[m[1]], m[2]) {
				t.Errorf("%s: the workspace has no %s %q", where, m[1], m[2])
			}
		}
		for _, a := range addresses.FindAllString(s, -1) {
			if !reserved.MatchString(a) && a != "news@example.com" && !strings.HasSuffix(a, "@example.test") {
				t.Errorf("%s: the address %s may be somebody's", where, a)
			}
		}
	}
	for _, b := range w.ContentBlocks {
		text("content block "+b.Name, b.Source)
		if err := personalize.Parse(b.Source); err != nil {
			t.Errorf("content block %s: %v", b.Name, err)
		}
	}
	events, _ := w.Lists("events")
	business, _ := w.Lists("business_events")
	segments := map[string]string{}
	for _, s := range w.Segments {
		segments[s.Name] = s.ID
	}
	for _, c := range campaigns(t, svc) {
		name := engine.NameOf(c.Body)
		_, broken := unfinished[name]
		if team := c.Body.Get(string(catalog.BasicDetails)).Get("team").Text(); team != "" && !slices.Contains(w.Teams, team) {
			t.Errorf("%q: the workspace has no team %q", name, team)
		}
		walk(c.Body, func(member string, v doc.Value) {
			s := v.Text()
			text(name, s)
			if err := personalize.Parse(s); err != nil && !broken {
				t.Errorf("%q: %q: %v", name, s, err)
			}
			switch {
			case (member == "action_name" || member == "goal_event_name") && !slices.Contains(events, s):
				t.Errorf("%q: the workspace has no event %q", name, s)
			case member == "business_event" && !slices.Contains(business, s):
				t.Errorf("%q: the workspace has no business event %q", name, s)
			case v.Get("filter_type").Text() == "custom_segments" && (segments[v.Get("name").Text()] == "" || segments[v.Get("name").Text()] != v.Get("id").Text()):
				t.Errorf("%q: the workspace has no segment %s", name, v.Encode())
			}
			if v.Get("filter_type").Text() == "user_attributes" && !broken {
				i := slices.IndexFunc(w.Attributes, func(a engine.Attribute) bool { return a.Name == v.Get("name").Text() })
				if i < 0 || w.Attributes[i].DataType != v.Get("data_type").Text() || w.Attributes[i].Category != v.Get("category").Text() {
					t.Errorf("%q: the workspace has no such attribute: %s", name, v.Encode())
				}
			}
		})
	}
}

func TestProfiles(t *testing.T) {
	svc := install(t, now)
	w := workspace(t, svc)
	all, err := svc.Profiles(t.Context(), "", 0)
	if err != nil || len(all) < 12 {
		t.Fatalf("%d profiles, error %v", len(all), err)
	}
	types := map[string]string{}
	for _, a := range w.Attributes {
		types[a.Name] = a.DataType
	}
	ids := map[string]bool{}
	for _, p := range all {
		ids[p.ID] = true
		for name, v := range p.Attributes {
			s, isText := v.(string)
			ok := map[string]bool{
				"string": isText, "datetime": isText && (schema.DateTime.Matches(s) || len(s) == len(time.DateOnly)),
				"bool": v == true || v == false, "double": !isText && v != true && v != false,
			}[types[name]]
			if !ok {
				t.Errorf("%s: %s is %v, and the workspace says %q", p.ID, name, v, types[name])
			}
		}
		if s, ok := p.Attributes[engine.AttrMobile].(string); ok && !schema.E164.Matches(s) {
			t.Errorf("%s: %q is no E.164 number", p.ID, s)
		}
		if s, _ := p.Attributes[engine.AttrEmail].(string); !reserved.MatchString(s) {
			t.Errorf("%s: the address %q may be somebody's", p.ID, s)
		}
		if !slices.IsSortedFunc(p.Events, func(a, b engine.Event) int { return a.At.Compare(b.At) }) {
			t.Errorf("%s: events are not oldest first", p.ID)
		}
		for _, e := range p.Events {
			if e.At.After(now) {
				t.Errorf("%s: %s is in the future", p.ID, e.Name)
			}
		}
	}
	for _, s := range w.Segments {
		for _, id := range s.Members {
			if !ids[id] {
				t.Errorf("segment %s: there is no profile %s", s.Name, id)
			}
		}
	}
	ann, err := svc.Profile(t.Context(), "USER_1")
	if err != nil || ann.Attributes["First Name"] != "Ann" {
		t.Fatalf("USER_1 is %v, error %v", ann.Attributes, err)
	}
	var platforms []string
	for _, d := range ann.Devices {
		platforms = append(platforms, d.Platform)
	}
	if !slices.Equal(platforms, []string{"ANDROID", "IOS", "WEB"}) {
		t.Errorf("USER_1 has devices for %v", platforms)
	}
}

func TestFirstConnectorIsTheOutbox(t *testing.T) {
	w := workspace(t, install(t, now))
	if c := w.Connectors[0]; c.Type != "CUSTOM_SMTP" || c.Carrier != engine.CarrierOutbox {
		t.Errorf("the first connector is %+v", c)
	}
	for _, name := range engine.KnownFlags() {
		if on, set := w.Flags[name]; on || !set {
			t.Errorf("the flag %s is %v, set %v", name, on, set)
		}
	}
	if w.Versioning || w.Publish != engine.PublishBeta {
		t.Errorf("versioning %v, publish %s", w.Versioning, w.Publish)
	}
}

func TestDraftsCanBeSent(t *testing.T) {
	svc := install(t, now)
	all := campaigns(t, svc)
	for _, want := range []struct {
		name, identifier string
		keys             []string
	}{
		{"Winter roast launch", "ID", []string{"EMAIL_default_variation_1"}},
		{"Black Friday countdown", "USER_ATTRIBUTE_UNIQUE_ID", []string{"ANDROID_default_variation_1", "WEB_default_variation_1"}},
		{"Referral weekend", "USER_ATTRIBUTE_UNIQUE_ID", []string{"ANDROID_default_variation_1", "IOS_default_variation_1"}},
	} {
		c := named(t, all, want.name)
		body := engine.DraftTest(c.ID, engine.TestSend{Identifier: want.identifier, Values: []string{"USER_1"}})
		out, err := svc.Test(t.Context(), engine.TestRequest{Body: body})
		if err != nil {
			t.Fatalf("%s: %v", want.name, err)
		}
		allSent(t, want.name, out)
		if !slices.Equal(out.Keys, want.keys) {
			t.Errorf("%s was sent as %v, want %v", want.name, out.Keys, want.keys)
		}
	}
	sent, err := svc.Outbox(t.Context(), 0)
	if err != nil || len(sent) != 5 {
		t.Fatalf("%d messages in the outbox, error %v", len(sent), err)
	}
	for _, m := range sent {
		if m.Email != nil && (m.Email.Subject != "Ann, the winter roast is here" || strings.Contains(m.Email.HTML, "{{") || !strings.Contains(m.Email.HTML, "140 points")) {
			t.Errorf("the mail is %q\n%s", m.Email.Subject, m.Email.HTML)
		}
	}
}

// Whatever is live can be cloned and sent to USER_1: its expressions find their values.
func TestClonesCanBeSent(t *testing.T) {
	svc := install(t, now)
	for _, c := range campaigns(t, svc) {
		name := engine.NameOf(c.Body)
		if _, broken := unfinished[name]; broken || !c.Channel.Writable() || fetches(c) || c.DeliveryType == catalog.BroadcastLiveActivity {
			continue
		}
		clone, err := svc.Clone(t.Context(), c.ID, "ann@example.com")
		if err != nil {
			t.Fatal(err)
		}
		identifier := map[engine.Channel]string{catalog.Email: "ID", catalog.Push: "USER_ATTRIBUTE_UNIQUE_ID"}[c.Channel]
		out, err := svc.Test(t.Context(), engine.TestRequest{Body: engine.DraftTest(clone.ID, engine.TestSend{Identifier: identifier, Values: []string{"USER_1"}})})
		if err != nil {
			t.Errorf("%q: %v", name, err)
		}
		allSent(t, name, out)
	}
}

func allSent(t *testing.T, name string, out engine.TestResult) {
	t.Helper()
	if len(out.Keys) == 0 {
		t.Errorf("%q: nothing was sent", name)
	}
	for _, key := range out.Keys {
		if r := out.Data[key]; r.Status != "SENT" {
			t.Errorf("%q: %s is %s: %s", name, key, r.Status, r.FailureReason)
		}
	}
}

// fetches reports whether sending the campaign needs what is not in the store: attachments, saved
// templates; or an event that USER_1 has not raised.
func fetches(c engine.Campaign) bool {
	out := false
	walk(c.Body, func(name string, _ doc.Value) { out = out || name == "attachments" || name == "custom_template_id" })
	return out
}

func TestSearchFindsTheDrafts(t *testing.T) {
	svc := install(t, now)
	rows, err := svc.Search(t.Context(), engine.SearchRequest{Limit: 15, Page: 1, Status: []engine.State{catalog.Draft}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range rows {
		if c.Status != catalog.Draft {
			t.Errorf("%q is %s", engine.NameOf(c.Body), c.Status)
		}
		names = append(names, engine.NameOf(c.Body))
	}
	for _, want := range []string{"Winter roast launch", "Black Friday countdown", "Referral weekend", ""} {
		if !slices.Contains(names, want) {
			t.Errorf("the drafts are %q, without %q", names, want)
		}
	}
}
