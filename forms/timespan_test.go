package forms

import (
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/schema"
)

// openDelay opens the form of a trigger with a delay, in a workspace whose event has two dates.
func openDelay(t *testing.T, more string) *Form {
	t.Helper()
	cfg := config(parse(t, `{"campaign_delivery_type":"EVENT_TRIGGERED","trigger_condition":{"trigger_delay_type":"DELAY"`+more+`}}`), "trigger_condition")
	cfg.Schema, cfg.Env = catalog.Campaign(catalog.Email), schema.Env{Stage: schema.Publish}
	cfg.Suggest = func(list string) []string {
		if list == "trigger_dates" {
			return []string{"arrives_on", "departure_time"}
		}
		return nil
	}
	return at(t, newForm(cfg), "trigger_condition", "trigger_delay_value")
}

// A delay is one line: amount, unit, before or after, and the date that it is relative to.
func TestTimespanIsOneLine(t *testing.T) {
	const begin = `{"campaign_delivery_type":"EVENT_TRIGGERED","trigger_condition":{"trigger_delay_type":"DELAY"`
	whole := func(amount, unit, side, date string) string {
		s := begin + `,"trigger_delay_value":` + amount + `,"trigger_delay_granularity":"` + unit + `","trigger_relation":"` + side + `"`
		if date != "" {
			s += `,"trigger_attr":{"name":"` + date + `"}`
		}
		return s + `}}`
	}
	for _, tt := range []struct{ typed, becomes, says string }{
		{"2h", whole("2", "HOURS", "AFTER", ""), "2 hours after the event"},
		{"1 d", whole("1", "DAYS", "AFTER", ""), "1 day after the event"},
		{"30 min after the event", whole("30", "MINUTES", "AFTER", ""), "30 minutes after the event"},
		{"3 days before Departure_Time", whole("3", "DAYS", "BEFORE", "departure_time"), "3 days before departure_time"},
		{"3 days before the arrives_on", whole("3", "DAYS", "BEFORE", "arrives_on"), "3 days before arrives_on"},
		{"2 hours before", whole("2", "HOURS", "BEFORE", "arrives_on"), "2 hours before arrives_on"}, // the highlighted suggestion
		{"5", whole("5", "MINUTES", "AFTER", ""), "5 minutes after the event"},
		{"soon", begin + `,"trigger_delay_value":"soon"}}`, "soon"},
	} {
		f := openDelay(t, "")
		shows(t, f, "▸ Delay *", "2 hours after the event")
		hides(t, f, "Delay unit")
		hides(t, f, "Before or after")
		hides(t, f, "Date attribute")
		press(f, tt.typed, "enter", "shift+tab", "up")
		want(t, f, tt.becomes)
		shows(t, f, tt.says)
	}
}

// What a line cannot express stays in separate fields, and a problem of a part is shown at the line.
func TestTimespanKeepsOtherFields(t *testing.T) {
	f := openDelay(t, `,"trigger_delay_value":2,"trigger_delay_granularity":"WEEKS"`)
	shows(t, f, "Delay unit", "WEEKS", "Before or after")
	f = openDelay(t, `,"trigger_delay_value":2.0,"trigger_delay_granularity":"HOURS"`)
	at(t, f, "trigger_condition", "trigger_relation")
	shows(t, f, "▸ Delay *", "2.0 hours", "! Required")
	press(f, "up")
	want(t, f, `{"campaign_delivery_type":"EVENT_TRIGGERED","trigger_condition":{"trigger_delay_type":"DELAY","trigger_delay_value":2.0,"trigger_delay_granularity":"HOURS"}}`)
	at(t, f, "trigger_condition", "trigger_delay_value")
	press(f, "ctrl+x")
	want(t, f, `{"campaign_delivery_type":"EVENT_TRIGGERED","trigger_condition":{"trigger_delay_type":"DELAY"}}`)
}
