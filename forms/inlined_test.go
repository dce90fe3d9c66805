package forms

import (
	"strings"
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// inlinedSchema is a schema whose title is in a nested object that is inlined.
func inlinedSchema() *schema.Schema {
	return schema.MustCompile(schema.Field{ID: "x", Kind: schema.Object, Ref: "test", Fields: []schema.Field{
		{Name: "channel", Kind: schema.String, Help: "Rarely used."},
		{
			Name: "details", Kind: schema.Object, Flat: true, Help: "The texts.", Required: []schema.Required{{}},
			Fields: []schema.Field{
				{Name: "sound", Kind: schema.String, Help: "Rarely used."},
				{Name: "title", Kind: schema.String, Help: "First.", Lead: 1, Required: []schema.Required{{}}},
				{Name: "text", Kind: schema.String, Help: "Second.", Lead: 2},
			},
		},
	}})
}

func TestInlinedObjectsAndLeads(t *testing.T) {
	cfg := config(parse(t, `{}`))
	cfg.Schema = inlinedSchema()
	f := newForm(cfg)
	var last int
	for _, part := range []string{"▸ Title", "Text", "More", "Channel", "Sound"} {
		at := strings.Index(f.View(), part)
		if at < last {
			t.Fatalf("%s is not in its place:\n%s", part, f.View())
		}
		last = at
	}
	shows(t, f, "! Required") // the details object is required, which its title shows
	hides(t, f, "Details")
	press(f, "Hi", "down", "there")
	want(t, f, `{"details":{"title":"Hi","text":"there"}}`)
	hides(t, f, "! Required")
	press(f, "ctrl+x", "up", "ctrl+x")
	want(t, f, `{}`)
	if !f.FocusPath(doc.P("details", "sound")) || !f.FocusPath(doc.P("details")) {
		t.Error("a place in a flat object cannot be focused")
	}

	cfg.Root = parse(t, `{"details":{"title":"Hi","own":1}}`)
	shows(t, newForm(cfg), "Not in the specification", "own")
	cfg.Root = parse(t, `{"details":"odd"}`)
	shows(t, newForm(cfg), "Details")
}

// A name that determines another field fills it in, and that field is not asked for.
func TestDerivedFields(t *testing.T) {
	cfg := config(parse(t, `{}`))
	cfg.Schema = schema.MustCompile(schema.Field{ID: "x", Kind: schema.Object, Ref: "test", Fields: []schema.Field{
		{Name: "kind", Kind: schema.String, Help: "What it is."},
		{Name: "name", Kind: schema.String, Help: "Which one.", Suggest: "names", Decides: &schema.Decision{Field: "kind", List: "pairs"}},
		{Name: "all", Title: "Send to", Kind: schema.Bool, Help: "How many.", Yes: "Everybody", No: "A few"},
	}})
	cfg.Suggest = func(list string) []string {
		return map[string][]string{"names": {"Main", "Other"}, "pairs": {"SMTP Main", "API Other", "SMTP Other"}}[list]
	}
	f := newForm(cfg)
	hides(t, f, "Kind")
	press(f, "Main")
	want(t, f, `{"name":"Main","kind":"SMTP"}`)
	hides(t, f, "Kind")
	press(f, "x")
	want(t, f, `{"name":"Mainx"}`)
	shows(t, f, "Kind") // unknown
	press(f, "down", " ")
	shows(t, f, "Everybody ▾")
	want(t, f, `{"name":"Mainx","all":true}`)
}

// Mutually exclusive flags are one choice: choosing one clears the others.
func TestExclusiveFlagsAreOneChoice(t *testing.T) {
	at := doc.P("basic_details", "platform_specific_details")
	const all, only, exclude = "send_to_all_eligible_device", "send_to_only_provisional_push_enabled_devices", "exclude_provisional_push_devices"
	open := func(ios string) *Form {
		cfg := config(parse(t, `{"basic_details":{"platforms":["IOS"],"platform_specific_details":{"ios":{`+ios+`}}}}`), "basic_details", "platform_specific_details")
		cfg.Schema = catalog.Campaign(catalog.Push)
		f := newForm(cfg)
		if !f.FocusPath(at.Child("ios").Child(exclude)) {
			t.Fatal("a flag does not lead to the choice")
		}
		return f
	}
	for _, tt := range []struct{ is, shows, keys, becomes string }{
		{``, "▸ iOS devices *", "enter,only,enter", `"` + only + `":true`},
		{`"` + only + `":true`, "Only provisional ▾", "enter,not set,enter", ``},
		{`"` + all + `":true,"` + exclude + `":true`, "turn on exactly one", "", `"` + all + `":true,"` + exclude + `":true`},
		{`"` + all + `":true,"` + exclude + `":false`, "All eligible devices ▾", "enter,down,enter", `"` + all + `":false,"` + exclude + `":true`},
	} {
		f := open(tt.is)
		shows(t, f, tt.shows)
		if tt.keys != "" {
			press(f, strings.Split(tt.keys, ",")...)
		}
		root, _ := f.Edited()
		if got := string(root.Lookup(at).Encode()); got != `{"ios":{`+tt.becomes+`}}` {
			t.Errorf("%s: %s makes it %s, want %s", tt.is, tt.keys, got, tt.becomes)
		}
	}
	cfg := config(parse(t, `{"basic_details":{"platforms":["WEB"]}}`), "basic_details", "platform_specific_details")
	cfg.Schema = catalog.Campaign(catalog.Push)
	hides(t, newForm(cfg), "iOS devices *") // no recipient on iOS
}

// The required fields of an optional section are marked once the section has been started.
func TestStars(t *testing.T) {
	open := func(s string, component catalog.Component) *Form {
		cfg := config(parse(t, s), string(component))
		cfg.Schema = catalog.Campaign(catalog.Push)
		return newForm(cfg)
	}
	f := open(`{}`, catalog.UTMParams)
	shows(t, f, "Source")
	hides(t, f, "Source *", "Medium *")
	f = open(`{"utm_params":{"utm_campaign":"spring"}}`, catalog.UTMParams)
	shows(t, f, "Source *", "Medium *")
	f = open(`{}`, catalog.BasicDetails)
	shows(t, f, "Campaign name *")
}
