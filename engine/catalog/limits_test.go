package catalog

import (
	"strings"
	"testing"

	"bugle/engine/schema"
)

// Every list of every table has a bound that holds whatever else the document says, and its export
// has it too.
func TestEveryListIsBounded(t *testing.T) {
	lists := 0
	for name, s := range All() {
		for _, n := range s.Nodes() {
			if n.Kind != schema.List || n.Like != "" {
				continue
			}
			lists++
			bound := 0
			for _, r := range n.Rules {
				if g, ok := r.(schema.Guard); ok && g.When == nil && g.At == 0 {
					r = g.Rule
				}
				if items, ok := r.(schema.Items); ok {
					bound = items.Max
				}
			}
			if bound == 0 || bound > manyItems {
				t.Errorf("%s: %s may have %d items", name, n.RuleID, bound)
			}
		}
	}
	if lists < 30 {
		t.Errorf("%d lists were looked at", lists)
	}
}

// The export has the bounds as maxItems.
func TestBoundsAreExported(t *testing.T) {
	out := string(CreateRequest(Push).JSONSchema(schema.ExportOptions{}).Encode())
	for _, want := range []string{`"maxItems":100`, `"maxItems":500`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in the JSON Schema", want)
		}
	}
}

func TestTagsAreBounded(t *testing.T) {
	body := func(n int) string {
		return `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","basic_details":{"name":"x","content_type":"TRANSACTIONAL","tags":[` +
			strings.TrimSuffix(strings.Repeat(`"t",`, n), ",") + `]}}`
	}
	for n, want := range map[int]string{0: "", fewItems: "", fewItems + 1: "basic_details.tags: must have at most 100 items, not 101"} {
		got := ""
		for _, p := range schema.Errors(CreateRequest(Email).Validate(mustParse(t, body(n)), schema.Env{})) {
			if p.Path.String() == "basic_details.tags" {
				got = p.String()
				if p.Section != refOwn {
					t.Errorf("its source is %q", p.Section)
				}
			}
		}
		if got != want {
			t.Errorf("%d tags: %q, want %q", n, got, want)
		}
	}
}
