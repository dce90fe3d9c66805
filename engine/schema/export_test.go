package schema_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/enginetest/race"
	"bugle/engine/schema"
	"bugle/engine/schema/schematest"
)

// exported is a table as a JSON Schema that a library of others has compiled.
type exported struct {
	table  *schema.Schema
	stage  schema.Stage
	schema *jsonschema.Schema
	words  map[string]bool // rule ids that the export says in words only
}

func export(t *testing.T, s *schema.Schema, at schema.Stage) exported {
	t.Helper()
	x := schema.NewExporter("")
	x.Table(s, at)
	e := exported{table: s, stage: at, words: map[string]bool{}}
	for _, u := range x.Unexpressed() {
		e.words[u.Rule] = true
	}
	text := s.JSONSchema(schema.ExportOptions{Stage: at, ID: "https://example.com/table.json"}).Encode()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("https://example.com/table.json", v); err != nil {
		t.Fatal(err)
	}
	if e.schema, err = c.Compile("https://example.com/table.json"); err != nil {
		t.Fatalf("the export is no schema: %v", err)
	}
	return e
}

// compare holds both validators to the promise of [schema.Schema.JSONSchema].
func (e exported) compare(t *testing.T, v doc.Value) {
	t.Helper()
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	theirs := e.schema.Validate(plain)
	ours := schema.Errors(e.table.Validate(v, schema.Env{Stage: e.stage}))
	if theirs != nil && len(ours) == 0 {
		t.Errorf("the schema alone refuses %s: %v", v.Encode(), theirs)
	}
	for _, p := range ours {
		if theirs == nil && !e.words[p.Rule] {
			t.Errorf("the schema takes %s, but %s refuses it: %s", v.Encode(), p.Rule, p)
		}
	}
}

// knowing is the workspace in which cases are made: the more it knows, the more cases there are.
func knowing(at schema.Stage) schema.Env {
	return schema.Env{
		Stage:      at,
		Flags:      map[string]bool{"campaign_audience_limit": true, "queuing": true, "portfolio": true},
		Lists:      func(string) ([]string, bool) { return []string{"CUSTOM_SMTP", "Main SMTP", "Newsletter"}, true },
		Expression: func(string) error { return errors.New("it does not parse") },
	}
}

// The exported schema of every table of the catalog agrees with the tables on every document
// that the rules give rise to.
func TestExportAgrees(t *testing.T) {
	for name, s := range catalog.All() {
		for _, at := range []schema.Stage{schema.Draft, schema.Inline, schema.Saved, schema.Publish} {
			e, tried := export(t, s, at), map[string]int{}
			files, err := filepath.Glob(filepath.Join("..", "catalog", "testdata", "cases", name, "*.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				t.Run(at.String()+" "+name+" "+filepath.Base(file), func(t *testing.T) {
					base := read(t, file)
					e.compare(t, base)
					here := map[string]bool{}
					for _, c := range schematest.Cases(s, base, knowing(at)) {
						// The same table stands in many places, and many files have it; a few of them prove its rules.
						if tried[c.Rule]++; tried[c.Rule] <= 2/race.Factor(2) || !here[c.Rule] && tried[c.Rule] <= 5/race.Factor(5) {
							e.compare(t, c.Doc)
						}
						here[c.Rule] = true
					}
				})
			}
		}
	}
}

