package filters_test

import (
	"fmt"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// testbed is a workspace with users and one draft.
type testbed struct {
	t   testing.TB
	svc *uitest.Service
	id  string
}

func workspace() engine.Workspace {
	attr := func(name, dataType string) engine.Attribute {
		return engine.Attribute{Name: name, DataType: dataType, Category: "Tracked Standard Attribute"}
	}
	return engine.Workspace{
		ID: "DEMO", Timezone: "Europe/Berlin",
		Attributes: []engine.Attribute{attr("Country", "string"), attr("City", "string"), attr("Age", "double"), attr("Birthday", "datetime"), attr("Member", "bool")},
		Events: []engine.EventType{
			{Name: "Added to Cart", Attributes: []engine.Attribute{attr("Price", "double"), attr("Brand", "string")}},
			{Name: "Purchase", Attributes: []engine.Attribute{attr("Amount", "double")}},
		},
		Segments: []engine.Segment{{ID: "65f0a1b2c3d4e5f607182930", Name: "Staff", Members: []string{"U03"}}, {ID: "65f0a1b2c3d4e5f607182931", Name: "VIP"}},
	}
}

// audienceJSON is a typical audience: two groups, an action with conditions, a segment.
const audienceJSON = `{"segmentation_details":{
	"included_filters":{"filter_operator":"and","filters":[
		{"filter_type":"user_attributes","data_type":"string","category":"Tracked Standard Attribute","name":"Country","operator":"in","value":["India","Nepal"]},
		{"filter_type":"actions","action_name":"Added to Cart","execution":{"type":"atleast","count":2},"executed":true,"attributes":{"filter_operator":"and","filters":[
			{"filter_type":"user_attributes","data_type":"double","name":"Price","operator":"greaterThan","value":500},
			{"filter_type":"user_attributes","data_type":"datetime","name":"Restocked","operator":"inTheLast","value":30}]}},
		{"filter_type":"user_attributes","data_type":"double","name":"Age","operator":"between","value":18,"value1":65.0,"negate":true}]},
	"excluded_filters":{"filter_operator":"or","filters":[
		{"filter_type":"custom_segments","name":"Staff","id":"65f0a1b2c3d4e5f607182930"},
		{"filter_type":"user_attributes","data_type":"bool","name":"Member","operator":"is","value":true,"x-note":"kept"}]}}}`

func newTestbed(t testing.TB, components string) *testbed {
	t.Helper()
	return newTestbedOf(t, catalog.OneTime, components)
}

func newTestbedOf(t testing.TB, delivery catalog.DeliveryType, components string) *testbed {
	t.Helper()
	svc := uitest.NewService(t, workspace())
	for i := range 12 {
		country := []string{"India", "Nepal", "Germany"}[i%3]
		p := engine.User{
			ID: fmt.Sprintf("U%02d", i), Attributes: map[string]any{"Name": []string{"Asha", "Bina", "Carl"}[i%3] + fmt.Sprint(" ", i), "Country": country, "Age": 70 + i, engine.AttrEmail: fmt.Sprintf("u%d@example.com", i)},
			Devices: []engine.Device{{Platform: []string{"ANDROID", "IOS"}[i%2], Token: fmt.Sprint("t", i)}},
		}
		for range i % 4 {
			p.Events = append(p.Events, engine.Event{Name: "Added to Cart", At: uitest.Now.AddDate(0, 0, -3), Attributes: map[string]any{"Price": 900}})
		}
		svc.PutUsers(p)
	}
	return &testbed{t, svc, svc.Draft(catalog.Push, delivery, components)}
}

// open opens the builder at a place and focuses the form.
func (b *testbed) open(w, h int, at ...any) *uitest.Harness {
	b.t.Helper()
	hs := uitest.New(b.t, builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id, Path: doc.P(at...)}), w, h)
	return hs
}

// stored returns the stored JSON of a place.
func (b *testbed) stored(at ...any) string {
	b.t.Helper()
	return string(b.svc.Stored(b.id).Body.Lookup(doc.P(at...)).Encode())
}

const (
	segmentation = "segmentation_details"
	include      = "included_filters"
	exclude      = "excluded_filters"
)

func TestScreensOfFilters(t *testing.T) {
	h := newTestbed(t, audienceJSON).open(120, 40, segmentation, include)
	h.GoldenSizes("tree")
	h.Resize(80, 24)
	for _, screen := range []struct{ keys, golden string }{
		{"j enter", "list"},
		{"esc j enter", "action"},
		{"esc j enter", "number"},
		{"esc j enter tab tab tab", "days"},
		{"esc j enter tab tab tab", "range"},
		{"esc G enter tab tab tab", "yes-or-no"},
		{"esc a", "add"},
	} {
		h.Script(screen.keys)
		h.Golden(screen.golden + "-80x24")
	}
}

