package forms

import (
	"strings"
	"testing"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

func TestColors(t *testing.T) {
	cfg := config(parse(t, `{"ground":"#1F6FEB","line":"#fff","none":"blue"}`))
	rules := []schema.Rule{schema.Guard{At: schema.Always, Rule: schema.Format{As: schema.Color}}}
	cfg.Schema = schema.MustCompile(schema.Field{ID: "x", Kind: schema.Object, Ref: "test", Fields: []schema.Field{
		{Name: "ground", Kind: schema.String, Help: "Behind.", Rules: rules}, {Name: "line", Kind: schema.String, Help: "Before.", Rules: rules},
		{Name: "none", Kind: schema.String, Help: "Odd.", Rules: rules},
	}})
	hides(t, newForm(cfg), "Line         #fff") // no colors
	cfg.Theme = colors
	f := newForm(cfg)
	shows(t, f, "48;2;255;255;255m", "48;2;31;111;235m")
	press(f, "end", "backspace", "backspace", "backspace") // now #1F6
	shows(t, f, "48;2;17;255;102m")
}

// openExpressions returns a form of texts with expressions, in a workspace that has some of each.
func openExpressions(t *testing.T, field string) *Form {
	cfg := config(doc.NewObject())
	cfg.Schema = expressionSchema()
	cfg.Suggest = func(list string) []string {
		return map[string][]string{
			"user_attributes": {"Last Name", "First Name", "City of O'Hara"}, "trigger_attributes": {"product"},
			"business_attributes": {"season"}, "content_blocks": {"footer"},
			"expressions":        {"ProductSet.shoes[0].price", "ProductSet.shoes[0].title", "ContentApi.weather('city', 'day')", "ContentApi.now()"},
			"expression_filters": {"default", "lower", "truncate", "upper"},
		}[list]
	}
	return at(t, newForm(cfg), field)
}

// What is typed after braces is completed, in a line and in several: attributes, fields of products, calls with quoted
// arguments, filters after a bar.
func TestExpressionsAreCompleted(t *testing.T) {
	for typed, want := range map[string]string{
		"Hi {{fir,enter,you,end,!":         "Hi {{UserAttribute['First Name']|default('you')}}!",
		"{{ci,enter":                       `{{UserAttribute["City of O'Hara"]|default('')}}`,
		"{{sho,down,enter,!":               "{{ProductSet.shoes[0].title!}}",
		"{{ProductSet.shoes[0].t,enter":    "{{ProductSet.shoes[0].title}}",
		"{{weat,enter,Oslo":                "{{ContentApi.weather('Oslo', '')}}",
		"{{now,enter":                      "{{ContentApi.now()}}",
		"{{prod,enter,x":                   "{{EventAttribute['product']|default('x')}}",
		"{{seas,enter,x":                   "{{BusinessEventAttribute['season']|default('x')}}",
		"{{}},left,left,n,enter":           "{{ContentApi.now()}}", // no more braces are inserted
		"{{user.city|up,enter":             "{{user.city|upper}}",
		"{{user.city | de,enter,a|low":     "{{user.city | default('a|low')}}",
		"{{user.city|lower|,down,enter":    "{{user.city|lower|lower}}",
		"{{ContentBlock['footer']|,esc,}}": "{{ContentBlock['footer']|}}",
	} {
		for _, field := range []string{"title", "body"} {
			f := openExpressions(t, field)
			press(f, strings.Split(typed, ",")...)
			if root, _ := f.Edited(); root.Get(field).Text() != want || f.Modal() {
				t.Errorf("%s gives %s, want %s:\n%s", typed, root.Get(field).Text(), want, f.View())
			}
		}
	}
	f := openExpressions(t, "title")
	press(f, "{{weat")
	shows(t, f, "> weather('city', 'day')  ContentApi", "then type its arguments")
	f = openExpressions(t, "title")
	press(f, "{{user.city|")
	shows(t, f, "truncate  The text cut to a length")
}

func expressionSchema() *schema.Schema {
	return schema.MustCompile(schema.Field{ID: "x", Kind: schema.Object, Ref: "test", Fields: []schema.Field{
		{Name: "title", Kind: schema.String, Help: "One line.", Template: true, Rules: []schema.Rule{schema.Expressions{}}},
		{Name: "body", Kind: schema.String, Help: "Lines.", Template: true, Long: true, Rules: []schema.Rule{schema.Expressions{}}},
		{Name: "plain", Kind: schema.String, Help: "No expressions."},
	}})
}

func TestExpressionsAreHighlighted(t *testing.T) {
	cfg := config(parse(t, `{"title":"Hi {{ a }}, {% if b %}c","plain":"{{ a }}"}`))
	cfg.Schema, cfg.Theme, cfg.Focus = expressionSchema(), colors, "body"
	f := newForm(cfg)
	info := colors.Info.Render("{{ a }}")
	if got := strings.Count(f.View(), info); got != 1 {
		t.Errorf("%d expressions stand out, want 1: %q", got, f.View())
	}
	shows(t, f, colors.Info.Render("{% if b %}"))
	cfg.Suggest = func(string) []string { return []string{"Name"} }
	f = at(t, newForm(cfg), "plain")
	press(f, " {{")
	if f.Modal() {
		t.Error("a text that takes no expressions offers them")
	}
}

func TestUnusedValues(t *testing.T) {
	const is = `{"template":"BASIC","template_id":"T","strange":1,"odd":{}}`
	f := at(t, open(t, is), "template_id")
	shows(t, f, "Not used here", "it applies only when template is Custom")
	at(t, f, "title")
	shows(t, f, "T  (only when template is Custom)")
	press(at(t, f, "strange"), "x")
	want(t, f, `{"template":"BASIC","template_id":"T","odd":{}}`)
	press(at(t, f, "odd"), "U")
	want(t, f, `{"template":"BASIC"}`)

	f = open(t, is)
	f.cfg.Locked = func(p doc.Path) string {
		if p.HasPrefix(doc.P("strange")) {
			return "It is sent."
		}
		return ""
	}
	f.refresh()
	if n := f.removeHidden(); n != 2 {
		t.Errorf("removed %d", n)
	}
	want(t, f, `{"template":"BASIC","strange":1}`)
}

func TestProblemsNameTitles(t *testing.T) {
	f := open(t, `{"template":"BASIC","title":"x"}`)
	f.SetProblems([]schema.Problem{
		{Path: doc.P("tags", 0), Message: "wire", FormMessage: "words"},
		{Path: doc.P("timer"), Message: "over the wire"},
	})
	shows(t, f, "! item 1: words", "! Over the wire")
	shows(t, open(t, `{}`), "! Choose Basic, Timer or Custom")
}

// Help on an expression is about the function at the cursor, or else about every filter.
func TestHelpOnExpressions(t *testing.T) {
	f := openExpressions(t, "title")
	for _, step := range []struct{ keys, want string }{
		{"Hi ", ""},
		{"{{user.city", "filters"},
		{"|trunc", "filters"},
		{",enter", "truncate"},
		{"(5", "truncate"},
		{",left,left,left", "truncate"},
		{",right,right,right,)|upper", "upper"},
		{",end, and", "filters"},
	} {
		press(f, strings.Split(step.keys, ",")...)
		got := ""
		switch help := f.TemplateHelp(); len(help) {
		case 0:
		case 1:
			got = help[0].Name
		default:
			got = "filters"
		}
		if got != step.want {
			t.Errorf("%q: help is about %q, want %q", step.keys, got, step.want)
		}
	}
}

// A number can be typed with its unit, or with another one that it can be counted in.
func TestNumbersWithUnits(t *testing.T) {
	for typed, want := range map[string]string{
		"150": "150", "150 meters": "150", "150m": "150", "0.2 km": "200", "1.5 KM": "1500", "-1 km": "-1000", "5 miles": "5 miles", "km": "km", "": "",
	} {
		cfg := config(doc.NewObject())
		cfg.Schema = schema.MustCompile(schema.Field{ID: "u", Kind: schema.Object, Ref: "test", Fields: []schema.Field{{Name: "radius", Kind: schema.String, Help: "How far.", Unit: "meters"}}})
		f := newForm(cfg)
		press(f, typed)
		root, _ := f.Edited()
		if got := root.Get("radius").Text(); got != want {
			t.Errorf("%q becomes %q, want %q", typed, got, want)
		}
		if want == "200" {
			shows(t, f, "= 200 meters")
		}
	}
}

// A time zone that does not exist is not offered, and enter stays with the reason.
func TestWrongTimeZoneIsNotOffered(t *testing.T) {
	f := zoned(t, "Europe/Berlin")
	press(f, "Mars")
	hides(t, f, "Use “Mars”")
	press(f, "enter")
	shows(t, f, "▸ Time zone", "Mars_", "Must be")
	press(f, "ctrl+u", "europe/par", "enter")
	want(t, f, holding("Europe/Paris"))
}

// What is only missing is no error yet.
func TestMissingValuesAreNotErrors(t *testing.T) {
	cfg := config(parse(t, `{"template":"BASIC","count":12}`))
	cfg.Theme = colors
	view := newForm(cfg).View()
	if required := colors.Warning.Render("! Required, for example Sale!"); !strings.Contains(view, required) {
		t.Errorf("a missing title is not a warning:\n%s", view)
	}
	if wrong := colors.Danger.Render("! Must be between 1 and 9, not 12"); !strings.Contains(view, wrong) {
		t.Errorf("a wrong number is no error:\n%s", view)
	}
	cfg = config(parse(t, `{"buttons":[{}]}`), "buttons") // a new row
	cfg.Theme = colors
	if view = newForm(cfg).View(); !strings.Contains(view, colors.Warning.Render("  1 problem")) {
		t.Errorf("a new empty row is not a warning:\n%s", view)
	}
}

// A list that does not show all its options says so.
func TestOpenListCountsHiddenOptions(t *testing.T) {
	f := open(t, `{}`)
	f.SetSize(60, 8)
	press(f, "enter")
	shows(t, f, "(2 more)")
}

// A field lists at most a dozen keys.
func TestFieldsListFewKeys(t *testing.T) {
	f := open(t, `{"template":"BASIC","title":"x","body":"y","tags":["a"],"team":"growth","strange":1}`)
	for i := range f.rows {
		f.FocusLine(i)
		if all := f.Bindings(); len(all) > 12 {
			t.Errorf("%s has %d keys", f.rows[i].Label, len(all))
		}
	}
}
