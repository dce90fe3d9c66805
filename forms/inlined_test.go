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
	s := catalog.Campaign(catalog.Push)
	at := doc.P("basic_details", "platform_specific_details")
	open := func(ios string) *Form {
		cfg := config(parse(t, `{"basic_details":{"platforms":["IOS"],"platform_specific_details":{`+ios+`}}}`), "basic_details", "platform_specific_details")
		cfg.Schema = s
		return newForm(cfg)
	}
	holds := func(f *Form, is string) {
		t.Helper()
		root, _ := f.Edited()
		if got := string(root.Lookup(at).Encode()); got != is {
			t.Errorf("got %s, want %s", got, is)
		}
	}
	cfg := config(parse(t, `{"basic_details":{"platforms":["WEB"]}}`), "basic_details", "platform_specific_details")
	cfg.Schema = s
	f := newForm(cfg)
	hides(t, f, "iOS devices *") // no recipient on iOS

	f = open("")
	press(f, "end", "down")
	shows(t, f, "▸ iOS devices *", "Not set ▾", "Which iOS devices get the message.")
	press(f, "enter", "only", "enter")
	holds(f, `{"ios":{"send_to_only_provisional_push_enabled_devices":true}}`)
	shows(t, f, "Only provisional ▾")
	press(f, "enter", "up", "enter")
	holds(f, `{"ios":{"exclude_provisional_push_devices":true}}`)
	press(f, "enter", "not set", "enter")
	holds(f, `{}`)

	const both = `{"ios":{"send_to_all_eligible_device":true,"exclude_provisional_push_devices":true}}`
	f = open(both[1 : len(both)-1])
	shows(t, f, "All eligible devices", "Exclude provisional", "turn on exactly one")
	holds(f, both)

	f = open(`"ios":{"send_to_all_eligible_device":true,"exclude_provisional_push_devices":false}`)
	if !f.FocusPath(at.Child("ios").Child("exclude_provisional_push_devices")) {
		t.Fatal("a flag does not lead to the choice")
	}
	press(f, "enter", "down", "enter")
	holds(f, `{"ios":{"send_to_all_eligible_device":false,"exclude_provisional_push_devices":true}}`)
	press(f, "enter", "up", "enter")
	holds(f, `{"ios":{"send_to_all_eligible_device":true,"exclude_provisional_push_devices":false}}`)
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