func TestScreensOfDates(t *testing.T) {
	t.Parallel()
	b := newTestbed(t, `{"segmentation_details":{"included_filters":{"filter_operator":"or","filters":[
		{"filter_type":"user_attributes","data_type":"datetime","name":"Birthday","operator":"before","value":"2020-01-01"},
		{"filter_type":"user_attributes","data_type":"datetime","name":"Birthday","operator":"between","value":["2026-01-01","2026-02-01"]}]}}}`)
	h := b.open(80, 24, segmentation, include, "filters", 0, "value")
	h.Script("ctrl+u", ">last monday", "?= Mon 9 Mar 2026, the whole day")
	h.Golden("date-80x24")
	h.Script("enter j enter tab tab tab")
	h.Golden("dates-80x24")
	if got := b.stored(segmentation, include, "filters", 0, "value"); got != `"2026-03-09"` {
		t.Errorf("the date is %s", got)
	}
}

func TestScreensWithoutFilters(t *testing.T) {
	b := newTestbed(t, `{}`)
	h := b.open(80, 24, segmentation, include)
	h.Golden("empty-80x24")
	h.Script("a 1")
	h.Golden("name-80x24")
	h.Script(">cou", "enter")
	h.Golden("operator-80x24")
}

// A trigger has texts of its own, and starts with a user action.
func TestTriggerAsksForAnEvent(t *testing.T) {
	t.Parallel()
	b := newTestbedOf(t, catalog.EventTriggered, `{}`)
	h := b.open(120, 40, string(catalog.TriggerCondition), include)
	h.Script("?No event yet.", "?Press a to choose what starts this campaign.", "!No users yet", "!No filters yet")
	h.Script("a", "?▌ Action ", "1", ">purch", "enter enter", "?Users who did Purchase at least once.")
	if got := b.stored(string(catalog.TriggerCondition), include, "filters", 0, "action_name"); got != `"Purchase"` {
		t.Errorf("the event is %s", got)
	}
}

// An audience can be built with the keyboard: two actions with conditions, a list, relative days, and an
// exclusion. Choosing a name fills in the rest.
func TestBuildAudienceWithKeyboard(t *testing.T) {
	t.Parallel()
	b := newTestbed(t, `{}`)
	h := b.open(120, 40, segmentation, include)
	for _, filter := range [][]string{
		{"a 2", ">added to cart at least 2 times in the last 30 days", "enter"}, // an action in one row
		{"a 4", ">pri", "enter g enter", ">500", "enter"},                       // with Price above 500
		{"a 2", ">pur", "enter enter"},                                          // another, once
		{"a 4", ">amo", "enter l enter", ">1000", "enter"},                      // with Amount below 1000
		{"a 1", ">cou", "enter enter", ">India, Nepal", "enter"},                // a list
		{"a 1", ">bir", "enter enter", ">7", "enter"},                           // relative days
		{"a 1", ">age", "enter b enter", ">18", "enter", ">35", "enter"},        // both ends of a range
		{"a 1", ">mem", "enter enter n enter"},                                  // a boolean, which is yes at first
		{"G a 3", ">sta", "enter"},                                              // and an exclusion
	} {
		h.Script(filter...)
	}
	h.Want("▸ └     In the segment Staff", "of 12 users")
	h.Resize(80, 24)
	h.Golden("built-80x24")
	const want = `{"included_filters":{"filter_operator":"and","filters":[` +
		`{"filter_type":"actions","executed":true,"execution":{"type":"atleast","count":2},"action_name":"Added to Cart","attributes":{"filter_operator":"and","filters":[` +
		`{"filter_type":"user_attributes","data_type":"datetime","name":"Event Time (Standard)","operator":"inTheLast","value":30},` +
		`{"filter_type":"user_attributes","data_type":"double","operator":"greaterThan","name":"Price","category":"Tracked Standard Attribute","value":500}]}},` +
		`{"filter_type":"actions","executed":true,"execution":{"type":"atleast","count":1},"action_name":"Purchase","attributes":{"filter_operator":"and","filters":[` +
		`{"filter_type":"user_attributes","data_type":"double","operator":"lessThan","name":"Amount","category":"Tracked Standard Attribute","value":1000}]}},` +
		`{"filter_type":"user_attributes","data_type":"string","operator":"in","name":"Country","category":"Tracked Standard Attribute","value":["India","Nepal"]},` +
		`{"filter_type":"user_attributes","data_type":"datetime","operator":"inTheLast","name":"Birthday","category":"Tracked Standard Attribute","value":7},` +
		`{"filter_type":"user_attributes","data_type":"double","operator":"between","name":"Age","category":"Tracked Standard Attribute","value":[18,35]},` +
		`{"filter_type":"user_attributes","data_type":"bool","operator":"is","name":"Member","category":"Tracked Standard Attribute","value":false}]},` +
		`"excluded_filters":{"filter_operator":"or","filters":[{"filter_type":"custom_segments","name":"Staff","id":"65f0a1b2c3d4e5f607182930"}]}}`
	if got := b.stored(segmentation); got != want {
		t.Errorf("the audience is\n%s\nwant\n%s\n%s", got, want, h.Text())
	}
}

