package audience

import (
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
)

// Whatever filters a document holds: they are refused with problems of places in it, or they say of each
// profile the same twice, with reasons that fit. What is in is not out when the same filters exclude it.
func FuzzFilters(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `{"is_all_user_campaign":true,"send_campaign_to_opt_out_users":true}`, `{"included_filters":null}`,
		`{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"user_attributes","name":"City","data_type":"string","operator":"in","value":["Oslo","é"],"case_sensitive":true,"negate":true}]}}`,
		`{"included_filters":{"filter_operator":"or","filters":[{"filter_type":"user_attributes","name":"Age","data_type":"double","operator":"between","value":[1,1e400]},{"filter_type":"custom_segments","name":"List","id":"1"}]},"excluded_filters":{"filters":[]}}`,
		`{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"actions","action_name":"Bought","executed":false,"execution":{"type":"atmost","count":9223372036854775807},"attributes":{"filter_operator":"and","filters":[{"filter_type":"user_attributes","name":"n","data_type":"datetime","operator":"inTheLast","value":9e18}]}}]}}`,
		`{"included_filters":{"filter_operator":"and","filters":[{"filter_operator":"or","filters":[{"filter_type":"user_attributes","name":"When","data_type":"datetime","operator":"on","value":"2026-11-21"}]}]}}`,
		`{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"user_attributes","name":"\u001b[2J","data_type":"bool","operator":"is","value":"true"},{"filter_type":"custom_segments","name":"Rule"}]}}`,
	} {
		f.Add([]byte(s))
	}
	rule := map[string]any{"filter_operator": "and", "filters": []any{map[string]any{"filter_type": "custom_segments", "name": "Rule"}}}
	w := engine.Workspace{Timezone: "Europe/Berlin", Segments: []engine.Segment{{Name: "List", Members: []string{"ann"}}, {Name: "Rule", Filters: rule}}}
	env := Env{Workspace: w, Now: noon}
	crowd := []engine.User{
		{ID: "ann", Attributes: map[string]any{"City": "Oslo", "Age": 7.0, "When": "2026-11-21T10:00:00Z"}},
		{ID: "bob", OptedOut: true, Attributes: map[string]any{"City": []any{"a", nil, "É"}, "Age": "1e400", "When": map[string]any{}}},
		{ID: "eve", Events: []engine.Event{{Name: "Bought", At: noon.Add(-time.Hour), Attributes: map[string]any{"n": "2026-11-20"}}, {Name: "Bought"}}},
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := doc.Parse(in)
		if err != nil {
			return
		}
		_, _ = Describe(v, nil, env), DescribeFilter(v, env)
		a, problems := Compile(v, env)
		for _, p := range problems {
			if p.Message == "" || p.Rule == "" {
				t.Errorf("%s: %+v says too little", in, p)
			}
		}
		if a == nil {
			if len(problems) == 0 {
				t.Fatalf("%s is refused, and nothing says why", in)
			}
			return
		}
		everybody, err := v.Set(doc.P("excluded_filters"), v.Get("included_filters"))
		if err != nil || !v.Get("included_filters").Exists() || v.Get("is_all_user_campaign").True() {
			everybody = doc.Value{}
		}
		for _, p := range crowd {
			got := a.Match(&p)
			if a.Match(&p) != got {
				t.Fatalf("%s matches %s one time, and not another", in, p.ID)
			}
			if r := a.Explain(&p); r.Matched != got || len(problems) == 0 && len(r.Decisive()) == 0 {
				t.Fatalf("%s: %s is %v, explained as %+v", in, p.ID, got, r)
			}
			if !everybody.Exists() {
				continue
			}
			if both, ps := Compile(everybody, env); both != nil && len(ps) == 0 && both.Match(&p) {
				t.Fatalf("%s: %s is in, and excluded by the same filters", everybody.Encode(), p.ID)
			}
		}
	})
}
