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
		ID: "shop", Plural: "shops", Kind: Object, Ref: "the book, 2", Fields: []Field{
			{Name: "kind", Kind: String, Help: "h", Options: []Option{{Value: "BIG", Label: "Large"}, {Value: "SMALL", Label: "Small"}}},
			{Name: "door", Noun: "a door", Kind: String, Help: "h", Applies: Unless("/kind", "BIG")},
			{Name: "opens_at", Kind: Time, Help: "h", Example: "2026-12-01T09:00:00Z", Required: []Required{{When: On{"is_open"}}}},
			{Name: "filter_type", Title: "What it looks at", Kind: String, Help: "h", Required: []Required{{}}, Options: []Option{
				{Value: "user_attributes", Label: "User attribute"}, {Value: "actions", Label: "Behavior"}, {Value: "is", Label: "Is", When: On{"is_open"}},
			}},
			{Name: "is_open", Title: "Open", Kind: Bool, Help: "h"},
			{Name: "is_shut", Title: "Shut", Kind: Bool, Help: "h"},
			{Name: "start_time", Title: "Start", Kind: String, Help: "h"},
			{Name: "end_time", Title: "End", Kind: String, Help: "h", Rules: []Rule{Named{ID: "after", Text: "after the start", Check: func(p Place) []Finding {
				return []Finding{{Message: `must be after start_time, which is "start_time", and suit FIRST, user_attributes and noSuchWord`}}
			}}}},
			{Name: "buttons", Title: "Buttons", Kind: List, Help: "h", Elem: &Field{Title: "Button", Kind: Object, Fields: []Field{
				{Name: "click_action", Title: "Tap", Kind: String, Help: "h"},
			}}},
			{Name: "weeks", Title: "Weeks", Kind: List, Help: "h", Rules: []Rule{Unique{}}, Elem: &Field{Kind: String, Options: []Option{{Value: "FIRST", Label: "First week"}}}},
		},
		Rules: []Rule{OneTrue{[]string{"is_open", "is_shut"}}},
	}
}

