package keymap

//go:generate go test -run TestNamesMatchScreens -update .

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of names anew")

// screens maps the folder of each screen to its part of the names, that of its route.
var screens = map[string]string{
	"app": App, "campaigns": "campaigns", "newdraft": "new", "builder": "builder", "validate": "validate", "testsend": "test",
	"outbox": "outbox", "activity": "activity", "history": "history", "settings": "settings", "welcome": "welcome", "workspace": "workspace",
	"filters": "workspace", "viewas": "builder", // what is shown in these screens
}

// The table matches the screens' sources: every action with a label and keys, except those that are only help
// entries or are not in the help.
func TestNamesMatchScreens(t *testing.T) {
	found := map[string]*Entry{}
	for folder, screen := range screens {
		r := &actionReader{screen: screen, entries: found}
		files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range tree.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					r.function(fn)
				}
			}
		}
		if r.labels == nil {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "list", "actions.go"), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls { // with the screen's labels
			if fn, ok := d.(*ast.FuncDecl); ok {
				r.function(fn)
			}
		}
	}
	got := generate(found)
	if *update {
		if err := os.WriteFile("names.go", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("names.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the screens have other actions than names.go lists: run go generate ./ui/keymap")
	}
}

// actionReader collects the actions of one function.
type actionReader struct {
	screen  string
	entries map[string]*Entry
	texts   map[string][]string          // the texts assigned to each variable
	actions map[string]*ast.CompositeLit // the action assigned to each variable
	labels  *ast.CompositeLit            // the list.Labels of the screen; nil if it has none
}

func (r *actionReader) function(fn *ast.FuncDecl) {
	r.texts, r.actions = map[string][]string{}, map[string]*ast.CompositeLit{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, left := range a.Lhs {
				r.assign(left, a.Rhs[i])
			}
		}
		return true
	})
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if sel, ok := n.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Labels" {
				r.labels = n
			}
			r.action(n)
		case *ast.CallExpr:
			r.zoom(n)
		}
		return true
	})
	ast.Inspect(fn.Body, func(n ast.Node) bool { // for example  enter.Label = "send"
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			r.relabel(a)
		}
		return true
	})
}

func (r *actionReader) assign(left, right ast.Expr) {
	name, ok := left.(*ast.Ident)
	if !ok {
		return
	}
	if text, ok := literal(right); ok {
		r.texts[name.Name] = append(r.texts[name.Name], text)
	}
	if lit, ok := right.(*ast.CompositeLit); ok && isAction(lit) {
		r.actions[name.Name] = lit
	}
}

func (r *actionReader) relabel(a *ast.AssignStmt) {
	var on, label, does string
	for i, left := range a.Lhs {
		sel, ok := left.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok {
			continue
		}
		text, _ := literal(a.Rhs[i])
		switch sel.Sel.Name {
		case "Label":
			on, label = x.Name, text
		case "Help":
			does = text
		}
	}
	if lit := r.actions[on]; lit != nil && label != "" {
		r.add(ActionName(r.screen, label), first(does, label), r.keys(field(lit, "Keys")))
	}
}

func (r *actionReader) action(lit *ast.CompositeLit) {
	keys := r.keys(field(lit, "Keys"))
	if len(keys) == 0 || field(lit, "HelpOnly") != nil || field(lit, "Group") == nil {
		return
	}
	does := ""
	if help := r.strings(field(lit, "Help")); len(help) == 1 {
		does = help[0]
	}
	names, labels := r.strings(field(lit, "Name")), r.strings(field(lit, "Label"))
	if len(names) == 0 {
		names = labels
	}
	for _, name := range names {
		r.add(ActionName(r.screen, name), first(does, name), keys)
	}
}

// zoom adds the zoom action, which all screens with panes share.
func (r *actionReader) zoom(call *ast.CallExpr) {
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "ZoomAction" {
		r.add(ActionName(r.screen, "zoom"), "show only the focused pane, or all panes again", []string{"z"})
	}
}

func (r *actionReader) add(name, does string, keys []string) {
	e := r.entries[name]
	if e == nil {
		e = &Entry{Name: name, Description: does}
		r.entries[name] = e
	}
	if len(does) > len(e.Description) || len(does) == len(e.Description) && does < e.Description {
		e.Description = does
	}
	for _, k := range keys {
		if !slices.Contains(e.Keys, k) {
			e.Keys = append(e.Keys, k)
		}
	}
}

// strings returns the possible values of a string expression.
func (r *actionReader) strings(e ast.Expr) []string {
	if text, ok := literal(e); ok {
		return []string{text}
	}
	switch e := e.(type) {
	case *ast.Ident:
		return r.texts[e.Name]
	case *ast.SelectorExpr:
		if r.labels != nil {
			return r.strings(field(r.labels, e.Sel.Name))
		}
	case *ast.BinaryExpr:
		if x, y := r.strings(e.X), r.strings(e.Y); len(x) == 1 && len(y) == 1 {
			return []string{x[0] + y[0]}
		}
	}
	return nil
}

func (r *actionReader) keys(e ast.Expr) []string {
	if sel, ok := e.(*ast.SelectorExpr); ok && r.labels != nil {
		e = field(r.labels, sel.Sel.Name)
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	var out []string
	for _, elt := range lit.Elts {
		if text, ok := literal(elt); ok {
			out = append(out, text)
		}
	}
	return out
}

func field(lit *ast.CompositeLit, name string) ast.Expr {
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == name {
				return kv.Value
			}
		}
	}
	return nil
}

func isAction(lit *ast.CompositeLit) bool { return field(lit, "Keys") != nil }

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil && text != ""
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func generate(found map[string]*Entry) []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated by go generate from the screens' actions; DO NOT EDIT.\n\npackage keymap\n\nvar table = []Entry{\n")
	names := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		if x, y := strings.HasPrefix(a, App+"."), strings.HasPrefix(b, App+"."); x != y {
			if x {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		e := found[name]
		fmt.Fprintf(&b, "\t{%q, %q, %#v},\n", e.Name, e.Description, e.Keys)
	}
	b.WriteString("}\n")
	out, err := format.Source(b.Bytes())
	if err != nil {
		panic(err)
	}
	return out
}
