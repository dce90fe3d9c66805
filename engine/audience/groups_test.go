package audience

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
)

// Filters that are true and false of everybody.
const (
	yes = `{"filter_type":"user_attributes","name":"x","data_type":"double","operator":"exists","negate":true}`
	no  = `{"filter_type":"user_attributes","name":"x","data_type":"double","operator":"exists"}`
)

func filterGroup(join string, filters ...string) string {
	return fmt.Sprintf(`{"filter_operator":%q,"filters":[%s]}`, join, strings.Join(filters, ","))
}

func TestGroups(t *testing.T) {
	for _, c := range []struct {
		filters  string
		in       bool
		optedOut bool // whether one who has opted out is in as well
	}{
		{filterGroup("and", yes, yes), true, true},
		{filterGroup("and", yes, no), false, false},
		{filterGroup("or", no, yes), true, true},
		{filterGroup("or", no, no), false, false},
		{`{"filters":[` + yes + `,` + no + `]}`, false, false},
		{`{"filter_operator":"and","filters":[]}`, false, false},
		{filterGroup("and", yes, filterGroup("or", no, yes)), true, true},
		{filterGroup("and", yes, filterGroup("and", no, yes)), false, false},
		{filterGroup("and", yes, `{"filter_operator":"or","filters":[]}`), true, true},

		{`{}`, false, false},
		{`{"is_all_user_campaign":true}`, true, false},
		{`{"is_all_user_campaign":true,"send_campaign_to_opt_out_users":true}`, true, true},
		{`{"is_all_user_campaign":true,"included_filters":` + filterGroup("and", no) + `}`, true, false},
		{`{"is_all_user_campaign":true,"excluded_filters":` + filterGroup("and", yes) + `}`, false, false},
		{`{"is_all_user_campaign":true,"excluded_filters":` + filterGroup("and") + `}`, true, false},
		{`{"included_filters":` + filterGroup("and", yes) + `}`, true, false},
		{`{"included_filters":` + filterGroup("and", yes) + `,"excluded_filters":` + filterGroup("and", yes, no) + `}`, true, false},
		{`{"included_filters":` + filterGroup("and", yes) + `,"excluded_filters":` + filterGroup("or", yes, no) + `}`, false, false},
		{`{"included_filters":` + filterGroup("and") + `,"excluded_filters":` + filterGroup("or", no) + `}`, false, false},

		{`{"trigger_delay_type":"ASAP","included_filters":` + filterGroup("and", yes) + `}`, true, true},
		{`{"included_filters":` + filterGroup("and", yes) + `,"secondary_included_filters":` + filterGroup("and", no) + `}`, false, false},
		{`{"included_filters":` + filterGroup("and", yes) + `,"secondary_included_filters":` + filterGroup("or", no, yes) + `}`, true, true},
	} {
		a := compiled(t, c.filters, Env{})
		if got := a.Match(&engine.User{}); got != c.in {
			t.Errorf("%s: got %v", c.filters, got)
		}
		if got := a.Match(&engine.User{OptedOut: true}); got != c.optedOut {
			t.Errorf("%s, opted out: got %v", c.filters, got)
		}
	}
}

func bought(ago time.Duration, price any) engine.Event {
	return engine.Event{Name: "Bought", At: noon.Add(-ago), Attributes: map[string]any{"price": price, "color": "Red"}}
}