func read(t *testing.T, file string) doc.Value {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	v, err := doc.Parse(bytes.TrimSpace(b))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// odd is a table whose conditions look up, down and through lists and maps.
func odd() schema.Field {
	text := func(name string, f schema.Field) schema.Field {
		f.Name, f.Kind, f.Help = name, schema.String, "h"
		return f
	}
	deep := schema.Field{Kind: schema.Object, Help: "h", Fields: []schema.Field{
		text("a", schema.Field{Required: []schema.Required{{When: schema.All{schema.On{Path: "../../on"}, schema.When("b", "x", "y")}}}}),
		text("b", schema.Field{
			Applies: schema.AnyOf{schema.When("/mode", "x"), schema.Has{Path: "../kept"}},
			Options: []schema.Option{{Value: "x"}, {Value: "y", When: schema.Unless("/mode", "y")}, {Value: "z", When: schema.Has{Path: "../../list"}}},
		}),
		{Name: "c", Kind: schema.Any, Help: "h", Rules: []schema.Rule{schema.Guard{
			When: schema.Not{C: schema.All{schema.On{Path: "/on"}, schema.Has{Path: "a"}}}, Rule: schema.Forbidden{When: schema.Not{C: schema.When("../kept.k1", "y")}},
		}}},
	}, Rules: []schema.Rule{schema.Guard{When: schema.Holds{Path: "../list", Value: "x"}, Rule: schema.NotBoth{Fields: []string{"a", "b", "c"}}}}}
	return schema.Field{
		ID: "odd", Kind: schema.Object, Ref: "the book", Help: "h", Fields: []schema.Field{
			text("mode", schema.Field{Options: []schema.Option{{Value: "x"}, {Value: "y"}}}),
			{Name: "on", Kind: schema.Bool, Help: "h", Used: schema.Unless("mode", "y"), Required: []schema.Required{{When: schema.Not{C: schema.Has{Path: "list"}}}}},
			{Name: "list", Kind: schema.List, Help: "h", Rules: []schema.Rule{schema.Unique{}, schema.Excludes{Values: []string{"z"}, Text: "s"}, schema.Items{Max: 2}}, Elem: &schema.Field{
				Kind: schema.String, Help: "h", Rules: []schema.Rule{schema.Guard{When: schema.Not{C: schema.On{Path: "on"}}, Rule: schema.Length{Min: 1, Max: 1}}},
			}},
			{Name: "box", ID: "box", Kind: schema.Object, Help: "h", Fields: []schema.Field{
				{Name: "kept", Kind: schema.Map, Help: "h", Elem: &schema.Field{Kind: schema.String, Help: "h"}, Rules: []schema.Rule{
					schema.Keys{Re: regexp.MustCompile(`^k[0-9]$`), Text: "s"}, schema.Items{Min: 1, Max: 2},
				}},
				{Name: "rows", Kind: schema.List, Help: "h", Elem: &deep},
				{Name: "inner", Kind: schema.Object, Help: "h", Like: "box"},
			}, Elem: &deep, Rules: []schema.Rule{
				schema.Extra{Max: 1}, schema.Keys{Re: regexp.MustCompile(`^m`), Text: "s"},
				schema.Guard{When: schema.On{Path: "on"}, Rule: schema.OneOf{Fields: []string{"kept", "rows"}}},
			}},
		},
		Rules: []schema.Rule{schema.Guard{When: schema.AnyOf{schema.Has{Path: "/list"}, schema.Has{Path: "/mode"}}, Rule: schema.OneTrue{Fields: []string{"on", "off"}}}},
	}
}

// The promise holds for documents that no rule was thought of for, too.
func TestExportAgreesOnAnyValue(t *testing.T) {
	table := odd()
	table.Fields = append(table.Fields, schema.Field{Name: "off", Kind: schema.Bool, Help: "h"})
	s, err := schema.Compile(table)
	if err != nil {
		t.Fatal(err)
	}
	e := export(t, s, schema.Draft)
	random := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 8000 {
		v := nonEmpty(random, s.Root(), 0)
		e.compare(t, v)
		if len(schema.Errors(s.Validate(v, schema.Env{}))) == 0 {
			taken++
		}
		if t.Failed() {
			return
		}
	}
	if taken < 500 {
		t.Errorf("only %d documents were taken: the comparison says little", taken)
	}
}

// nonEmpty is the JSON Schema of values for which [doc.Value.Empty] is false.
func nonEmpty(random *rand.Rand, n *schema.Node, depth int) doc.Value {
	words := []string{"", "x", "y", "z", "xx"}
	word := func() doc.Value { return doc.NewString(words[random.IntN(len(words))]) }
	if random.IntN(40) == 0 {
		return []doc.Value{doc.NullValue(), doc.NewInt(1), doc.NewBool(true), doc.NewArray(), doc.NewObject(), word()}[random.IntN(6)]
	}
	switch n.Kind {
	case schema.Bool:
		return doc.NewBool(random.IntN(2) == 0)
	case schema.List:
		var elems []doc.Value
		for range random.IntN(3) {
			elems = append(elems, nonEmpty(random, n.Element, depth+1))
		}
		return doc.NewArray(elems...)
	case schema.Object, schema.Map:
		var ms []doc.Member
		for _, c := range n.Children {
			if random.IntN(2) == 0 && depth < 5 {
				ms = append(ms, doc.M(c.Name, nonEmpty(random, c, depth+1)))
			}
		}
		for _, name := range []string{"k1", "k2", "m", "n"} {
			if n.Element != nil && random.IntN(4) == 0 && depth < 5 {
				ms = append(ms, doc.M(name, nonEmpty(random, n.Element, depth+1)))
			}
		}
		return doc.NewObject(ms...)
	}
	return word()
}

// What the pattern of a form refuses, the form refuses; what only the form refuses is listed.
func TestExportedForms(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	finer := map[schema.Form]func(string) bool{ // what no pattern decides
		schema.URI:      func(string) bool { return true },
		schema.Zone:     func(string) bool { return true },
		schema.DateTime: func(s string) bool { return strings.Contains(s, "-02-29") },
		schema.Email:    func(s string) bool { return strings.Contains(s, "@[") },
	}
	for form, seeds := range map[schema.Form][]string{
		schema.URI:      {"https://example.com/a?b=c#d", "http://x", "app://", "mailto:a@b.c", "https:///x", "http:foo", "shop://offers/{{x}}"},
		schema.Email:    {"ann@example.com", "a.b+c@x-y.z", `"a b"@c.d`, "a@[127.0.0.1]", "ä@ö.de", "{{user.mail}}"},
		schema.E164:     {"+14155550123", "+491"},
		schema.Color:    {"#1F6FEB", "#fff", "#11223344"},
		schema.ObjectID: {"65f0a1b2c3d4e5f60718293a"},
		schema.UUID:     {"2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09", "2b1f0c3e8f6a4c1d9b7e5a4d3c2b1a09"},
		schema.Zone:     {"Europe/Berlin", "UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires", "Local"},
		schema.Clock:    {"09:30", "23:59:59"},
		schema.Digits:   {"15", "123456789012345678"},
		schema.Decimal:  {"-52.5200", "1"},
		schema.DateTime: {"2026-12-01T09:00:00Z", "2026-02-29T09:00:00.25+01:00", "2026-12-31T23:59", "2026-11-30T9:00:00,5-0700", "2026-04-30T00:00+24:60"},
	} {
		s := schema.MustCompile(schema.Field{ID: "forms", Kind: schema.Object, Ref: "the book", Fields: []schema.Field{
			{Name: "v", Kind: schema.String, Help: "h", Rules: []schema.Rule{schema.Format{As: form}}},
		}})
		e := export(t, s, schema.Draft)
		for i := range 2500 {
			text := seeds[i%len(seeds)]
			if i >= len(seeds) {
				text = mutated(random, text)
			}
			v := doc.NewObject(doc.M("v", doc.NewString(text)))
			if free := finer[form]; free != nil && !form.Matches(text) && free(text) {
				continue
			}
			e.compare(t, v)
		}
	}
}

func mutated(random *rand.Rand, s string) string {
	runes := []rune(s)
	const with = "0123459 +-:.,TZtz/@#?%[](){}<>\\\"aAfFgé\t\n\x00\u00a0\u2028"
	for range 1 + random.IntN(3) {
		c := []rune(with)[random.IntN(len([]rune(with)))]
		i := random.IntN(len(runes) + 1)
		switch random.IntN(3) {
		case 0:
			runes = slices.Insert(runes, i, c)
		case 1:
			if i < len(runes) {
				runes[i] = c
			}
		default:
			if i < len(runes) {
				runes = slices.Delete(runes, i, i+1)
			}
		}
	}
	return string(runes)
}

// The 30th of February and the like are refused by the pattern already.
func TestExportedTimes(t *testing.T) {
	s := schema.MustCompile(schema.Field{ID: "times", Kind: schema.Object, Ref: "the book", Fields: []schema.Field{
		{Name: "at", Kind: schema.Time, Help: "h"}, {Name: "or", Kind: schema.Time, Help: "h", Template: true},
	}})
	e := export(t, s, schema.Draft)
	for _, text := range []string{
		"2026-02-30T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-12-01T24:00:00Z", "2026-12-01", "",
		"2026-12-01T09:00:00Z", "2026-12-01T9:00", "2026-12-01T09:00:00.5+0100", "{{ user.end }}", "{% if x %}",
	} {
		for _, name := range []string{"at", "or"} {
			e.compare(t, doc.NewObject(doc.M(name, doc.NewString(text))))
		}
	}
}
