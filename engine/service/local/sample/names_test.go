package sample_test

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

var (
	attributeNames = regexp.MustCompile(`\b(UserAttribute|EventAttribute|BusinessEventAttribute|ContentBlock)\['([^']+)'\]`)
	addresses      = regexp.MustCompile(`[\w.+-]+@[\w-]+(\.[\w-]+)+`)
	reserved       = regexp.MustCompile(`@([\w-]+\.)*example\.(com|org|net)$`)
)

// words are the names that the workspace knows, by what they name.
func words(w engine.Workspace) map[string][]string {
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
	return known
}

// What expressions name is there, every expression parses, and no address is anybody's.
func TestTexts(t *testing.T) {
	svc := install(t, now)
	w := workspace(t, svc)
	known := words(w)
	check := func(where, s string, broken bool) {
		for _, m := range attributeNames.FindAllStringSubmatch(s, -1) {
			if !slices.Contains(known[m[1]], m[2]) {
				t.Errorf("%s: the workspace has no %s %q", where, m[1], m[2])
			}
		}
		for _, a := range addresses.FindAllString(s, -1) {
			if !reserved.MatchString(a) {
				t.Errorf("%s: the address %s may be somebody's", where, a)
			}
		}
		if err := template.Check(s); err != nil && !broken {
			t.Errorf("%s: %q: %v", where, s, err)
		}
	}
	for _, b := range w.ContentBlocks {
		check("content block "+b.Name, b.Source, false)
	}
	for _, c := range campaigns(t, svc) {
		name := engine.CampaignName(c.Body)
		_, broken := unfinished[name]
		for _, by := range []string{c.CreatedBy, c.UpdatedBy} {
			check(name, by, false)
		}
		walk(c.Body, func(_ string, v doc.Value) { check(name, v.Text(), broken) })
	}
}

// What filters, goals and basics name is there.
func TestNamesAreConfigured(t *testing.T) {
	svc := install(t, now)
	w := workspace(t, svc)
	in := func(list, name string) bool {
		names, _ := w.Lists(list)
		return slices.Contains(names, name)
	}
	named := func(filter doc.Value) func(engine.Attribute) bool {
		want := engine.Attribute{Name: filter.Get("name").Text(), DataType: filter.Get("data_type").Text(), Category: filter.Get("category").Text()}
		return func(a engine.Attribute) bool { return a == want }
	}
	for _, c := range campaigns(t, svc) {
		name := engine.CampaignName(c.Body)
		ofEvent := map[doc.Value]bool{}
		walk(c.Body, func(member string, v doc.Value) {
			ok := true
			switch member {
			case "action_name", "goal_event_name":
				ok = in("events", v.Text())
			case "business_event":
				ok = in("business_events", v.Text())
			case "team":
				ok = in("teams", v.Text())
			case "locales":
				ok = !slices.ContainsFunc(v.Strings(), func(l string) bool { return !in("locales", l) })
			}
			switch filter := v.Get("name").Text(); v.Get("filter_type").Text() {
			case "actions":
				i := slices.IndexFunc(w.Events, func(e engine.EventType) bool { return e.Name == v.Get("action_name").Text() })
				for _, f := range v.Lookup(doc.P("attributes", "filters")).Elems() {
					ofEvent[f] = true
					if f.Get("name").Text() != engine.AttrEventTime && (i < 0 || !slices.ContainsFunc(w.Events[i].Attributes, named(f))) {
						t.Errorf("%q: its event does not have %s", name, f.Encode())
					}
				}
			case "custom_segments":
				ok = slices.ContainsFunc(w.Segments, func(s engine.Segment) bool { return s.Name == filter && s.ID == v.Get("id").Text() })
			case "user_attributes":
				ok = ofEvent[v] || slices.ContainsFunc(w.Attributes, named(v))
			}
			if !ok {
				t.Errorf("%q: %s names what the workspace does not have: %s", name, member, v.Encode())
			}
		})
	}
}

func TestUsers(t *testing.T) {
	svc := install(t, now)
	w := workspace(t, svc)
	all, err := svc.Users(t.Context(), "", 0)
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
	ann, err := svc.User(t.Context(), "USER_1")
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
	if c := w.Connectors[0]; c.Type != "CUSTOM_SMTP" || c.Provider != engine.ProviderOutbox {
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
