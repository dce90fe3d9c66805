package catalog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/schema/schematest"
)

// ruleCase proves one rule with documents written by hand: each of accept does not report it,
// each of refuse does. Other rules may report what they like.
type ruleCase struct {
	rule   string     // rule id
	schema string     // key of All
	env    schema.Env // Stage alone is usually all; see caseEnv
	accept []string
	refuse []string
}

// handCases are for the rules that [schematest.Cases] cannot build: named ones above all. Files
// beside this one append to it in an init.
var handCases []ruleCase

// caseEnv is the workspace that the cases live in, at a stage, with its flags on or off.
func caseEnv(stage schema.Stage, flags bool) schema.Env {
	return schema.Env{
		Stage: stage,
		Now:   time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		Flags: map[string]bool{"campaign_audience_limit": flags, "queuing": flags, "portfolio": flags},
		Lists: func(list string) ([]string, bool) {
			names, ok := map[string][]string{
				"connectors":              {"CUSTOM_SMTP Main SMTP", "SENDGRID Bulk mail"},
				"connector_types":         {"CUSTOM_SMTP", "SENDGRID"},
				"connector_names":         {"Main SMTP", "Bulk mail"},
				"subscription_categories": {"Newsletter", "Offers"},
			}[list]
			return names, ok
		},
		Expression: func(text string) error {
			if strings.Count(text, "{{") != strings.Count(text, "}}") || strings.Contains(text, ". }}") {
				return errors.New("it does not end")
			}
			return nil
		},
	}
}

// fixtureStage is the stage at which a fixture must be valid: its file name says so
// (x.draft.json, x.inline.json, x.saved.json), Publish otherwise.
func fixtureStage(path string) schema.Stage {
	for suffix, stage := range map[string]schema.Stage{".draft.json": schema.Draft, ".inline.json": schema.Inline, ".saved.json": schema.Saved} {
		if strings.HasSuffix(path, suffix) {
			return stage
		}
	}
	return schema.Publish
}

