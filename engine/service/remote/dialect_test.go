package remote_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/service/remote"
)

// words that documents of the property test are made of: what tables know, what the dialect makes
// of it, and neither.
var someWords = []string{
	"OPTIMIZER", "ACME", "SVC_GAID", "ACME_GAID", "SVC_X", "Rich Editor", "Acme Editor", "MANUAL", "x", "",
	"optimizer_distribution_metric", "acme_distribution_metric", "optimizer_x", "SCHEDULED", "PLANNED",
}

// leads finds the nodes below which the dialect has another word for something.
func leads(n *schema.Node, seen map[*schema.Node]bool) bool {
	if was, ok := seen[n]; ok {
		return was
	}
	seen[n] = strings.HasPrefix(n.Name, "optimizer_") || slices.ContainsFunc(n.Options, func(o schema.Option) bool { return slices.Contains(someWords, o.Value) })
	for _, c := range n.Children {
		seen[n] = leads(c, seen) || seen[n]
	}
	if n.Element != nil {
		seen[n] = leads(n.Element, seen) || seen[n]
	}
	return seen[n]
}

// document draws a tree along the tables, mostly where the dialect has something to do, in which
// anything may be that they do not know.
func document(t *rapid.T, n *schema.Node, seen map[*schema.Node]bool, depth int) doc.Value {
	odd := rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", "", "", "", "word", "number"}).Draw(t, "odd")
	var towards []*schema.Node
	for _, c := range n.Children {
		if leads(c, seen) {
			towards = append(towards, c)
		}
	}
	switch {
	case odd == "number":
		v, _ := doc.NewNumber(rapid.SampledFrom([]string{"1.0", "-0", "1E2"}).Draw(t, "number"))
		return v
	case odd == "word" || depth > 9:
	case n.Kind == schema.List && n.Element != nil:
		var vs []doc.Value
		for range rapid.IntRange(1, 3).Draw(t, "length") {
			vs = append(vs, document(t, n.Element, seen, depth+1))
		}
		return doc.NewArray(vs...)
	case len(n.Children) > 0 || n.Element != nil:
		var ms []doc.Member
		for range rapid.IntRange(2, 5).Draw(t, "members") {
			name, below := rapid.SampledFrom(someWords).Draw(t, "name"), n
			switch {
			case len(towards) > 0 && rapid.Bool().Draw(t, "towards"):
				below = rapid.SampledFrom(towards).Draw(t, "child")
				name = below.Name
			case len(n.Children) > 0 && rapid.Bool().Draw(t, "known"):
				below = rapid.SampledFrom(n.Children).Draw(t, "any child")
				name = below.Name
			case n.Element != nil:
				below = n.Element
			}
			ms = append(ms, doc.M(name, document(t, below, seen, depth+1)))
		}
		return doc.NewObject(ms...)
	case len(n.Options) > 0 && rapid.Bool().Draw(t, "option"):
		return doc.NewString(rapid.SampledFrom(n.Options).Draw(t, "value").Value)
	}
	return doc.NewString(rapid.SampledFrom(someWords).Draw(t, "text"))
}

// There and back again, whatever stands in a document: nothing is lost, not even what has the
// service's own words where ours belong.
func TestDialectRoundTrip(t *testing.T) {
	out, in, _, err := remote.Words(acme)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[*schema.Node]bool{}
	var roots []*schema.Node
	for _, name := range slices.Sorted(maps.Keys(catalog.All())) {
		if root := catalog.All()[name].Root(); leads(root, seen) {
			roots = append(roots, root)
		}
	}
	changed := 0
	rapid.Check(t, func(t *rapid.T) {
		v := document(t, rapid.SampledFrom(roots).Draw(t, "table"), seen, 0)
		sent := out(v)
		if !sent.Same(v) {
			changed++
		}
		if back := in(sent); string(back.Encode()) != string(v.Encode()) {
			t.Fatalf("%s\nbecame %s\nand then %s", v.Encode(), sent.Encode(), back.Encode())
		}
		// The other way round: what the service says goes back to it as it came.
		if again := out(in(v)); string(again.Encode()) != string(v.Encode()) {
			t.Fatalf("%s\ncame back as %s", v.Encode(), again.Encode())
		}
	})
	if changed < 5 { // of a hundred at random; 20 is already rare
		t.Errorf("the dialect changed only %d documents", changed)
	}
}

