package audience

import (
	"slices"
	"testing"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

func TestReadDate(t *testing.T) {
	env := Env{Now: time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)} // a Saturday
	for text, want := range map[string]string{
		"2026-12-01": "2026-12-01", "1 dec": "2026-12-01", "yesterday": "2026-03-13", "last monday": "2026-03-09",
		"Last Sat": "2026-03-07", "last wednesday": "2026-03-11", "30 days ago": "2026-02-12", "a week ago": "2026-03-07",
		"1 month ago": "2026-02-14", "last year": "2025-03-14", "yesterday 9am": "2026-03-13T09:00:00",
		"tomorrow": "2026-03-15", "2026-12-01 18:30": "2026-12-01T18:30:00", "2026-12-01T10:00:00Z": "2026-12-01T10:00:00Z",
	} {
		if got, err := ParseDate(text, env); err != nil || got.Wire != want || got.Text == "" {
			t.Errorf("%q is %+v, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "soon", "last", "99999 days ago", "yesterdayish", "last monkey"} {
		if got, err := ParseDate(text, env); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
	end := Env{Now: time.Date(2026, 3, 31, 10, 0, 0, 0, time.UTC)}
	if got, _ := ParseDate("last month", end); got.Wire != "2026-02-28" {
		t.Errorf("a month before 31 March is %s", got.Wire)
	}
}

func TestInputs(t *testing.T) {
	root := parsed(t, `{"segmentation_details":{"included_filters":{"filter_operator":"and","filters":[
		{"filter_type":"user_attributes","data_type":"double","name":"Age","operator":"between","value":1,"value1":2,"odd":1},
		{"filter_type":"actions","action_name":"Bought","execution":{"type":"atleast","count":1}},
		{"filter_type":"custom_segments","name":"Staff"},
		{"filter_type":"user_attributes","data_type":"bool","name":"Gold","operator":"exists","value":true}]}}}`)
	for i, want := range [][]string{
		{"Name", "Data type", "Operator", "From", "To", "Invert", "Value is an expression", "Category", "odd"},
		{"Event", "How often", "Condition label"},
		{"Name", "Segment ID"},
		{"Name", "Data type", "Operator", "Invert", "Value is an expression", "Category", "Value"},
	} {
		var got []string
		for _, in := range Inputs(catalog.Campaign(catalog.Push), root, doc.P("segmentation_details", "included_filters", "filters", i), schema.Env{}) {
			got = append(got, in.Label)
		}
		if !slices.Equal(slices.DeleteFunc(got, func(s string) bool { return s == "Project name" }), want) {
			t.Errorf("filter %d has %q, want %q", i, got, want)
		}
	}
}

// What Values returns can be written back, and changes nothing; other texts become what the type says.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		filter string
		texts  []string
		set    []string
		want   string
	}{
		{`{"data_type":"string","operator":"in","value":["a","b"]}`, []string{"a", "b"}, []string{"b", "", "c, d"}, `["b","c, d"]`},
		{`{"data_type":"double","operator":"in","value":[1.0,"2"]}`, []string{"1.0", "2"}, []string{"2", "1.0", "3", "x"}, `["2",1.0,3,"x"]`},
		{`{"data_type":"double","operator":"between","value":[1,9]}`, []string{"1", "9"}, []string{"2", "9"}, `[2,9]`},
		{`{"data_type":"double","operator":"between","value":1,"value1":9}`, []string{"1", "9"}, []string{"1", "8"}, `1 8`},
		{`{"data_type":"double","operator":"between","value":[1,9]}`, []string{"1", "9"}, []string{"", "9"}, ` 9`},
		{`{"data_type":"double","operator":"between"}`, []string{"", ""}, []string{"5", "6"}, `[5,6]`},
		{`{"data_type":"datetime","operator":"inTheLast","value":"7"}`, []string{"7"}, []string{"30"}, `30`},
		{`{"data_type":"bool","operator":"is","value":true}`, []string{"true"}, []string{"false"}, `false`},
		{`{"data_type":"string","operator":"is","value":"x"}`, []string{"x"}, []string{"12"}, `"12"`},
		{`{"data_type":"string","operator":"in","value":"{{x}}","is_dynamic_value":true}`, []string{"{{x}}"}, []string{"{{y}}"}, `"{{y}}"`},
	} {
		root := parsed(t, `{"filters":[`+c.filter+`]}`)
		p := doc.P("filters", 0)
		texts, ok := Values(root.Lookup(p))
		if !ok || !slices.Equal(texts, c.texts) {
			t.Errorf("%s has %q", c.filter, texts)
		}
		if same, err := SetValues(root, p, texts); err != nil || string(same.Encode()) != string(root.Encode()) {
			t.Errorf("%s becomes %s, %v", root.Encode(), same.Encode(), err)
		}
		out, err := SetValues(root, p, c.set)
		f := out.Lookup(p)
		got := string(f.Get("value").Encode())
		if second := f.Get("value1"); second.Exists() {
			got += " " + string(second.Encode())
		}
		if err != nil || got != c.want {
			t.Errorf("%s with %q is %s, %v; want %s", c.filter, c.set, got, err, c.want)
		}
	}
	if _, ok := Values(parsed(t, `{"data_type":"string","operator":"in","value":[{"a":1}]}`)); ok {
		t.Error("an object is a text")
	}
}

func TestSteps(t *testing.T) {
	v := parsed(t, `{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"custom_segments","name":"A"},
		{"filter_type":"custom_segments","name":"B"}]},"excluded_filters":{"filter_operator":"or","filters":[{"filter_type":"custom_segments","name":"C"}]}}`)
	var sizes []int
	for _, s := range Steps(v, Env{}) {
		sizes = append(sizes, s.Filters.Get("included_filters").Get("filters").Len()+10*s.Filters.Get("excluded_filters").Len())
	}
	if !slices.Equal(sizes, []int{1, 2, 22}) {
		t.Errorf("the steps hold %v", sizes)
	}
	either, _ := v.Set(doc.P("included_filters", "filter_operator"), doc.NewString("or"))
	if Steps(either, Env{}) != nil {
		t.Error("of filters of which one is enough, the first is a step")
	}
}

// A filter nested in an action asks for its type where a service has left it out, and otherwise for what a
// filter on an attribute is made of; for a project where the workspace has some.
func TestInputsOfNestedFilters(t *testing.T) {
	root := parsed(t, `{"segmentation_details":{"included_filters":{"filters":[{"filter_type":"actions","attributes":{"filters":[
		{"name":"price","data_type":"double","operator":"exists"},
		{"filter_type":"user_attributes","name":"price","data_type":"double","operator":"exists"}]}}]}}}`)
	at := doc.P("segmentation_details", "included_filters", "filters", 0, "attributes", "filters")
	for i, want := range [][]string{
		{"Filter type", "Data type", "Name", "Operator"},
		{"Name", "Data type", "Operator", "Invert", "Value is an expression", "Category"},
	} {
		for _, portfolio := range []bool{false, true} {
			env := schema.Env{Flags: map[string]bool{"portfolio": portfolio}}
			var got []string
			for _, in := range Inputs(catalog.Campaign(catalog.Push), root, at.Elem(i), env) {
				got = append(got, in.Label)
			}
			if portfolio && i == 1 {
				want = append(slices.Clone(want), "Project name")
			}
			if !slices.Equal(got, want) {
				t.Errorf("filter %d, portfolio %v: %q, want %q", i, portfolio, got, want)
			}
		}
	}
}
