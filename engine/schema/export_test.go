package schema_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
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
			e := export(t, s, at)
			files, err := filepath.Glob(filepath.Join("..", "catalog", "testdata", "cases", name, "*.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				t.Run(at.String()+" "+name+" "+filepath.Base(file), func(t *testing.T) {
					base := read(t, file)
					e.compare(t, base)
					tried := map[string]int{}
					for _, c := range schema.Cases(s, base, knowing(at)) {
						// The same table stands in many places; a few of them prove its rules.
						if tried[c.Rule]++; tried[c.Rule] <= 12 {
							e.compare(t, c.Doc)
						}
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

var _ = strings.TrimSpace
