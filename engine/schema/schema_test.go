package schema

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bugle/engine/doc"
)

func parse(t *testing.T, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// order is a small table with one of everything.
func order() Field {
	express := When("speed", "EXPRESS")
	return Field{
		ID: "order", Kind: Object, Ref: "the book, 1", Fields: []Field{
			{Name: "channel", Kind: String, Help: "h", Options: []Option{{Value: "SHOP", Label: "Shop"}, {Value: "PHONE", Label: "Phone"}}},
			{Name: "speed", Kind: String, Help: "h", Options: []Option{
				{Value: "NORMAL", Label: "Normal"}, {Value: "EXPRESS", Label: "Express"}, {Value: "PIGEON", When: When("/channel", "SHOP")},
			}},
			{Name: "hour", Kind: Integer, Help: "h", Example: "9", Used: express, Required: []Required{{When: express}}, Rules: []Rule{Range{0, 23}}},
			{Name: "till", Kind: String, Help: "h", Applies: When("/channel", "SHOP")},
			{Name: "gift", Kind: Bool, Help: "h", Rules: []Rule{Forbidden{When: express}}},
			{Name: "voucher", Kind: String, Help: "h", Applies: Flag{Name: "vouchers"}, Rules: []Rule{Configured{List: "vouchers"}}},
			{Name: "notes", Kind: List, Help: "h", Rules: []Rule{Items{0, 2}, Unique{}}, Elem: &Field{Kind: String, Rules: []Rule{Length{1, 3}}}},
			{Name: "extras", Kind: Object, Help: "h", Open: true, Fields: []Field{{Name: "bag", Kind: Bool, Help: "h", Used: On{"../gift"}}}},
			{Name: "parts", Kind: Map, Help: "h", Rules: []Rule{Keys{regexp.MustCompile(`^p\d$`), "p and a digit"}}, Elem: &Field{Kind: Number, Rules: []Rule{Range{Min: 0, Max: math.Inf(1)}}}},
			{Name: "mail", Kind: String, Help: "h", Template: true, Rules: []Rule{Format{As: Email}, Guard{At: Publish, Rule: Expressions{}}}},
			{Name: "box", ID: "box", Kind: Object, Help: "h", Fields: []Field{
				{Name: "inner", Kind: Object, Help: "h", Like: "box"},
				{Name: "weight", Kind: Integer, Help: "h", Required: []Required{{}}},
			}},
			{Name: "floor", Kind: Integer, Help: "h", Required: []Required{{When: On{"gift"}}, {When: On{"card"}, At: Publish}}},
			{Name: "cash", Kind: Bool, Help: "h"}, {Name: "card", Kind: Bool, Help: "h"},
		},
		Rules: []Rule{Guard{When: Has{"/cash"}, Rule: OneTrue{[]string{"cash", "card"}}}, NotBoth{[]string{"till", "voucher"}}},
	}
}

func compiled(t *testing.T) *Schema {
	t.Helper()
	s, err := Compile(order())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestValidateReports(t *testing.T) {
	env := Env{
		Flags:      map[string]bool{"vouchers": true},
		Lists:      func(string) ([]string, bool) { return []string{"SPRING25", "HELLO"}, true },
		Expression: func(string) error { return fmt.Errorf("a brace is missing") },
	}
	at := func(s Stage) Env { e := env; e.Stage = s; return e }
	for _, c := range []struct {
		name, doc string
		env       Env
		want      []string
	}{
		{"nothing wrong", `{"channel":"SHOP","speed":"PIGEON","till":"3","notes":["a","b"],"cash":true}`, env, nil},
		{"a wrong type", `{"hour":"9","speed":"EXPRESS"}`, env, []string{`hour#type hour: must be a whole number, not "9"`}},
		{"1.0 is whole", `{"hour":1.0,"speed":"EXPRESS"}`, env, nil},
		{"null", `{"speed":null}`, env, []string{`speed#type speed: must be a string, not null`}},
		{"a near miss", `{"speed":"EXPRES","hour":9}`, env, []string{
			`hour#unused hour: saved, but ignored unless speed is Express`,
		}},
		{"an option for others", `{"channel":"PHONE","speed":"PIGEON"}`, env, []string{`speed#enum speed: "PIGEON" is available only when channel is Shop; choose NORMAL or EXPRESS`}},
		{"required by another", `{"speed":"EXPRESS"}`, env, []string{`hour#required hour: required when speed is Express, for example 9`}},
		{"required at a stage only where it is used", `{"speed":"NORMAL"}`, at(Publish), nil},
		{"out of range", `{"speed":"EXPRESS","hour":24}`, env, []string{`hour#range hour: must be between 0 and 23, not 24`}},
		{"for others", `{"channel":"PHONE","till":"3"}`, env, []string{`till#applies till: allowed only when channel is Shop; remove it`}},
		{"channel not known", `{"till":"3","speed":"PIGEON"}`, env, nil},
		{"flag off", `{"voucher":"HELLO"}`, Env{Flags: map[string]bool{}}, []string{`voucher#applies voucher: allowed only when the workspace feature "vouchers" is on; remove it`}},
		{"flag not known", `{"voucher":"HELLO"}`, Env{}, nil},
		{"not configured", `{"voucher":"SPRNG25"}`, env, []string{`voucher#configured voucher: "SPRNG25" is not one of the workspace's vouchers; did you mean SPRING25?`}},
		{"forbidden", `{"speed":"EXPRESS","hour":1,"gift":false}`, env, []string{`gift#forbidden gift: not allowed when speed is Express; remove it`}},
		{"items", `{"notes":["a","a","long"]}`, env, []string{
			`notes[]#length notes[2]: must have 1 to 3 characters, not 4`,
			`notes#items notes: must have at most 2 items, not 3`,
			`notes#unique notes[1]: "a" is listed twice`,
		}},
		{"an unknown member", `{"hours":1}`, env, []string{`order#unknown hours: unknown field; did you mean hour?`}},
		{"an extra member", `{"extras":{"x":1}}`, env, []string{`extras#extra_member extras.x: unknown field; kept unchanged`}},
		{"a map", `{"parts":{"p1":-1,"q":1}}`, env, []string{
			`parts.*#range parts.p1: must be at least 0, not -1`,
			`parts#keys parts.q: the name "q" must be p and a digit`,
		}},
		{"a form", `{"mail":"ann"}`, env, []string{`mail#email mail: must be an email address, such as ann@example.com, not "ann"`}},
		{"a form with an expression", `{"mail":"{{ x }"}`, env, nil},
		{"an expression at publish", `{"mail":"{{ x }"}`, at(Publish), []string{`mail#expressions mail: has a personalization error: a brace is missing`}},
		{"nested in itself", `{"box":{"weight":1,"inner":{"weight":"1","x":2,"inner":{}}}}`, env, []string{
			`box.weight#required box.inner.inner.weight: required`,
			`box.weight#type box.inner.weight: must be a whole number, not "1"`,
			`box#unknown box.inner.x: unknown field; the fields here are inner, weight`,
		}},
		{"one true", `{"cash":true,"card":true}`, env, []string{`order#one_true : exactly one of Cash, Card (cash, card) must be true; 2 are`}},
		{"not both", `{"till":"1","voucher":"HELLO"}`, env, []string{`order#not_both : use Till or Voucher (till, voucher), not both`}},
		{"the root", `[]`, env, []string{`order#type : must be an object, not an array`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range compiled(t).Validate(parse(t, c.doc), c.env) {
				got = append(got, strings.TrimPrefix(p.Rule, "order.")+" "+p.String())
				if p.Section != "the book, 1" {
					t.Errorf("%s cites %q", p.Rule, p.Section)
				}
			}
			if c.name == "a near miss" { // the message lists the options, which another case spells
				if len(got) != 2 || !strings.Contains(got[0], "did you mean EXPRESS?") {
					t.Fatalf("got %q", got)
				}
				got = got[1:]
			}
			same := slices.EqualFunc(got, c.want, strings.HasPrefix)
			if !same {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestConditions(t *testing.T) {
	root := parse(t, `{"a":"x","on":true,"list":["u"],"empty":"","in":{"b":"y"}}`)
	sc := &scope{obj: root.Get("in"), up: &scope{obj: root, root: root}, root: root}
	env := &Env{Flags: map[string]bool{"f": true}}
	for _, c := range []struct {
		cond Cond
		want Truth
	}{
		{nil, True},
		{When("b", "x", "y"), True},
		{When("../a", "x"), True},
		{When("/in.b", "z"), False},
		{When("gone", "x"), False},
		{When("/gone", "x"), Unknown},
		{Unless("/gone", "x"), Unknown},
		{Unless("b", "x"), True},
		{On{"../on"}, True},
		{On{"/gone"}, Unknown},
		{Has{"../empty"}, False},
		{Has{"/gone"}, False},
		{Holds{"../list", "u"}, True},
		{Holds{"../list", "v"}, False},
		{Holds{"/gone", "v"}, Unknown},
		{Flag{"f"}, True},
		{Flag{"g"}, False},
		{All{When("b", "y"), When("/gone", "x")}, Unknown},
		{All{When("b", "z"), When("/gone", "x")}, False},
		{AnyOf{When("b", "y"), When("/gone", "x")}, True},
		{AnyOf{When("b", "z"), When("/gone", "x")}, Unknown},
		{When("../../../b", "y"), False},
	} {
		if got := sc.eval(c.cond, env); got != c.want {
			t.Errorf("%#v is %v, want %v", c.cond, got, c.want)
		}
	}
	if sc.eval(Flag{"f"}, &Env{}) != Unknown {
		t.Error("a flag is known without a workspace")
	}
}

func TestWords(t *testing.T) {
	s := compiled(t)
	for want, c := range map[string]Cond{
		"always":                                         nil,
		"speed is Normal or Express":                     When("speed", "NORMAL", "EXPRESS"),
		"speed is not Normal":                            Unless("speed", "NORMAL"),
		"gift is on and cash is off":                     All{On{"gift"}, Not{On{"cash"}}},
		"till is set or till is not set":                 AnyOf{Has{"till"}, Not{Has{"till"}}},
		"notes include a":                                Holds{"notes", "a"},
		"the workspace feature \"big boxes\" is on":      Flag{"big_boxes"},
		"(gift is on or cash is on) and till is not set": All{AnyOf{On{"gift"}, On{"cash"}}, Not{Has{"till"}}},
	} {
		if got := s.Words(s.Root(), c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestForms(t *testing.T) {
	for form, c := range map[Form]struct{ good, bad []string }{
		URI:      {[]string{"https://example.com/a?b=c", "app://offers/1", "mailto:a@b.c", "tel:+4930"}, []string{"example.com", "https://", "http:/x", "a b://c", "/path"}},
		Email:    {[]string{"ann@example.com", "a.b+c@x.org"}, []string{"ann", "Ann <ann@example.com>", "ann@", "a@b@c"}},
		E164:     {[]string{"+14155550123"}, []string{"14155550123", "+0123", "+1234567890123456"}},
		Color:    {[]string{"#fff", "#1F6FEB", "#1F6FEB80"}, []string{"fff", "#ffff", "#GGG", "red"}},
		ObjectID: {[]string{"65f1c0ffee0ddba11ca11ab1"}, []string{"65f1", "65f1c0ffee0ddba11ca11abz"}},
		UUID:     {[]string{"2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09"}, []string{"2b1f0c3e8f6a4c1d9b7e5a4d3c2b1a09", "x"}},
		Zone:     {[]string{"Europe/Berlin", "UTC"}, []string{"Berlin", "Local", "", "../etc/passwd"}},
		Clock:    {[]string{"09:30", "23:59:59"}, []string{"24:00", "9:30", "09:60"}},
		Digits:   {[]string{"0", "15"}, []string{"-1", "1.5", "", "five"}},
		Decimal:  {[]string{"-52.52", "0", "13"}, []string{"1,5", ".5", "1e3", ""}},
		DateTime: {[]string{"2026-12-01T09:00:00Z", "2026-12-01T09:00:00+01:00", "2026-12-01T09:00", "2026-12-01T09:00:00.123"}, []string{"2026-12-01", "tomorrow", "2026-13-01T09:00:00Z"}},
	} {
		for _, s := range c.good {
			if !form.Matches(s) {
				t.Errorf("%q is no %s", s, form)
			}
		}
		for _, s := range c.bad {
			if form.Matches(s) {
				t.Errorf("%q is a %s", s, form)
			}
		}
		if form.Requirement() == string(form) {
			t.Errorf("%s has no words", form)
		}
	}
	if HasOffset("2026-12-01T09:00") || !HasOffset("2026-12-01T09:00Z") || !HasOffset("2026-12-01T09:00+0100") {
		t.Error("HasOffset mistakes an offset")
	}
}

func TestObjectState(t *testing.T) {
	s := compiled(t)
	root := parse(t, `{"channel":"PHONE","speed":"EXPRESS","odd":1,"parts":{"p1":2}}`)
	state, ok := s.Object(root, nil, Env{})
	if !ok {
		t.Fatal("the root is no object")
	}
	fields := map[string]FieldState{}
	for _, f := range state.Fields {
		fields[f.Node.Name] = f
	}
	if f := fields["hour"]; !f.Shown || !f.Required {
		t.Errorf("hour is shown %v, required %v", f.Shown, f.Required)
	}
	if f := fields["till"]; f.Shown || f.Why != "only when channel is Shop" {
		t.Errorf("till is shown %v because %q", f.Shown, f.Why)
	}
	if f := fields["gift"]; f.Shown || f.Why != "not allowed when speed is Express" {
		t.Errorf("gift is shown %v because %q", f.Shown, f.Why)
	}
	if o := fields["speed"].Options[2]; o.Offered || o.Why != "only when channel is Shop" {
		t.Errorf("PIGEON is offered %v because %q", o.Offered, o.Why)
	}
	if len(state.Extras) != 1 || state.Extras[0].Node != nil || state.Extras[0].Path.String() != "odd" {
		t.Errorf("extras are %v", state.Extras)
	}
	if m, ok := s.Object(root, doc.P("parts"), Env{}); !ok || len(m.Extras) != 1 || m.Extras[0].Node == nil {
		t.Errorf("the map's members are %v", m.Extras)
	}
	if f, ok := s.Field(root, doc.P("hour"), Env{}); !ok || !f.Required {
		t.Errorf("hour alone: %v %v", f.Required, ok)
	}
	if f, ok := s.Field(root, doc.P("extras", "bag"), Env{}); !ok || f.Shown {
		t.Errorf("a member of an absent object: shown %v, %v", f.Shown, ok)
	}
	if _, ok := s.Field(root, doc.P("nowhere", "x"), Env{}); ok {
		t.Error("a field that no table knows")
	}
	if _, ok := s.Object(root, doc.P("speed"), Env{}); ok {
		t.Error("a string is an object")
	}
}

func TestCompileFindsFaults(t *testing.T) {
	_, err := Compile(Field{ID: "t", Kind: Object, Ref: "r", Fields: []Field{
		{Name: "a", Kind: String, Help: "h", Options: []Option{{Value: "X"}}},
		{Name: "a", Kind: String, Help: "h"},
		{Name: "b", Kind: String, Used: When("a", "Y")},
		{Name: "c", Kind: String, Help: "h", Applies: When("nowhere", "Y")},
		{Name: "d", Kind: List, Help: "h"},
		{Name: "e", Kind: Object, Help: "h", Rules: []Rule{OneOf{[]string{"gone"}}, Named{}}},
		{Name: "f", Kind: Object, Help: "h", Like: "none"},
	}})
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, want := range []string{"named twice", "t.b: has no help", `"nowhere", which leads nowhere`, "no element", `"gone", which is no member`, "needs an id", `Like names "none"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not among the faults:\n%v", want, err)
		}
	}
}

func TestReference(t *testing.T) {
	s := compiled(t)
	got := strings.Join(s.Reference(s.At(doc.P("hour"))), "\n")
	for _, want := range []string{"Example: 9", "Required when speed is Express.", "Used when speed is Express.", "Between 0 and 23.", "Source: the book, 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
}

func TestReferenceNamesTheStage(t *testing.T) {
	s := compiled(t)
	if got := s.Reference(s.At(doc.P("floor"))); !slices.Contains(got, "Required when card is on (publish).") {
		t.Errorf("got %q", got)
	}
}

// What is listed of a document with problems without end is bounded in number and in size, and says so.
func TestProblemsAreBounded(t *testing.T) {
	s := compiled(t)
	long := strings.Repeat("n", 100<<10)
	for name, text := range map[string]string{
		"a list":         `{"notes":[` + strings.Repeat("{},", 200_000) + `{}]}`,
		"a list twice":   `{"notes":[` + strings.Repeat(`"a",`, 200_000) + `"a"]}`,
		"unknown fields": `{"box":{"weight":1` + numbered(`,"x%d":1`, 50_000) + `}}`,
		"a map":          `{"parts":{"p1":1` + numbered(`,"q%d":"x"`, 50_000) + `}}`,
		"long names":     `{"parts":{"p1":1` + numbered(`,"`+long+`%d":"x"`, 100) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			root := parse(t, text)
			got := s.Validate(root, Env{})
			if n := len(got); n < 5 || n > MaxProblems+1 || got[n-1].Rule != RuleMore || !strings.Contains(got[n-1].Message, "then check again") {
				t.Fatalf("%d problems, the last one %v", n, got[n-1])
			}
			size := 0
			for _, p := range got {
				size += len(p.Path.String()) + len(p.Message) + len(p.FormMessage)
			}
			if size > maxProblemBytes+2*len(long) {
				t.Errorf("they take %d bytes", size)
			}
		})
	}
}

// Notices without end hide no error.
func TestNoticesHideNoError(t *testing.T) {
	s := compiled(t)
	root := parse(t, `{"extras":{"a":1`+numbered(`,"x%d":1`, 50_000)+`},"floor":"up"}`)
	got := s.Validate(root, Env{})
	if bad := Errors(got); len(got) != MaxProblems+1 || len(bad) != 1 || bad[0].Rule != "order.floor#type" {
		t.Errorf("%d problems, of them errors: %v", len(got), bad)
	}
	if at := s.ValidateAt(root, doc.P("floor"), Env{}); len(at) != 1 {
		t.Errorf("at floor: %v", at)
	}
}

// What is asked of one place is not hidden by the problems of others.
func TestValidateAtAfterManyProblems(t *testing.T) {
	s := compiled(t)
	root := parse(t, `{"notes":[`+strings.Repeat("{},", 5000)+`{}],"floor":"up"}`)
	if at := s.ValidateAt(root, doc.P("floor"), Env{}); len(at) != 1 || at[0].Rule != "order.floor#type" {
		t.Errorf("at floor: %v", at)
	}
}

// numbered repeats a format with numbers from 1.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}

// For the tests outside the package.
var (
	CompiledForTest = compiled
	ParseForTest    = parse
)
