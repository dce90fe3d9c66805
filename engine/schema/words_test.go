package schema

import (
	"slices"
	"strings"
	"testing"

	"bugle/engine/doc"
)

// shop is a table whose titles and options read unlike what is on the wire.
func shop() Field {
	return Field{
		ID: "shop", Kind: Object, Ref: "the book, 2", Fields: []Field{
			{Name: "filter_type", Title: "What it looks at", Kind: String, Help: "h", Required: []Required{{}}, Options: []Option{
				{Value: "user_attributes", Label: "User attribute"}, {Value: "actions", Label: "Behaviour"}, {Value: "is", Label: "Is", When: On{"is_open"}},
			}},
			{Name: "is_open", Title: "Open", Kind: Bool, Help: "h"},
			{Name: "is_shut", Title: "Shut", Kind: Bool, Help: "h"},
			{Name: "start_time", Title: "Start", Kind: String, Help: "h"},
			{Name: "end_time", Title: "End", Kind: String, Help: "h", Rules: []Rule{Named{ID: "after", Says: "after the start", Check: func(p Place) []Finding {
				return []Finding{{Message: `must be after start_time, which is "start_time", and suit FIRST, user_attributes and noSuchWord`}}
			}}}},
			{Name: "buttons", Title: "Buttons", Kind: List, Help: "h", Elem: &Field{Title: "Button", Kind: Object, Fields: []Field{
				{Name: "click_action", Title: "Tap", Kind: String, Help: "h"},
			}}},
			{Name: "weeks", Title: "Weeks", Kind: List, Help: "h", Elem: &Field{Kind: String, Options: []Option{{Value: "FIRST", Label: "First week"}}}},
		},
		Rules: []Rule{OneTrue{[]string{"is_open", "is_shut"}}},
	}
}

// The wire's message keeps the wire's words; the one for people has the words of the form.
func TestProblemsInTheWordsOfTheForm(t *testing.T) {
	s := MustCompile(shop())
	for _, c := range []struct{ name, doc, rule, wire, words string }{
		{"required", `{"is_open":true}`, "filter_type#required",
			"is required; choose user_attributes, actions or is", "is required; choose User attribute, Behaviour or Is"},
		{"no option", `{"filter_type":"x","is_open":true}`, "filter_type#enum",
			`"x" is no option; allowed: user_attributes, actions, is`, `"x" is no option; allowed: User attribute, Behaviour, Is`},
		{"a near miss", `{"filter_type":"action","is_open":true}`, "filter_type#enum",
			`"action" is no option; did you mean actions? Allowed: user_attributes, actions, is`, `"action" is no option; did you mean Behaviour? Allowed: User attribute, Behaviour, Is`},
		{"an option for others", `{"filter_type":"is","is_shut":true,"is_open":false}`, "filter_type#enum",
			`"is" is offered only when open is on; here choose user_attributes or actions`, `Is is offered only when open is on; here choose User attribute or Behaviour`},
		{"members of a group", `{"filter_type":"actions"}`, "shop#one_true",
			"exactly one of Open, Shut (is_open, is_shut) must be true, and 0 are", "exactly one of Open, Shut must be true, and 0 are"},
		{"an unknown member", `{"filter_type":"actions","is_open":true,"star_time":1}`, "shop#unknown",
			"is not a member that the specification knows here; did you mean start_time?", "is not a member that the specification knows here; did you mean Start?"},
		{"a rule of its own, quotes left alone", `{"filter_type":"actions","is_open":true,"end_time":"x"}`, "end_time#after",
			`must be after start_time, which is "start_time", and suit FIRST, user_attributes and noSuchWord`,
			`must be after start, which is "start_time", and suit First week, User attribute and noSuchWord`},
		{"nothing to translate", `{"filter_type":"actions","is_open":true,"start_time":5}`, "start_time#type", "must be a string, not 5", "must be a string, not 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range s.Validate(parse(t, c.doc), Env{}) {
				if strings.TrimPrefix(p.Rule, "shop.") != c.rule {
					continue
				}
				if p.Message != c.wire || p.Words() != c.words {
					t.Errorf("got  %s\n     %s\nwant %s\n     %s", p.Message, p.Words(), c.wire, c.words)
				}
				return
			}
			t.Fatalf("no problem %s", c.rule)
		})
	}
	if got := (Problem{Message: "over the wire"}).Words(); got != "over the wire" {
		t.Errorf("a problem without words for people says %q", got)
	}
}

func TestTrail(t *testing.T) {
	s := MustCompile(shop())
	for _, c := range []struct {
		p    doc.Path
		want string
	}{
		{doc.P("buttons", 1, "click_action"), "Buttons › Button 2 › Tap"},
		{doc.P("weeks", 0), "Weeks › Entry 1"},
		{doc.P("strange", 3, "x"), "strange › Entry 4 › x"},
		{nil, ""},
	} {
		if got := strings.Join(s.Trail(c.p), " › "); got != c.want {
			t.Errorf("%s: %q, want %q", c.p, got, c.want)
		}
	}
}

func TestNotesGiveBothWordsOfAnOption(t *testing.T) {
	s := MustCompile(shop())
	if got := s.Notes(s.At(doc.P("filter_type"))); !slices.Contains(got, "One of: User attribute (user_attributes), Behaviour (actions), Is (is).") {
		t.Errorf("got %q", got)
	}
}
