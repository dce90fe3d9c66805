package catalog_test

//go:generate go test -run TestContractHasTheTables -update .

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/schema"
)

var update = flag.Bool("update", false, "write the tables into the contract anew")

const (
	contract    = "../CONTRACT.md"
	tablesBegin = "<!-- Generated from engine/catalog by go generate. -->\n"
)

// The contract ends with the fields of campaigns and requests as the tables have them.
func TestContractHasTheTables(t *testing.T) {
	before, err := os.ReadFile(contract)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, found := bytes.Cut(before, []byte(tablesBegin))
	if !found {
		t.Fatalf("%s has no line %q", contract, tablesBegin)
	}
	got := append(prose, tablesBegin+"\n"+contractTables()...)
	if *update {
		if err := os.WriteFile(contract, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(got, before) {
		t.Errorf("%s differs from the tables; run go generate ./engine/catalog", contract)
	}
}

// contractTables writes the tables: each component of a channel's campaigns and each request. An object that has the
// same fields as one before it is written once.
func contractTables() string {
	w := contractWriter{places: map[string]string{}}
	for _, ch := range []catalog.Channel{catalog.Push, catalog.Email} {
		s := catalog.Campaign(ch)
		for _, part := range s.Root().Children {
			w.table(s, ch.Label()+": "+part.Name, part)
		}
	}
	for _, name := range []string{"test push", "test email", "search", "meta", "status", "preview push"} {
		s := catalog.All()["request "+name]
		w.table(s, "Request: "+name, s.Root())
	}
	return w.String()
}

type contractWriter struct {
	strings.Builder
	places map[string]string // where an object with these rows was written
}

func (w *contractWriter) table(s *schema.Schema, title string, n *schema.Node) {
	fmt.Fprintf(w, "### %s\n\n%s\n", title, n.Help)
	if len(n.Children) > 0 {
		fmt.Fprintf(w, "\n| Field | Type | Rules |\n|---|---|---|\n")
		w.below(s, title, n, "")
	}
	w.WriteString("\n")
}

// below writes the fields in n, which is at a path of the table with that title.
func (w *contractWriter) below(s *schema.Schema, title string, n *schema.Node, at string) {
	rows := fieldRows(s, n, "")
	if before, ok := w.places[rows]; ok && strings.Count(rows, "\n") > 2 {
		fmt.Fprintf(w, "| `%s` | | The fields of %s. |\n", joined(at, ".…"), before)
		return
	}
	w.places[rows] = "“" + title + "”"
	if at != "" {
		w.places[rows] = fmt.Sprintf("`%s` in “%s”", at, title)
	}
	for _, f := range inside(n) {
		path := joined(at, f.step)
		w.WriteString(fieldRow(s, f.Node, path))
		w.below(s, title, f.Node, path)
	}
}

type inner struct {
	*schema.Node
	step string
}

// inside returns the fields in n and its element. A field with the fields of an object around it has none of its own.
func inside(n *schema.Node) (out []inner) {
	if n.Like != "" {
		return nil
	}
	for _, c := range n.Children {
		out = append(out, inner{c, "." + c.Name})
	}
	switch {
	case n.Element == nil:
	case n.Kind == schema.List:
		out = append(out, inner{n.Element, "[]"})
	default:
		out = append(out, inner{n.Element, ".*"})
	}
	return out
}

func joined(at, step string) string { return strings.TrimPrefix(at+step, ".") }

// fieldRows returns the rows of all fields below n.
func fieldRows(s *schema.Schema, n *schema.Node, at string) (out string) {
	for _, f := range inside(n) {
		path := joined(at, f.step)
		out += fieldRow(s, f.Node, path) + fieldRows(s, f.Node, path)
	}
	return out
}

func fieldRow(s *schema.Schema, f *schema.Node, path string) string {
	notes, _, _ := strings.Cut(strings.Join(s.Reference(f), " "), " Source: ")
	return fmt.Sprintf("| `%s` | %s | %s |\n", path, f.Kind, strings.ReplaceAll(strings.Join(strings.Fields(notes), " "), "|", "\\|"))
}
