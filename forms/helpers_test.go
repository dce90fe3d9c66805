package forms

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/themes"
)

// testSchema is a small schema with every kind of field.
func testSchema() *schema.Schema {
	button := schema.Field{Title: "Button", Kind: schema.Object, Fields: []schema.Field{
		{Name: "text", Kind: schema.String, Help: "What the button says.", Required: []schema.Required{{}}},
		{Name: "action", Kind: schema.String, Help: "What it does.", Options: []schema.Option{{Value: "OPEN", Label: "Open"}, {Value: "SHARE", Label: "Share"}}},
	}}
	return schema.MustCompile(schema.Field{
		ID: "t", Kind: schema.Object, Ref: "test", Fields: []schema.Field{
			{Name: "template", Kind: schema.String, Help: "How it looks. There is more.", Required: []schema.Required{{}},
				Options: []schema.Option{{Value: "BASIC", Label: "Basic"}, {Value: "TIMER", Label: "Timer"}, {Value: "Custom"}}},
			{Name: "template_id", Kind: schema.String, Help: "The saved template.", Used: schema.When("template", "Custom"),
				Required: []schema.Required{{When: schema.When("template", "Custom")}}},
			{Name: "title", Kind: schema.String, Help: "The first line.", Example: "Sale!", Required: []schema.Required{{}}, Template: true},
			{Name: "body", Kind: schema.String, Long: true, Help: "The text."},
			{Name: "count", Kind: schema.Integer, Help: "How many.", Rules: []schema.Rule{schema.Range{Min: 1, Max: 9}}},
			{Name: "sticky", Kind: schema.Bool, Default: "false", Help: "Stays."},
			{Name: "platforms", Kind: schema.List, Help: "Where to.", Elem: &schema.Field{Kind: schema.String,
				Options: []schema.Option{{Value: "ANDROID", Label: "Android"}, {Value: "IOS", Label: "iOS"}, {Value: "WEB", Label: "Web"}}}},
			{Name: "tags", Kind: schema.List, Help: "Words to find it by.", Elem: &schema.Field{Kind: schema.String, Suggest: "teams"}},
			{Name: "team", Kind: schema.String, Help: "Whose it is.", Suggest: "teams"},
			{Name: "value", Kind: schema.Any, Help: "What to compare with."},
			{Name: "buttons", Kind: schema.List, Help: "Up to three.", Elem: &button},
			{Name: "timer", Kind: schema.Object, Help: "The clock.", Fields: []schema.Field{
				{Name: "ends_at", Kind: schema.Time, Help: "When it ends.", Required: []schema.Required{{}}},
			}},
			{Name: "pairs", Kind: schema.Map, Help: "Own data.", Elem: &schema.Field{Kind: schema.Integer}},
		},
	})
}

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func config(root doc.Value, p ...any) Config {
	return Config{Schema: testSchema(), Root: root, Path: doc.P(p...), Env: schema.Env{Stage: schema.Publish}, Theme: themes.Plain(),
		Suggest: func(string) []string { return []string{"growth", "retention", "brand"} }, Width: 80, Height: 24}
}

func open(t testing.TB, s string, p ...any) *Form {
	t.Helper()
	return newForm(config(parse(t, s), p...))
}

// newForm returns a form with the problems of its document.
func newForm(cfg Config) *Form {
	f := New(cfg)
	f.validate()
	return f
}

func (f *Form) validate() { f.SetProblems(f.cfg.Schema.Validate(f.root, f.cfg.Env)) }

var named = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
	"right": tea.KeyRight, "esc": tea.KeyEsc, "backspace": tea.KeyBackspace, "ctrl+x": tea.KeyCtrlX, "ctrl+u": tea.KeyCtrlU, "ctrl+j": tea.KeyCtrlJ,
	"f2": tea.KeyF2, "f4": tea.KeyF4, "ctrl+n": tea.KeyCtrlN, "ctrl+p": tea.KeyCtrlP, "ctrl+e": tea.KeyCtrlE, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd,
	"ctrl+home": tea.KeyCtrlHome, "ctrl+end": tea.KeyCtrlEnd,
}

// press sends keys by name, and anything else as typed text. It returns the last message of a key's command.
func press(f *Form, ks ...string) tea.Msg {
	var last tea.Msg
	for _, k := range ks {
		var msg tea.KeyMsg
		switch kt, ok := named[k]; {
		case ok:
			msg = tea.KeyMsg{Type: kt}
		case k == " ":
			msg = tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
		default:
			msg = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		}
		if cmd := f.Update(msg); cmd != nil {
			last = cmd()
		}
		f.validate()
	}
	return last
}

func paste(f *Form, s string) {
	f.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: true})
}

// want compares the form's document.
func want(t *testing.T, f *Form, json string) {
	t.Helper()
	root, _ := f.Edited()
	if got := string(root.Encode()); got != json {
		t.Errorf("document\n got %s\nwant %s", got, json)
	}
}

func shows(t *testing.T, f *Form, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(f.View(), p) {
			t.Errorf("the form does not show %q:\n%s", p, f.View())
		}
	}
}

func hides(t *testing.T, f *Form, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(f.View(), p) {
			t.Errorf("the form shows %q:\n%s", p, f.View())
		}
	}
}