func TestDialectOnlyChangesKnownWords(t *testing.T) {
	out, _, path, err := remote.Words(acme)
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`{"campaign_content":{"variation_details":{"distribution_type":"OPTIMIZER","optimizer_x":1.0,"optimizer_distribution_metric":"BOTH"}}}`: `{"campaign_content":{"variation_details":{"distribution_type":"ACME","optimizer_x":1.0,"acme_distribution_metric":"BOTH"}}}`,
		`{"test_campaign_meta":{"identifier":"SVC_GAID","identifier_values":["SVC_GAID"]}}`:                                                     `{"test_campaign_meta":{"identifier":"ACME_GAID","identifier_values":["SVC_GAID"]}}`,
		`{"basic_details":{"name":"OPTIMIZER","tags":["Rich Editor"]},"optimizer_distribution_metric":"OPTIMIZER"}`:                             ``,
		`{"personalization_details":{"user_attributes":{"optimizer_distribution_metric":"OPTIMIZER"}}}`:                                         ``,
		`{"campaign_fields":{"status":["DRAFT","SCHEDULED"],"name":"SCHEDULED"}}`:                                                               `{"campaign_fields":{"status":["DRAFT","PLANNED"],"name":"SCHEDULED"}}`,
	} {
		if want == "" {
			want = in
		}
		if got := string(out(parse(t, in)).Encode()); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for in, want := range map[string]string{
		"campaign_content.variation_details.acme_distribution_metric": "campaign_content.variation_details.optimizer_distribution_metric",
		"basic_details.acme_distribution_metric":                      "basic_details.acme_distribution_metric",
		"not a [path":                                                 "not a [path", "": "",
	} {
		if got := path(in); got != want {
			t.Errorf("path %q became %q, want %q", in, got, want)
		}
	}
}

func TestParseDialect(t *testing.T) {
	d, err := remote.ParseDialect([]byte(`{"headers":{"X-SVC-Tenant-ID":"ACME-APPKEY"},"members":{"optimizer_*":"acme_*"},"values":{"OPTIMIZER":"ACME"},"status_method":"PATCH"}`))
	if err != nil || d.StatusMethod != "PATCH" || d.Empty() {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := remote.ParseDialect([]byte(`{}`)); err != nil || !d.Empty() {
		t.Errorf("%+v, %v", d, err)
	}
	const level = "advanced.platform_level_priority.*.interruption_level"
	for in, want := range map[string]string{
		"{\n  \"header\": {}\n}":                            "line 2, column 3: header: ",
		`{} {}`:                                             "line 1, column 4: ",
		"{\n\n[":                                            "line 3, column 2: ",
		`[]`:                                                "line 1, column 1: ",
		`{"values":{"a":"b","a":"c"}}`:                      "line 1, column 20: ",
		`{"status_method":"PUT"}`:                           "line 1, column 2: status_method: ",
		`{"values":{"SVC_*":"ACME"}}`:                       "line 1, column 12: values.SVC_*: either both or none of \"SVC_*\" and \"ACME\" must end in *",
		`{"values":{"*":"ACME_*"}}`:                         "empty",
		`{"values":{"OPTIMIZER":""}}`:                       "column 12: values.OPTIMIZER: ",
		`{"values":{"OPTIMIZER":3}}`:                        "column 12: values.OPTIMIZER: must be a string, or an object of strings",
		`{"values":{"OPTIMIZER":"MANUAL"}}`:                 "two names cannot have the same translation",
		`{"members":{"name":"tags"}}`:                       "two names cannot have the same translation",
		`{"values":{"OPTIMIZER":"A","MANUAL":"A"}}`:         "two names cannot have the same translation",
		`{"headers":{"X-SVC-Tenant-ID":"no name"}}`:         "the name of a header",
		`{"headers":{"X-SVC-Tenant-ID":"Idempotency-Key"}}`: "two names cannot have the same translation",

		// A path has words of its own.
		`{"values":{"` + level + `":{"Active":"Passive"}}}`:                         `"Active" and "Passive" both become "Passive"`,
		`{"values":{"Critical":"X","` + level + `":{"Active":"X"}}}`:                "two names cannot have the same translation",
		`{"values":{"` + level + `":{"Active":3}}}`:                                 `values["` + level + `"].Active: must be a string`,
		"{\"values\":{\"" + level + "\":{\n\"Active\":\"A\",\n \"Aktive\":\"B\"}}}": `line 3, column 2: values["` + level + `"].Aktive: there is no value of this field "Aktive"; allowed: Active, Critical, Passive, Time sensitive`,
		`{"values":{"advanced.interruption_level":{"Active":"A"}}}`:                 "no field with options has this path",
		`{"values":{"basic_details.name":{"Active":"A"}}}`:                          "no field with options has this path",
		`{"unwrap":{"trigger_condition.trigger":"name"}}`:                           "no object in a request has this path",
		`{"unwrap":{"trigger_condition.trigger_attr":"id"}}`:                        `there is no field of this object "id"; allowed: name`,

		// What the specification does not have would do nothing.
		`{"values":{"OPTIMISER":"ACME"}}`: `there is no value "OPTIMISER"`,
		`{"values":{"SVX_*":"ACME_*"}}`:   `no value begins with "SVX_"`,
		`{"members":{"nmae":"acme"}}`:     `there is no field "nmae"`,
		`{"headers":{"X-SVC-App":"A"}}`:   `there is no header`,
	} {
		_, err := remote.ParseDialect([]byte(in))
		var wrong *remote.DialectError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", in, err, want)
		}
	}
	_, err = remote.ParseDialect([]byte("{\"values\": {\n\t\"A\": \"B\"},\n\"members\": {\"C\": \"D\"}}"))
	if got := strings.Count(fmt.Sprint(err), "\n") + 1; got != 2 {
		t.Errorf("%d problems are reported, want both:\n%v", got, err)
	}
}