// TestRules proves every rule of every table with at least one document that it accepts and
// one that it refuses. The fixtures are testdata/cases/<schema>/*.json.
func TestRules(t *testing.T) {
	accepted, refused := map[string]bool{}, map[string]bool{}
	note := func(rule string, refuse bool) {
		if refuse {
			refused[rule] = true
		} else {
			accepted[rule] = true
		}
	}
	schemas := All()
	for name, s := range schemas {
		files, err := filepath.Glob(filepath.Join("testdata", "cases", name, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			t.Run(strings.TrimPrefix(file, "testdata/cases/"), func(t *testing.T) { generated(t, s, file, note) })
		}
	}
	t.Run("by hand", func(t *testing.T) {
		for _, c := range handCases {
			byHand(t, schemas[c.schema], c, note)
		}
	})
	if t.Failed() {
		return
	}
	var missing []string
	for _, s := range schemas {
		for _, n := range s.Nodes() {
			for _, rule := range n.RuleIDs() {
				if !accepted[rule] {
					missing = append(missing, rule+": no accepted case")
				}
				if !refused[rule] {
					missing = append(missing, rule+": no refused case")
				}
			}
		}
	}
	slices.Sort(missing)
	if missing = slices.Compact(missing); len(missing) > 0 {
		t.Errorf("%d rules without a case:\n%s", len(missing), strings.Join(missing, "\n"))
	}
}

func generated(t *testing.T, s *schema.Schema, file string, note func(string, bool)) {
	base := readFixture(t, file)
	if ps := schema.Errors(s.Validate(base, caseEnv(fixtureStage(file), true))); len(ps) > 0 {
		t.Fatalf("the fixture is not valid: %v", ps)
	}
	for _, stage := range []schema.Stage{schema.Draft, schema.Inline, schema.Saved, schema.Publish} {
		for _, flags := range []bool{true, false} {
			if !flags && stage != schema.Draft {
				continue // no table ties a flag to a stage
			}
			env := caseEnv(stage, flags)
			if len(schema.Errors(s.Validate(base, env))) > 0 {
				continue
			}
			tried := map[string]int{}
			for _, c := range schematest.Cases(s, base, env) {
				// The same table stands in many places; a few of them prove its rules.
				key := fmt.Sprint(c.Rule, c.Refuse)
				if tried[key]++; tried[key] > 4 && !strings.HasSuffix(c.Rule, "#enum") {
					continue
				}
				note(c.Rule, c.Refuse)
				if reports(s, c.Doc, env, c.Rule) != c.Refuse {
					t.Errorf("%s at %s, flags %v: refused should be %v for %s at %q", c.Rule, stage, flags, c.Refuse, c.Doc.Lookup(c.Path.Parent()).Encode(), c.Path)
				}
			}
		}
	}
}

// TestMissing proves every requirement of every table with documents that lack the field: the field
// alone, all that is beside it, and the objects around it.
func TestMissing(t *testing.T) {
	proved := map[string]bool{}
	for name, s := range All() {
		files, err := filepath.Glob(filepath.Join("testdata", "cases", name, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			base := readFixture(t, file)
			for _, stage := range []schema.Stage{schema.Draft, schema.Inline, schema.Saved, schema.Publish} {
				env := caseEnv(stage, true)
				if len(schema.Errors(s.Validate(base, env))) > 0 {
					continue
				}
				tried := map[string]int{}
				for _, c := range schematest.MissingCases(s, base, env) {
					key := fmt.Sprint(c.Rule, c.Lack, c.Refuse)
					if tried[key]++; tried[key] > 4 { // as in generated
						continue
					}
					proved[c.Rule+" "+string(c.Lack)] = true
					if found := s.Validate(c.Doc, env); !c.Met(found) {
						t.Errorf("%s at %s, %s: missing should be %v at %q in %s\ngot %v", c.Rule, stage, c.Lack, c.Refuse, c.Path, c.Doc.Encode(), found)
					}
				}
			}
		}
	}
	for name, s := range All() {
		for _, n := range s.Nodes() {
			for _, rule := range n.RuleIDs() {
				if !strings.Contains(rule, "#required") {
					continue
				}
				lacks := []schematest.Lack{schematest.NoField}
				if n.Parent != s.Root() {
					lacks = append(lacks, schematest.EmptyObject)
				}
				for _, lack := range lacks {
					if !proved[rule+" "+string(lack)] {
						t.Errorf("schema %s: %s has no case in which %s", name, rule, lack)
					}
				}
			}
		}
	}
}

func byHand(t *testing.T, s *schema.Schema, c ruleCase, note func(string, bool)) {
	if s == nil {
		t.Errorf("%s: no schema %q", c.rule, c.schema)
		return
	}
	full := caseEnv(c.env.Stage, true)
	if c.env.Flags != nil {
		full.Flags = c.env.Flags
	}
	if !c.env.Now.IsZero() {
		full.Now = c.env.Now
	}
	if c.env.Lists != nil {
		full.Lists = c.env.Lists
	}
	for _, refuse := range []bool{false, true} {
		texts := c.accept
		if refuse {
			texts = c.refuse
		}
		for _, text := range texts {
			v, err := doc.Parse([]byte(text))
			if err != nil {
				t.Errorf("%s: %v in %s", c.rule, err, text)
				continue
			}
			note(c.rule, refuse)
			if reports(s, v, full, c.rule) != refuse {
				t.Errorf("%s: refused should be %v for %s\ngot %v", c.rule, refuse, text, s.Validate(v, full))
			}
		}
	}
}

func reports(s *schema.Schema, v doc.Value, env schema.Env, rule string) bool {
	return slices.ContainsFunc(s.Validate(v, env), func(p schema.Problem) bool { return p.Rule == rule })
}

func readFixture(t *testing.T, file string) doc.Value {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	v, err := doc.Parse(b)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}

// TestTables lints every table, and that no two different tables share a rule-id prefix.
func TestTables(t *testing.T) {
	seen := map[string]*schema.Node{}
	for name, s := range All() {
		for _, n := range s.Nodes() {
			old := seen[n.RuleID]
			if old == nil {
				seen[n.RuleID] = n
				continue
			}
			if shape(n) != shape(old) || n.Name == old.Name && n.Help != old.Help {
				t.Errorf("schema %s: %s is the rule id of two tables, %s and %s", name, n.RuleID, n.Path(), old.Path())
			}
		}
	}
}

// shape spells what makes a table the one it is, wherever it is put.
func shape(n *schema.Node) string {
	var b strings.Builder
	b.WriteString(n.Kind.String())
	for _, o := range n.Options {
		b.WriteString(" " + o.Value)
	}
	for _, c := range n.Children {
		b.WriteString(" " + c.Name)
	}
	return b.String()
}
