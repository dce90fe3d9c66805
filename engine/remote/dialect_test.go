package remote_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/remote"
	"bugle/engine/schema"
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
	if changed < 20 {
		t.Errorf("the dialect changed only %d documents", changed)
	}
}

func TestDialectTouchesOnlyTheTablesWords(t *testing.T) {
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
	for in, want := range map[string]string{
		`{"header":{}}`:                     "unknown field",
		`{} {}`:                             "more after its end",
		`[`:                                 "cannot be read",
		`{"status_method":"PUT"}`:           "POST or PATCH",
		`{"values":{"SVC_*":"ACME"}}`:       "both end in *",
		`{"values":{"*":"ACME_*"}}`:         "empty",
		`{"values":{"OPTIMIZER":"MANUAL"}}`: "could not be told apart",
		`{"members":{"name":"tags"}}`:       "could not be told apart",
		`{"values":{"OPTIMIZER":"A","MANUAL":"A"}}`:         "could not be told apart",
		`{"headers":{"X-SVC-Tenant-ID":"no name"}}`:         "no name of a header",
		`{"headers":{"X-SVC-Tenant-ID":"Idempotency-Key"}}`: "could not be told apart",
	} {
		if _, err := remote.ParseDialect([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", in, err, want)
		}
	}
}

func ExampleParseDialect() {
	d, err := remote.ParseDialect([]byte(`{"values": {"SVC_*": "ACME_*"}, "status_method": "PATCH"}`))
	fmt.Println(d.Values["SVC_*"], d.StatusMethod, err)
	// Output: ACME_* PATCH <nil>
}