// A profile that was made with another version keeps working, though a word of its dialect does nothing.
func TestDialectOfAnotherVersion(t *testing.T) {
	for _, d := range []remote.Dialect{
		{Values: map[string]string{"NO_LONGER": "X"}},
		{FieldValues: map[string]map[string]string{"no.longer": {"A": "B"}}},
		{Unwrap: map[string]string{"no.longer": "name"}},
	} {
		if err := d.Check(); err != nil {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

func TestDialectInJSON(t *testing.T) {
	for _, want := range []string{
		`{}`,
		`{"headers":{"X-SVC-*":"X-ACME-*"},"members":{"optimizer_*":"acme_*"},"status_method":"PATCH"}`,
		`{"values":{"OPTIMIZER":"ACME","campaign_fields.status":{"SENT":"COMPLETED"}},"unwrap":{"trigger_condition.trigger_attr":"name"}}`,
	} {
		d, err := remote.ParseDialect([]byte(want))
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(d)
		if err != nil || string(b) != want {
			t.Errorf("%s became %s, %v", want, b, err)
		}
		if d.Empty() != (want == "{}") {
			t.Errorf("%s is said to be empty: %t", want, d.Empty())
		}
	}
}

// One word may mean different things in different fields.
func TestDialectByPath(t *testing.T) {
	d, err := remote.ParseDialect([]byte(`{
		"values": {
			"SVC_*": "ACME_*",
			"advanced.platform_level_priority.*.interruption_level": {"Active": "ACTIVE", "Time sensitive": "TIME_SENSITIVE"},
			"test_campaign_meta.identifier": {"EMAIL": "MAIL"},
			"**.included_filters.**.operator": {"in": "IN"},
			"campaign_content.**.email_editor": {"Rich Editor": "Acme Editor"},
			"scheduling_details.periodic_details.repeat_on_days_of_week[]": {"MONDAY": "MON"},
			"campaign_fields.status": {"SENT": "COMPLETED"}
		},
		"unwrap": {"trigger_condition.trigger_attr": "name"}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	out, in, _, err := remote.Words(d)
	if err != nil {
		t.Fatal(err)
	}
	nested := func(op, other string) string {
		return `{"segmentation_details":{"included_filters":{"filters":[{"operator":"` + op + `","attributes":{"filters":[{"operator":"` + op + `"}]}}]},"excluded_filters":{"filters":[{"operator":"` + other + `"}]}}}`
	}
	for ours, theirs := range map[string]string{
		`{"advanced":{"platform_level_priority":{"ios_specific_priority":{"interruption_level":"Active"}}}}`: `{"advanced":{"platform_level_priority":{"ios_specific_priority":{"interruption_level":"ACTIVE"}}}}`,
		`{"campaign_fields":{"status":["ACTIVE","SENT"]}}`:                                                   `{"campaign_fields":{"status":["ACTIVE","COMPLETED"]}}`,
		`{"test_campaign_meta":{"identifier":"EMAIL"},"channel":"EMAIL"}`:                                    `{"test_campaign_meta":{"identifier":"MAIL"},"channel":"EMAIL"}`,
		`{"test_campaign_meta":{"identifier":"SVC_GAID"}}`:                                                   `{"test_campaign_meta":{"identifier":"ACME_GAID"}}`,
		`{"user_identification":{"type":"SVC_GAID"}}`:                                                        `{"user_identification":{"type":"ACME_GAID"}}`,
		nested("in", "in"): nested("IN", "in"),
		`{"campaign_content":{"content":{"email":{"email_editor":"Rich Editor"}}}}`:                        `{"campaign_content":{"content":{"email":{"email_editor":"Acme Editor"}}}}`,
		`{"campaign_content":{"content":{"de":{"variation_1":{"email":{"email_editor":"Rich Editor"}}}}}}`: `{"campaign_content":{"content":{"de":{"variation_1":{"email":{"email_editor":"Acme Editor"}}}}}}`,
		`{"scheduling_details":{"periodic_details":{"repeat_on_days_of_week":["MONDAY","FRIDAY"]}}}`:       `{"scheduling_details":{"periodic_details":{"repeat_on_days_of_week":["MON","FRIDAY"]}}}`,
		`{"trigger_condition":{"trigger_attr":{"name":"Booked \u0061t"}}}`:                                 `{"trigger_condition":{"trigger_attr":"Booked \u0061t"}}`,
		`{"trigger_condition":{"trigger_attr":{"name":"x","more":1.0}}}`:                                   `{"trigger_condition":{"trigger_attr":{"name":"x","more":1.0}}}`,
		`{"trigger_condition":{"trigger_attr":{"name":7}}}`:                                                `{"trigger_condition":{"trigger_attr":{"name":7}}}`,
		`{"trigger_condition":{"trigger_attr":{}}}`:                                                        `{"trigger_condition":{"trigger_attr":{}}}`,
	} {
		if got := string(out(parse(t, ours)).Encode()); got != theirs {
			t.Errorf("%s is sent as\n%s, want\n%s", ours, got, theirs)
		}
		if got := string(in(parse(t, theirs)).Encode()); got != ours {
			t.Errorf("%s is read as\n%s, want\n%s", theirs, got, ours)
		}
	}
	// A service that answers with the object is understood as well.
	const object = `{"trigger_condition":{"trigger_attr":{"name":"x"}}}`
	if got := string(in(parse(t, object)).Encode()); got != object {
		t.Errorf("%s is read as %s", object, got)
	}
	// Words that only other fields have do not stand in the way.
	if _, err := remote.ParseDialect([]byte(`{"values":{"Active":"ACTIVE"}}`)); err != nil {
		t.Error(err)
	}
}

// Without a dialect the words are those of the specification, both ways.
func TestDefaultDialect(t *testing.T) {
	out, in, path, err := remote.Words(remote.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	const words = `{"campaign_content":{"variation_details":{"distribution_type":"OPTIMIZER","optimizer_distribution_metric":"BOTH"},"content":{"email":{"email_editor":"Rich Editor"}}},` +
		`"trigger_condition":{"trigger_attr":{"name":"x"}},"test_campaign_meta":{"identifier":"SVC_GAID"}}`
	if got := string(out(parse(t, words)).Encode()); got != words {
		t.Errorf("sent as %s", got)
	}
	if got := string(in(parse(t, words)).Encode()); got != words {
		t.Errorf("read as %s", got)
	}
	if got := path("a.optimizer_x"); got != "a.optimizer_x" {
		t.Errorf("the path became %s", got)
	}
	s, way := scripted(t, remote.Config{}, says(200, answeredDraft))
	if _, err := s.ChangeStatus(t.Context(), engine.StatusRequest{ID: answeredID, Action: catalog.Stop}); err != nil {
		t.Fatal(err)
	}
	if r := way.got[0]; r.Method != "POST" || r.Header.Get("X-SVC-Tenant-ID") != workspace || r.Header.Get("X-SVC-Request-Id") == "" {
		t.Errorf("%s with %v", r.Method, r.Header)
	}
}

// The states of records, which no table describes, follow those of the filters.
func TestDialectOfStates(t *testing.T) {
	d := remote.Dialect{FieldValues: map[string]map[string]string{"campaign_fields.status": {"SENT": "COMPLETED"}}}
	s, way := scripted(t, remote.Config{Dialect: d}, says(200, `{"response_id":"r","data":{"campaigns":[{"id":"1","status":"COMPLETED"}]}}`))
	found, err := s.Search(t.Context(), engine.SearchRequest{Status: []engine.State{catalog.Sent}, Limit: 1, Page: 1})
	if err != nil || len(found) != 1 || found[0].Status != catalog.Sent {
		t.Errorf("%+v, %v", found, err)
	}
	if !strings.Contains(way.bodies[0], `"status":["COMPLETED"]`) {
		t.Errorf("sent %s", way.bodies[0])
	}
}

func ExampleParseDialect() {
	d, err := remote.ParseDialect([]byte(`{"values": {"SVC_*": "ACME_*"}, "status_method": "PATCH"}`))
	fmt.Println(d.Values["SVC_*"], d.StatusMethod, err)
	// Output: ACME_* PATCH <nil>
}