func TestActions(t *testing.T) {
	const day = 24 * time.Hour
	twice := engine.User{Events: []engine.Event{
		bought(40*day, 10.0), {Name: "Seen", At: noon.Add(-2 * day)}, bought(3*day, 600.0),
	}}
	never := engine.User{Events: []engine.Event{{Name: "Seen", At: noon}}}
	price := `{"filter_type":"user_attributes","name":"price","data_type":"double","operator":"greaterThan","value":500}`
	cheap := `{"filter_type":"user_attributes","name":"price","data_type":"double","operator":"lessThan","value":500}`
	lately := `{"name":"Event Time (Standard)","data_type":"datetime","operator":"inTheLast","value":7}`
	execution := func(how string, n int) string { return fmt.Sprintf(`"execution":{"type":%q,"count":%d}`, how, n) }
	for _, c := range []struct {
		filter       string
		twice, never bool
	}{
		{`"executed":true`, true, false},
		{`"executed":false`, false, true},
		{execution("atleast", 1), true, false},
		{execution("atleast", 2), true, false},
		{execution("atleast", 3), false, false},
		{execution("atleast", 0), true, true},
		{execution("atmost", 2), true, true},
		{execution("atmost", 1), false, true},
		{execution("exactly", 2), true, false},
		{execution("exactly", 1), false, false},
		{execution("exactly", 0), false, true},
		{`"executed":false,` + execution("atleast", 2), false, true},
		{`"executed":false,` + execution("atleast", 3), true, true},
		{`"executed":false,` + execution("exactly", 2), false, true},
		{`"executed":false,` + execution("atmost", 1), true, false},
		{`"executed":false,` + execution("exactly", 0), false, true},
		{`"executed":false,` + execution("atleast", 0), false, true},
		{execution("exactly", 1) + `,"attributes":` + filterGroup("and", price), true, false},
		{execution("atleast", 2) + `,"attributes":` + filterGroup("and", price), false, false},
		{execution("atleast", 1) + `,"attributes":` + filterGroup("and", price, cheap), false, false},
		{execution("atleast", 2) + `,"attributes":` + filterGroup("or", price, cheap), true, false},
		{execution("exactly", 1) + `,"attributes":` + filterGroup("and", lately), true, false},
		{execution("atleast", 1) + `,"attributes":` + filterGroup("and", lately, cheap), false, false},
		{execution("atleast", 1) + `,"attributes":` + filterGroup("and", lately, price), true, false},
		{`"executed":false,"attributes":` + filterGroup("and", lately, cheap), true, true},
		{execution("atleast", 2) + `,"attributes":{"filter_operator":"and","filters":[]}`, true, false},
		{execution("atleast", 1) + `,"attributes":` + filterGroup("and", strings.Replace(price, `"value"`, `"negate":true,"value"`, 1)), true, false},
	} {
		a := compiled(t, `{"filters":[{"filter_type":"actions","action_name":"Bought",`+c.filter+`}]}`, Env{})
		for name, p := range map[string]struct {
			engine.User
			want bool
		}{"twice": {twice, c.twice}, "never": {never, c.never}} {
			if got := a.Match(&p.User); got != p.want {
				t.Errorf("%s, %s: got %v", c.filter, name, got)
			}
			if r := a.Explain(&p.User); r.Matched != p.want {
				t.Errorf("%s, %s: explained as %v", c.filter, name, r.Matched)
			}
		}
	}
}

func inSegment(name string) string { return `{"filter_type":"custom_segments","name":"` + name + `"}` }

func TestSegments(t *testing.T) {
	w := engine.Workspace{Segments: []engine.Segment{
		{ID: "1", Name: "Listed", Members: []string{"ann", "bob"}},
		{ID: "2", Name: "All", Filters: plainGroup(t, filterGroup("and", yes))},
		{ID: "3", Name: "Both", Members: []string{"ann"}, Filters: plainGroup(t, filterGroup("and", no))},
		{ID: "4", Name: "Outer", Filters: plainGroup(t, filterGroup("or", inSegment("Listed"), inSegment("Listed")))},
		{ID: "5", Name: "Bare"},
		{ID: "6", Name: "Circle", Filters: plainGroup(t, filterGroup("and", inSegment("Back")))},
		{ID: "7", Name: "Back", Filters: plainGroup(t, filterGroup("and", yes, inSegment("Circle")))},
		{ID: "8", Name: "Unfinished", Filters: plainGroup(t, filterGroup("and", `{"filter_type":"actions"}`))},
	}}
	ann, eve := engine.User{ID: "ann"}, engine.User{ID: "eve"}
	for _, c := range []struct {
		filter   string
		ann, eve bool
	}{
		{inSegment("Listed"), true, false},
		{`{"filter_type":"custom_segments","id":"1"}`, true, false},
		{`{"filter_type":"custom_segments","id":"2","name":"Listed"}`, true, true}, // the id counts
		{inSegment("All"), true, true},
		{inSegment("Both"), true, false},
		{inSegment("Outer"), true, false},
		{inSegment("Bare"), false, false},
	} {
		a := compiled(t, filterGroup("and", c.filter), Env{Workspace: w})
		if got := a.Match(&ann); got != c.ann {
			t.Errorf("%s: ann is %v", c.filter, got)
		}
		if got := a.Match(&eve); got != c.eve {
			t.Errorf("%s: eve is %v", c.filter, got)
		}
	}
	for filter, want := range map[string]string{
		inSegment("Circle"):     `filters[0]: the segment "Circle" refers to itself: Circle, then Back, then Circle`,
		inSegment("Gone"):       `filters[0].name: there is no segment named "Gone" in this workspace`,
		inSegment(""):           `filters[0].name: choose a segment`,
		inSegment("Unfinished"): `filters[0]: the segment "Unfinished" can't be used: filters[0].action_name: choose an event`,
		`{"filter_type":"custom_segments","id":"9","name":"Listed"}`: `filters[0].id: there is no segment with the ID "9" in this workspace`,
	} {
		a, problems := Compile(parsed(t, filterGroup("and", filter)), Env{Workspace: w})
		if a != nil || len(problems) != 1 || problems[0].String() != want {
			t.Errorf("%s: got %v, want %s", filter, problems, want)
		}
	}
}

