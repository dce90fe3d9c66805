package forms

import (
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/schema"
)

func zoned(t *testing.T, zone string) *Form {
	t.Helper()
	cfg := config(parse(t, `{"campaign_delivery_type":"ONE_TIME","scheduling_details":{"timezone":"`+zone+`"}}`), "scheduling_details")
	cfg.Suggest = nil
	cfg.Schema, cfg.Env = catalog.Campaign(catalog.Email), schema.Env{Stage: schema.Publish}
	return at(t, New(cfg), "scheduling_details", "timezone")
}

func holding(zone string) string {
	return `{"campaign_delivery_type":"ONE_TIME","scheduling_details":{"timezone":"` + zone + `"}}`
}

// The first letter in a field with suggestions and a value searches for another value; the old one stays until
// one is accepted.
func TestTypingReplacesValue(t *testing.T) {
	f := zoned(t, "Europe/Berlin")
	press(f, "europe/par")
	shows(t, f, "> Europe/Paris", "Press esc to keep “Europe/Berlin”.")
	want(t, f, holding("Europe/Berlin"))
	press(f, "enter")
	want(t, f, holding("Europe/Paris"))

	f = zoned(t, "Europe/Berlin")
	press(f, "europe/par")
	if !f.Modal() {
		t.Error("esc would leave the form")
	}
	press(f, "esc")
	shows(t, f, "▸ Time zone", "Europe/Berlin")
	hides(t, f, "Europe/Paris")
	want(t, f, holding("Europe/Berlin"))
	press(f, "europe/par", "up")
	want(t, f, holding("Europe/Berlin"))

	f = zoned(t, "Europe/Berlin") // other text can be accepted too
	press(f, "Mars", "enter")
	want(t, f, holding("Mars"))
}

// Arrows, home and end edit the text in place.
func TestArrowsEditInPlace(t *testing.T) {
	f := zoned(t, "Europe/Berli")
	press(f, "end", "n")
	want(t, f, holding("Europe/Berlin"))
	f = zoned(t, "urope/Berlin")
	press(f, "home", "E")
	want(t, f, holding("Europe/Berlin"))
	f = zoned(t, "Europe/Berlin")
	press(f, "backspace", "n")
	want(t, f, holding("Europe/Berlin"))
}