// The wire's message keeps the wire's words; the one for people has the words of the form.
func TestProblemsHaveFormMessages(t *testing.T) {
	s := MustCompile(shop())
	for _, c := range []struct{ name, doc, rule, wire, words string }{
		{"required", `{"is_open":true}`, "filter_type#required",
			"required; choose user_attributes, actions or is", "choose User attribute, Behavior or Is"},
		{"no option", `{"filter_type":"x","is_open":true}`, "filter_type#enum",
			`unknown value "x"; choose user_attributes, actions or is`, `unknown value "x"; choose User attribute, Behavior or Is`},
		{"a near miss", `{"filter_type":"action","is_open":true}`, "filter_type#enum",
			`unknown value "action"; did you mean actions? Allowed: user_attributes, actions, is`, `unknown value "action"; did you mean Behavior? Allowed: User attribute, Behavior, Is`},
		{"an option for others", `{"filter_type":"is","is_shut":true,"is_open":false}`, "filter_type#enum",
			`"is" is available only when open is on; choose user_attributes or actions`, `Is is available only when open is on; choose User attribute or Behavior`},
		{"members of a group", `{"filter_type":"actions"}`, "shop#one_true",
			"exactly one of Open, Shut (is_open, is_shut) must be true; 0 are", "turn on exactly one of Open or Shut; 0 are on"},
		{"an unknown member", `{"filter_type":"actions","is_open":true,"star_time":1}`, "shop#unknown",
			"unknown field; did you mean start_time?", "unknown field; did you mean Start?"},
		{"a rule of its own, quotes left alone", `{"filter_type":"actions","is_open":true,"end_time":"x"}`, "end_time#after",
			`must be after start_time, which is "start_time", and suit FIRST, user_attributes and noSuchWord`,
			`must be after start, which is "start_time", and suit First week, User attribute and noSuchWord`},
		{"a wrong type", `{"filter_type":"actions","is_open":true,"start_time":5}`, "start_time#type", "must be a string, not 5", "must be text, not 5"},
		{"a time", `{"filter_type":"actions","is_open":true,"opens_at":"soon"}`, "opens_at#type",
			`must be an ISO 8601 date and time, such as 2026-12-01T09:00:00Z, not "soon"`, `I can't read that date. Try "tomorrow 9am"`},
		{"a time that is missing", `{"filter_type":"actions","is_open":true}`, "opens_at#required",
			"required when open is on, for example 2026-12-01T09:00:00Z", "required when open is on, for example tomorrow 9am"},
		{"another kind of document", `{"filter_type":"actions","is_open":true,"kind":"BIG","door":"x"}`, "door#applies",
			"Large shops don't use a door; remove it", "Large shops don't use a door; remove it"},
		{"nothing to translate", `{"filter_type":"actions","is_open":true,"weeks":["FIRST","FIRST"]}`, "weeks#unique", `"FIRST" is listed twice`, `"FIRST" is listed twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range s.Validate(parse(t, c.doc), Env{}) {
				if strings.TrimPrefix(p.Rule, "shop.") != c.rule {
					continue
				}
				if p.Message != c.wire || p.Text() != c.words {
					t.Errorf("got  %s\n     %s\nwant %s\n     %s", p.Message, p.Text(), c.wire, c.words)
				}
				return
			}
			t.Fatalf("no problem %s", c.rule)
		})
	}
	if got := (Problem{Message: "over the wire"}).Text(); got != "over the wire" {
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

func TestReferenceHasLabelAndValueOfOptions(t *testing.T) {
	s := MustCompile(shop())
	if got := s.Reference(s.At(doc.P("filter_type"))); !slices.Contains(got, "One of: User attribute (user_attributes), Behavior (actions), Is (is).") {
		t.Errorf("got %q", got)
	}
}

// People read what each choice does; they see no name of the wire, no timestamp and no section.
func TestNotesUseDisplayNames(t *testing.T) {
	s := MustCompile(Field{ID: "mail", Plural: "mails", Kind: Object, Ref: "the book, 3", Fields: []Field{
		{Name: "kind", Kind: String, Help: "h", Options: []Option{{Value: "ONE_TIME", Label: "One-time"}, {Value: "WEEKLY", Label: "Weekly"}}},
		{
			Name: "send_at", Kind: Time, Help: "When it goes out.", Example: "2026-12-01T09:00:00Z",
			Required: []Required{{When: When("/kind", "ONE_TIME"), At: Publish}, {At: Inline}}, Applies: When("/kind", "ONE_TIME"),
		},
		{
			Name: "split_type", Kind: String, Help: "Who decides.", Default: `"MANUAL"`,
			Options: []Option{{Value: "MANUAL", Label: "Manual", Help: "uses your percentages"}, {Value: "OPTIMIZER", Label: "Optimizer", Help: "learns by itself"}},
		},
		{Name: "quiet_hours", Kind: Bool, Help: "Wait.", Default: "false", Used: Unless("/kind", "WEEKLY")},
	}})
	for name, want := range map[string][]string{
		"send_at":     {"When it goes out.", "Example: tomorrow 9am", "Required to publish for One-time mails.", "Only for One-time mails."},
		"split_type":  {"Who decides.", "Manual: uses your percentages.", "Optimizer: learns by itself.", "Default: Manual."},
		"quiet_hours": {"Wait.", "Used except for Weekly mails.", "Default: off."},
	} {
		if got := s.Notes(s.At(doc.P(name))); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// Beside a document only what can be chosen there is described.
func TestNotesOfSkipsOptionsNotOffered(t *testing.T) {
	s := MustCompile(Field{ID: "mail", Plural: "mails", Kind: Object, Ref: "the book, 3", Fields: []Field{
		{Name: "kind", Kind: String, Help: "h", Options: []Option{{Value: "ONE_TIME", Label: "One-time"}, {Value: "WEEKLY", Label: "Weekly"}}},
		{Name: "at", Kind: String, Help: "When.", Options: []Option{{Value: "NOW", Help: "sends at once", When: When("/kind", "ONE_TIME")}, {Value: "SET", Help: "sends then"}}},
	}})
	for kind, want := range map[string][]string{
		"ONE_TIME": {"When.", "NOW: sends at once.", "SET: sends then."},
		"WEEKLY":   {"When.", "SET: sends then."},
	} {
		f, ok := s.Field(parse(t, `{"kind":"`+kind+`"}`), doc.P("at"), Env{})
		if got := s.NotesOf(f); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
}
