package templates_test

import (
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/template"
	"bugle/engine/schema"
	"bugle/engine/templates"
)

// Each starter can be created as it is, and what it lacks to be published is only missing.
func TestStarters(t *testing.T) {
	all, err := templates.All()
	if err != nil || len(all) < 4 {
		t.Fatalf("%d starters, %v", len(all), err)
	}
	for _, s := range all {
		rec := engine.ParseRecord(s.Doc)
		body := engine.NewDraftBody(rec.Channel, rec.DeliveryType, "ann@example.com", rec.Body)
		if ps := schema.Errors(catalog.CreateRequest(rec.Channel).Validate(body, schema.Env{})); len(ps) > 0 || s.Title == "" || s.Help == "" {
			t.Errorf("%s cannot be created: %v", s.Title, ps)
		}
		for _, p := range schema.Errors(catalog.Campaign(rec.Channel).Validate(body, schema.Env{Stage: schema.Publish, Expression: template.Check})) {
			if !strings.Contains(p.Rule, "#required") {
				t.Errorf("%s: %s", s.Title, p)
			}
		}
	}
}
