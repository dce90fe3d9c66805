package forms

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

func zoned(t *testing.T, zone string) *Form {
	t.Helper()
	cfg := config(parse(t, `{"campaign_delivery_type":"ONE_TIME","scheduling_details":{"timezone":"`+zone+`"}}`), "scheduling_details")
	cfg.Suggest = nil
	cfg.Schema, cfg.Env = catalog.Campaign(catalog.Email), schema.Env{Stage: schema.Publish}
	return at(t, newForm(cfg), "scheduling_details", "timezone")
}

func holding(zone string) string {
	return `{"campaign_delivery_type":"ONE_TIME","scheduling_details":{"timezone":"` + zone + `"}}`
}

// The first letter in a field with suggestions and a value searches for another value. Esc returns to the old one; what
// was typed stays, however else the field is left.
func TestTypingReplacesValue(t *testing.T) {
	for _, tt := range []struct{ keys, becomes string }{
		{"europe/par,enter", "Europe/Paris"},
		{"europe/par,esc", "Europe/Berlin"},
		{"europe/par,up", "europe/par"},
		{"x,backspace,enter", "Europe/Berlin"}, // without a text, there is nothing to accept
		{"Mars,enter", "Mars"},
		{"end,x,backspace", "Europe/Berlin"}, // arrows, home and end edit the text in place
		{"home,x", "xEurope/Berlin"},
	} {
		f := zoned(t, "Europe/Berlin")
		press(f, strings.Split(tt.keys, ",")...)
		want(t, f, holding(tt.becomes))
	}
	f := zoned(t, "Europe/Berlin")
	press(f, "europe/par")
	shows(t, f, "> Europe/Paris", "Press esc to keep “Europe/Berlin”.")
	if !f.Modal() {
		t.Error("esc would leave the form")
	}
}

// Words that cannot be read stay in their row, marked and with the reason, until they are right.
func TestUnreadableWordsStay(t *testing.T) {
	for _, tt := range []struct{ in, field, typed, reason string }{
		{`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00"}`, "start_time", "next frday", "!"},
		{`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","timezone":"Europe/Berlin"}`, "timezone", "Mars", "Must be"},
		{`"delivery_controls":{"campaign_throttle_rpm":5}`, "campaign_throttle_rpm", "lots", "Must be a whole number"},
		{`"trigger_condition":{"trigger_delay_type":"DELAY","trigger_delay_value":2,"trigger_delay_granularity":"HOURS"}`, "trigger_delay_value", "shortly", "shortly"},
		{`"basic_details":{"name":"x"}`, "name", "", ""},
	} {
		for _, leave := range []string{"up", "tab", "enter"} {
			root := parse(t, `{"campaign_delivery_type":"EVENT_TRIGGERED",`+tt.in+`}`)
			component := ""
			for name, v := range root.Members() {
				if v.Kind() == doc.Object {
					component = name
				}
			}
			cfg := config(root, component)
			cfg.Schema, cfg.Suggest, cfg.Env, cfg.Now = catalog.Campaign(catalog.Email), nil, schema.Env{Stage: schema.Publish}, nil
			f := at(t, newForm(cfg), component, tt.field)
			press(f, "ctrl+u", tt.typed)
			press(f, leave)
			shows(t, f, tt.typed)
			again, _ := f.Edited() // after leaving the form
			cfg.Root = again
			shows(t, at(t, newForm(cfg), component, tt.field), tt.typed, tt.reason)
		}
	}
}

// A click elsewhere keeps the name that is being typed.
func TestClickKeepsTypedName(t *testing.T) {
	f := open(t, `{"pairs":{"a":1,"b":2}}`, "pairs")
	press(f, "ctrl+end", "enter", "new")
	f.Update(tea.MouseMsg{Button: tea.MouseButtonLeft, Action: tea.MouseActionPress, X: 1, Y: 0})
	want(t, f, `{"pairs":{"a":1,"b":2,"new":0}}`)
	press(f, "ctrl+end", "enter", "b")
	f.Update(tea.MouseMsg{Button: tea.MouseButtonLeft, Action: tea.MouseActionPress, X: 1, Y: 0})
	shows(t, f, "already", "name: b")
}
