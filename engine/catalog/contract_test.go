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

// contractTables writes the tables: each component and each request. An object that has the same fields as one before
// it is written once, and so is a component that push and email share.
func contractTables() string {
	w := contractWriter{places: map[string]string{}}
	var names []string
	parts := map[string][]part{}
	for _, ch := range []catalog.Channel{catalog.Push, catalog.Email} {
		s := catalog.Campaign(ch)
		for _, n := range s.Root().Children {
			if parts[n.Name] == nil {
				names = append(names, n.Name)
			}
			parts[n.Name] = append(parts[n.Name], part{ch.Label(), s, n})
		}
	}
	for _, name := range names {
		w.component(name, parts[name])
	}
	for _, name := range []string{"test push", "test email", "search", "meta", "status", "preview push"} {
		s := catalog.All()["request "+name]
		w.heading("Request: "+name, s.Root())
		w.table(s, "Request: "+name, s.Root())
	}
	return w.String()
}

// part is a component as the campaigns of a channel have it.
type part struct {
	channel string
	*schema.Schema
	*schema.Node
}

type contractWriter struct {
	strings.Builder
	places map[string]string // where an object with these rows was written
}

func (w *contractWriter) heading(title string, n *schema.Node) {
	fmt.Fprintf(w, "### %s\n\n%s\n\n", title, n.Help)
}

func (w *contractWriter) component(name string, of []part) {
	w.heading(name, of[0].Node)
	one := len(of) == 1 || fieldRows(of[0].Schema, of[0].Node, "") == fieldRows(of[1].Schema, of[1].Node, "")
	switch {
	case len(of) == 1:
		fmt.Fprintf(w, "%s only.\n\n", of[0].channel)
		w.table(of[0].Schema, name, of[0].Node)
	case one:
		w.table(of[0].Schema, name, of[0].Node)
	default:
		for _, p := range of {
			fmt.Fprintf(w, "%s:\n\n", p.channel)
			w.table(p.Schema, name+" of "+p.channel, p.Node)
		}
	}
}

func (w *contractWriter) table(s *schema.Schema, title string, n *schema.Node) {
	if len(n.Children) > 0 {
		fmt.Fprintf(w, "| Field | Type | Rules |\n|---|---|---|\n")
		w.below(s, title, n, "")
		w.WriteString("\n")
	}
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

// Every section that the tables name is a heading of the contract.
func TestSectionsAreHeadings(t *testing.T) {
	b, err := os.ReadFile(contract)
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if name, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			headings["CONTRACT.md, "+strings.TrimSpace(name)] = true
		}
	}
	seen := map[*schema.Node]bool{}
	var walk func(name string, n *schema.Node)
	walk = func(name string, n *schema.Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if !headings[n.Section] {
			t.Errorf("%s, %s: %q is no section of the contract", name, n.Name, n.Section)
		}
		for _, r := range n.Required {
			if r.Ref != "" && !headings[r.Ref] {
				t.Errorf("%s, %s: %q is no section of the contract", name, n.Name, r.Ref)
			}
		}
		for _, c := range n.Children {
			walk(name, c)
		}
		walk(name, n.Element)
	}
	for name, s := range catalog.All() {
		walk(name, s.Root())
	}
}