// What is unfinished or wrong is named with its place, and nothing is evaluated.
func TestProblems(t *testing.T) {
	const attribute = `"filter_type":"user_attributes"`
	for filter, want := range map[string]string{
		`{` + attribute + `}`:                                                                          "filters[0].name",
		`{` + attribute + `,"name":"x"}`:                                                               "filters[0].data_type",
		`{` + attribute + `,"name":"x","data_type":"money"}`:                                           "filters[0].data_type",
		`{` + attribute + `,"name":"x","data_type":"bool"}`:                                            "filters[0].operator",
		`{` + attribute + `,"name":"x","data_type":"bool","operator":"today"}`:                         "filters[0].operator",
		`{` + attribute + `,"name":"x","data_type":"bool","operator":"is"}`:                            "filters[0].value",
		`{` + attribute + `,"name":"x","data_type":"bool","operator":"is","value":"maybe"}`:            "filters[0].value",
		`{` + attribute + `,"name":"x","data_type":"string","operator":"in","value":[]}`:               "filters[0].value",
		`{` + attribute + `,"name":"x","data_type":"double","operator":"between","value":[1]}`:         "filters[0].value",
		`{` + attribute + `,"name":"x","data_type":"double","operator":"between","value":1}`:           "filters[0].value",
		`{` + attribute + `,"name":"x","data_type":"datetime","operator":"on","value":"soon"}`:         "filters[0].value",
		`{` + attribute + `,"name":"x","data_type":"double","operator":"in","value":"{{ a }}"}`:        "filters[0].value",
		`{"filter_type":"actions"}`:                                                                    "filters[0].action_name",
		`{"filter_type":"actions","action_name":"x","execution":{"count":1}}`:                          "filters[0].execution.type",
		`{"filter_type":"actions","action_name":"x","execution":{"type":"atleast"}}`:                   "filters[0].execution.count",
		`{"filter_type":"actions","action_name":"x","execution":{"type":"atleast","count":-1}}`:        "filters[0].execution.count",
		`{"filter_type":"actions","action_name":"x","attributes":{"filters":[{}]}}`:                    "filters[0].attributes.filters[0].name",
		`{"filter_type":"actions","action_name":"x","attributes":{"filters":[` + inSegment("") + `]}}`: "filters[0].attributes.filters[0].filter_type",
		`{"filter_type":"event_attributes"}`:                                                           "filters[0].filter_type",
		`{"filter_type":"actions","action_name":"x","attributes":{"filters":[{"filter_type":"event_attributes","name":"x","data_type":"string","operator":"exists"}]}}`: "filters[0].attributes.filters[0].filter_type",
		`{}`: "filters[0].filter_type",
		`7`:  "filters[0].filter_type",
		`{"filter_operator":"xor","filters":[` + yes + `]}`: "filters[0].filter_operator",
		`{"filters":7}`: "filters[0].filters",
	} {
		a, problems := Compile(parsed(t, `{"filters":[`+filter+`]}`), Env{})
		if a != nil || len(problems) != 1 || problems[0].Path.String() != want || problems[0].Message == "" {
			t.Errorf("%s: got %v, want a problem at %s", filter, problems, want)
		}
	}
}

