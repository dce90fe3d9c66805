package audience

import (
	"slices"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
)

func TestChoices(t *testing.T) {
	root := parsed(t, `{"filters":[
		{"filter_type":"user_attributes","data_type":"datetime"},
		{"filter_type":"actions","action_name":"did","attributes":{"filters":[{"data_type":"bool"}]}}]}`)
	offered := func(p doc.Path, member string) (out []string) {
		for _, o := range Choices(root, p, member) {
			if o.Offered {
				out = append(out, o.Value)
			} else if !strings.Contains(o.Why, "data type is") {
				t.Errorf("%s of %s is not offered: %q", o.Value, p, o.Why)
			}
		}
		return out
	}
	user, event := at("filters", 0), at("filters", 1, "attributes", "filters", 0)
	if got := offered(user, "operator"); !slices.Contains(got, "today") || slices.Contains(got, "in") {
		t.Errorf("the operators of a date are %q", got)
	}
	if got := offered(event, "operator"); !slices.Equal(got, []string{"is", "exists"}) {
		t.Errorf("the operators of a yes or no are %q", got)
	}
	if got := offered(user, "filter_type"); !slices.Equal(got, []string{"user_attributes", "actions", "custom_segments"}) {
		t.Errorf("the types of a filter are %q", got)
	}
	if got := Choices(root, user, "name"); len(got) > 0 {
		t.Errorf("a name is chosen from %v", got)
	}
}

func TestNames(t *testing.T) {
	w := engine.Workspace{
		Attributes: []engine.Attribute{{Name: "City"}},
		Segments:   []engine.Segment{{Name: "Staff"}},
		Events: []engine.EventType{
			{Name: "Seen", Attributes: []engine.Attribute{{Name: "page"}}},
			{Name: "Bought", Attributes: []engine.Attribute{{Name: "price"}, {Name: "product"}}}, {Name: "sale", Business: true},
		},
	}
	root := parsed(t, filterGroup("and", `{"filter_type":"user_attributes"}`,
		`{"filter_type":"actions","action_name":"Bought","attributes":{"filters":[{}]}}`, inSegment("")))
	condition := at("filters", 1, "attributes", "filters", 0)
	for _, c := range []struct {
		p      doc.Path
		member string
		want   []string
	}{
		{at("filters", 0), "name", []string{"City"}},
		{at("filters", 0), "value", nil},
		{at("filters", 1), "action_name", []string{"Seen", "Bought"}},
		{condition, "name", []string{"price", "product", engine.AttrEventTime}},
		{at("filters", 2), "name", []string{"Staff"}},
	} {
		if got := Names(root, c.p, c.member, w); !slices.Equal(got, c.want) {
			t.Errorf("%s of %s: got %q, want %q", c.member, c.p, got, c.want)
		}
	}
}

func TestValueShape(t *testing.T) {
	for filter, want := range map[string]Shape{
		`{}`:                     NoValue,
		`{"data_type":"string"}`: NoValue,
		`{"data_type":"string","operator":"exists"}`:                                           NoValue,
		`{"data_type":"datetime","operator":"today"}`:                                          NoValue,
		`{"data_type":"bool","operator":"lessThan"}`:                                           NoValue,
		`{"data_type":"string","operator":"is"}`:                                               SingleValue,
		`{"data_type":"string","operator":"is","value":["a"]}`:                                 ValueList,
		`{"data_type":"string","operator":"contains"}`:                                         SingleValue,
		`{"data_type":"string","operator":"in"}`:                                               ValueList,
		`{"data_type":"string","operator":"endsWithInTheFollowing"}`:                           ValueList,
		`{"data_type":"double","operator":"in"}`:                                               ValueList,
		`{"data_type":"double","operator":"greaterThan"}`:                                      SingleValue,
		`{"data_type":"double","operator":"between"}`:                                          ValueRange,
		`{"data_type":"bool","operator":"is"}`:                                                 YesOrNo,
		`{"data_type":"datetime","operator":"on"}`:                                             Date,
		`{"data_type":"datetime","operator":"between"}`:                                        DateRange,
		`{"data_type":"datetime","operator":"inTheNext"}`:                                      RelativeDays,
		`{"data_type":"double","operator":"lessThan","is_dynamic_value":true,"value":"{{x}}"}`: Expression,
	} {
		if got := ValueShape(parsed(t, filter)); got != want {
			t.Errorf("%s: got %d, want %d", filter, got, want)
		}
	}
}

