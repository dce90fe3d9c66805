package assemble_test

import (
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/message/assemble"
	"bugle/engine/message/template"
)

func TestSuggestions(t *testing.T) {
	s := &fakeSource{items: []engine.ContentItem{
		{Products: &engine.ProductSet{Name: "shoes", Products: []map[string]any{{"title": "Boot"}, {"list price": 3, "title": "Clog"}}}},
		{Products: &engine.ProductSet{Name: "it's new", Products: []map[string]any{{"id": 1}}}},
		{API: &engine.ContentAPI{Name: "weather", Params: []string{"city", "day"}}},
		{API: &engine.ContentAPI{Name: "now"}},
	}}
	o, err := assemble.LoadSuggestions(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	w := engine.Workspace{
		Segments: []engine.Segment{{Name: "Buyers"}},
		Events: []engine.EventType{
			{Name: "Bought", Attributes: []engine.Attribute{{Name: "product"}, {Name: "price"}}},
			{Name: "Left", Attributes: []engine.Attribute{{Name: "page"}, {Name: "price"}}},
			{Name: "Sale", Business: true, Attributes: []engine.Attribute{{Name: "season"}}},
		},
	}
	triggered := parse(t, `{"basic_details":{"business_event":"Sale"},"trigger_condition":{"included_filters":{"filters":[{"action_name":"Left"}]}}}`)
	for list, want := range map[string]string{
		"expressions":         `ProductSet.shoes[0]['list price'] ProductSet.shoes[0].title ProductSet["it's new"][0].id ContentApi.weather('city', 'day') ContentApi.now()`,
		"trigger_attributes":  "page price",
		"business_attributes": "season",
		"event_attributes":    "product price page season",
		"segments":            "Buyers",
		"nothing":             "",
	} {
		if got := strings.Join(o.List(w, triggered, list), " "); got != want {
			t.Errorf("%s offers %s, want %s", list, got, want)
		}
	}
	if got := o.List(w, parse(t, `{}`), "trigger_attributes"); got != nil {
		t.Errorf("without a trigger it offers %v", got)
	}
	for _, e := range o.List(w, triggered, "expressions") {
		if err := template.Check("{{" + e + "}}"); err != nil {
			t.Errorf("%s cannot be read: %v", e, err)
		}
	}
	for _, f := range o.List(w, triggered, "expression_filters") {
		if f == "default" {
			return
		}
	}
	t.Error("no filter default")
}