func TestExpressions(t *testing.T) {
	env := Env{Resolve: func(p *engine.User, expression string) (string, bool) {
		s, ok := p.Attributes[strings.Trim(expression, "{} ")].(string)
		return s, ok
	}}
	home := engine.User{Attributes: map[string]any{"City": "Berlin", "Home": "berlin", "Orders": 5, "Limit": "4"}}
	away := engine.User{Attributes: map[string]any{"City": "Berlin", "Home": "Bonn", "Orders": 5, "Limit": "6"}}
	unknown := engine.User{Attributes: map[string]any{"City": "Berlin", "Orders": 5, "Limit": "many"}}
	for _, c := range []struct {
		filter              string
		home, away, unknown bool
	}{
		{`"name":"City","data_type":"string","operator":"is","value":"{{ Home }}"`, true, false, false},
		{`"name":"City","data_type":"string","operator":"is","value":"Home","is_dynamic_value":true`, true, false, false},
		{`"name":"City","data_type":"string","operator":"is","value":"{{ Home }}","negate":true`, false, true, false},
		{`"name":"City","data_type":"string","operator":"in","value":["Rome","{{ Home }}"]`, true, false, false},
		{`"name":"Orders","data_type":"double","operator":"greaterThan","value":"{{ Limit }}"`, true, false, false},
		{`"name":"Orders","data_type":"double","operator":"between","value":1,"value1":"{{ Limit }}"`, false, true, false},
	} {
		a := compiled(t, `{"filters":[{"filter_type":"user_attributes",`+c.filter+`}]}`, env)
		if got := []bool{a.Match(&home), a.Match(&away), a.Match(&unknown)}; !slices.Equal(got, []bool{c.home, c.away, c.unknown}) {
			t.Errorf("%s: got %v", c.filter, got)
		}
	}
}

func TestExplain(t *testing.T) {
	filters := `{"included_filters":` + filterGroup("and",
		`{"filter_type":"user_attributes","name":"Country","data_type":"string","operator":"in","value":["India","Nepal"]}`,
		`{"filter_type":"actions","action_name":"Bought","execution":{"type":"atleast","count":2},"attributes":`+
			filterGroup("and", `{"filter_type":"user_attributes","name":"price","data_type":"double","operator":"greaterThan","value":500}`)+`}`) +
		`,"excluded_filters":` + filterGroup("or", inSegment("Staff")) + `}`
	a := compiled(t, filters, Env{Workspace: engine.Workspace{Segments: []engine.Segment{{Name: "Staff", Members: []string{"boss"}}}}})
	p := engine.User{ID: "boss", OptedOut: true, Attributes: map[string]any{"Country": "Peru"}, Events: []engine.Event{bought(0, 10.0), bought(0, 600.0)}}
	var got []string
	var walk func(r engine.AudienceResult, depth int)
	walk = func(r engine.AudienceResult, depth int) {
		got = append(got, fmt.Sprintf("%s%s %v: %s (%s)", strings.Repeat("  ", depth), r.Path, r.Matched, r.Words, r.Found))
		for _, c := range r.Children {
			walk(c, depth+1)
		}
	}
	walk(a.Explain(&p), 0)
	want := []string{
		" false: Users whose Country is India or Nepal, and who did Bought at least 2 times with price above 500; not those in the segment Staff. ()",
		"  send_campaign_to_opt_out_users false: Has not opted out (has opted out)",
		"  included_filters false: All of these ()",
		"    included_filters.filters[0] false: Country is India or Nepal (Country is Peru)",
		"    included_filters.filters[1] false: Did Bought at least 2 times (did it 2 times, 1 with these attributes)",
		"      included_filters.filters[1].attributes.filters[0] true: price is above 500 (true of 1 of 2)",
		"  excluded_filters true: Any of these ()",
		"    excluded_filters.filters[0] true: In the segment Staff (is on the segment's list)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var decisive []string
	for _, r := range a.Explain(&p).Decisive() {
		decisive = append(decisive, r.Words)
	}
	if want := []string{"Has not opted out", "Country is India or Nepal", "Did Bought at least 2 times", "In the segment Staff"}; !slices.Equal(decisive, want) {
		t.Errorf("decisive are %q, want %q", decisive, want)
	}
	in := engine.User{ID: "ann", Attributes: map[string]any{"Country": "Nepal"}, Events: []engine.Event{bought(0, 700), bought(0, 600.0)}}
	if r := a.Explain(&in); !r.Matched || len(r.Decisive()) != 4 {
		t.Errorf("one who is in: %+v", r)
	}
}