// A value stays as far as it suits another operator.
func TestSetOperator(t *testing.T) {
	for _, c := range []struct{ filter, operator, want string }{
		{`"data_type":"string","operator":"is","value":"a"`, "in", `"data_type":"string","operator":"in","value":["a"]`},
		{`"data_type":"string","operator":"in","value":["a"]`, "is", `"data_type":"string","operator":"is","value":"a"`},
		{`"data_type":"string","operator":"in","value":["a","b"]`, "contains", `"data_type":"string","operator":"contains","value":["a","b"]`},
		{`"data_type":"string","operator":"in","value":["a"]`, "exists", `"data_type":"string","operator":"exists"`},
		{`"data_type":"string","operator":"is","value":"{{ x }}"`, "in", `"data_type":"string","operator":"in","value":"{{ x }}"`},
		{`"data_type":"double","operator":"in","value":[1,2,3]`, "between", `"data_type":"double","operator":"between","value":[1,2]`},
		{`"data_type":"double","operator":"between","value":1,"value1":2`, "lessThan", `"data_type":"double","operator":"lessThan","value":1}`},
		{`"data_type":"double","operator":"between","value":[1,2]`, "greaterThan", `"data_type":"double","operator":"greaterThan","value":1`},
		{`"data_type":"datetime","operator":"on","value":"2026-12-01"`, "inTheLast", `"data_type":"datetime","operator":"inTheLast"`},
		{`"data_type":"datetime","operator":"inTheLast","value":7`, "inTheNext", `"data_type":"datetime","operator":"inTheNext","value":7`},
	} {
		root := parsed(t, `{"filters":[{`+c.filter+`}]}`)
		out, err := SetOperator(root, at("filters", 0), c.operator)
		if got, want := string(out.Encode()), `{"filters":[{`+strings.TrimSuffix(c.want, "}")+`}]}`; err != nil || got != want {
			t.Errorf("%s to %s: got %s, %v", c.filter, c.operator, got, err)
		}
	}
}

// Another attribute brings its data type; an operator and value that do not suit it go.
func TestSetName(t *testing.T) {
	w := engine.Workspace{Attributes: []engine.Attribute{
		{Name: "City", DataType: "string"}, {Name: "Born", DataType: "datetime", Category: "Own"}, {Name: "Town", DataType: "string"},
	}}
	root := parsed(t, `{"filters":[{"filter_type":"user_attributes","name":"City","data_type":"string","operator":"contains","value":"B","own":1}]}`)
	for name, want := range map[string]string{
		"Town":  `{"filters":[{"filter_type":"user_attributes","name":"Town","data_type":"string","operator":"contains","value":"B","own":1}]}`,
		"Other": `{"filters":[{"filter_type":"user_attributes","name":"Other","data_type":"string","operator":"contains","value":"B","own":1}]}`,
		"Born":  `{"filters":[{"filter_type":"user_attributes","name":"Born","data_type":"datetime","operator":"inTheLast","own":1,"category":"Own"}]}`,
	} {
		if out, err := SetName(root, at("filters", 0), name, w); err != nil || string(out.Encode()) != want {
			t.Errorf("%s: got %s, %v", name, out.Encode(), err)
		}
	}
	if _, err := SetName(root, nil, "City", w); err == nil {
		t.Error("a group was given a name")
	}
}