// A filter that was added and left empty is not, and never was, in the document.
func TestEmptyNewFilterIsNotSaved(t *testing.T) {
	b := newTestbed(t, audienceJSON)
	before := b.stored(segmentation)
	h := b.open(80, 24, segmentation, include)
	for _, keys := range [][]string{{"a", "1", "esc"}, {"a", "esc"}, {"j", "a", "2", "tab", "tab", "esc"}, {"G", "a", "3", "tab", "tab", "esc"}, {"a", "4", "enter", "up", "esc"}} {
		h.Press(keys...)
		if got := b.stored(segmentation); got != before {
			t.Fatalf("%v changes it to %s", keys, got)
		}
	}
	h.WantNot("NOT SAVED")
}

// A problem leads to its field anywhere in the tree.
func TestProblemOpensField(t *testing.T) {
	t.Parallel()
	b := newTestbed(t, audienceJSON)
	h := b.open(120, 40, segmentation, include, "filters", 1, "attributes", "filters", 0, "value")
	h.Want("▸ Value *                500_")
	h = b.open(120, 40, segmentation, exclude, "filters", 0, "name")
	h.Want("▸ Name         Staff_")
	h = b.open(120, 40, segmentation, exclude)
	h.Want("▸ Exclude")
	h = b.open(120, 40, segmentation, include, "filters", 2, "value1")
	h.Want("▸ To ")
}

// Nodes, rows, names and options can be clicked in every layout.
func TestClickTargets(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}} {
		b := newTestbed(t, audienceJSON)
		h := b.open(size[0], size[1], segmentation, include)
		h.Script("@and ! Age", "?▸ └ and ! Age", "@├     Country", "@├     Country", "?▸ Name")
		h.Script("tab tab", "?▸ Operator", "@one of ▾", "@   exists", "?exists ▾")
		h.Script("shift+tab shift+tab ctrl+u c i", "?> City", "@Use “ci”", "esc")
		if got := b.stored(segmentation, include, "filters", 0, "name"); got != `"ci"` {
			t.Errorf("%v: the name is %s:\n%s", size, got, h.Text())
		}
		h.Script("@Include ·", "@Include ·", "@Segment  ", "@VIP ", "?In the segment VIP")
	}
}

// Who matches, and why, is on a screen of its own, which opens with the filters as they are.
func TestWhoMatches(t *testing.T) {
	b := newTestbed(t, `{"segmentation_details":{"included_filters":{"filter_operator":"and","filters":[
		{"filter_type":"user_attributes","data_type":"string","name":"Country","operator":"is","value":"India"}]}}}`)
	h := b.open(120, 40, segmentation, include)
	h.Want("4 of 12 users · 33%", "Asha 0")
	for _, keys := range [][]string{{"W"}, {"alt+p", "enter"}, {"W"}} { // in the form, and beside it
		before := len(h.Opened)
		if h.Press(keys...); len(h.Opened) != before+1 {
			t.Fatalf("%v opens nothing", keys)
		}
		if r := h.Opened[before]; r.Name != screen.Workspace || r.Path.String() != "audience.find" || r.Doc.Get(include).Get("filters").Len() != 1 {
			t.Errorf("%v opens %+v", keys, r)
		}
		h.Press("esc")
	}
}

// A service without users shows that it cannot count.
func TestServiceWithoutAudience(t *testing.T) {
	b := newTestbed(t, audienceJSON)
	r := screen.Route{Name: screen.Builder, ID: b.id, Path: doc.P(segmentation, include)}
	h := uitest.New(t, builder.New(uitest.Deps(struct{ engine.Service }{b.svc}), r), 120, 40)
	h.Want("This service does not show who", "Users whose Country is India or Nepal")
}

// The values that users have are suggested, one after the other in a list.
func TestValuesOfUsersAreSuggested(t *testing.T) {
	b := newTestbed(t, `{}`)
	h := b.open(120, 40, segmentation, include)
	h.Script("a 1", ">cou", "enter enter", "?▸ Values", "?Germany", "?India", "?Nepal")
	h.Script(">ger", "?> Germany", "enter", ">, nep", "enter", "?▸ Values", "?Germany, Nepal", "enter", "!▸ Values")
	if got := b.stored(segmentation, include, "filters", 0, "value"); got != `["Germany","Nepal"]` {
		t.Errorf("the value is %s", got)
	}
}
