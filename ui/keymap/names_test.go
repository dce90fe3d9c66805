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
	found, fixed := map[string]*Entry{}, map[string]*Entry{}
	for folder, part := range screens {
		r := &actionReader{screen: part, entries: found}
		for _, fn := range functions(t, filepath.Join("..", folder, "*.go")) {
			r.function(fn)
		}
		if r.labels != nil { // the list's own actions, with the screen's labels
			for _, fn := range functions(t, filepath.Join("..", "list", "actions.go")) {
				r.function(fn)
			}
		}
	}
	for folder, part := range components {
		r := &actionReader{screen: part, entries: fixed}
		for _, fn := range functions(t, filepath.Join(folder, "*.go")) {
			ast.Inspect(fn, r.key)
		}
	}
	got := generate(found, fixed)
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

// functions returns the functions and variables of the files that match a pattern, without tests.
func functions(t *testing.T, pattern string) []ast.Node {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var out []ast.Node
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			out = append(out, d)
		}
	}
	return out
}

// components maps the folders of the components that handle keys themselves to their part of the names.
var components = map[string]string{"../content": "content", "../filters": "audience", "../preview": "preview", "../calendar": "calendar", "../../forms": "form"}

// key reads the keys of a component: calls such as bind("x", "delete", "x", "delete"), where the keys are the texts after the
// label and the description, and literals with keys and a description.
func (r *actionReader) key(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		r.binding(n)
	case *ast.CompositeLit:
		keys, help := r.keys(first(field(n, "keys"), field(n, "Keys"))), r.strings(first(field(n, "help"), field(n, "Label")))
		if label := r.strings(field(n, "label")); len(keys) == 0 && len(label) == 1 && IsPrintable(label[0]) {
			keys = label
		}
		if len(keys) > 0 && len(help) == 1 && field(n, "Group") == nil {
			r.add(ActionName(r.screen, help[0]), help[0], keys)
		}
	}
	return true
}

// binding reads a call of bind, add or handled.
func (r *actionReader) binding(call *ast.CallExpr) {
	name, ok := call.Fun.(*ast.Ident)
	if !ok || name.Name != "bind" && name.Name != "add" && name.Name != "handled" {
		return
	}
	var texts []string
	for _, arg := range call.Args {
		if sum, ok := arg.(*ast.BinaryExpr); ok { // "move to "+title
			arg = sum.X
		}
		if text, ok := literal(arg); ok {
			texts = append(texts, text)
		}
	}
	if len(texts) > 2 {
		r.add(ActionName(r.screen, texts[1]), strings.TrimSpace(texts[1]), texts[2:])
	}
}

// words are the names of the letters, which mean the same on every screen, with alt too, where they work while one types. A
// name that has the word as a part of it keeps the rule. Arrows and their letters (h, j, k, l, g, G) only move.
var words = map[string]string{
	"a": "add", "b": "change-selected", "c": "clone", "d": "compare", "e": "edit", "f": "fix", "i": "import", "m": "grid", "n": "new",
	"o": "browser", "p": "preview", "q": "quit", "r": "reload", "s": "status", "t": "test", "u": "view-as", "v": "validate", "w": "views",
	"x": "delete", "y": "copy", "z": "zoom",
	"A": "add-variation", "B": "sort", "C": "columns", "D": "dismiss", "F": "state", "H": "history", "J": "move-down", "K": "move-up",
	"L": "check-links", "M": "workspace", "N": "repeat-unknown", "O": "outbox", "R": "restore", "S": "survey", "T": "templates",
	"U": "delete-all-unused", "W": "who-matches", "X": "cancel",
	"?": "help", "/": "filter", ".": "next", ",": "previous", "*": "select-all", "!": "not", "=": "split-evenly", "%": "percentages",
	"+": "use-what-is-left", ">": "next-slide", "<": "previous-slide", "0": "all",
	"alt+l": "fill-locales", "alt+n": "next-to-do",
}

// synonyms are other words of the same meaning.
var synonyms = map[string][]string{
	".": {"older"},     // is next in a list
	",": {"newer"},     //
	"m": {"form"},      // the grid's key leads back
	"r": {"retry"},     // of what failed
	"/": {"search"},    // with suggestions
	"t": {"today"},     // in a calendar
	">": {"move-into"}, // in an audience
	"<": {"move-out"},  //
}

func TestLettersMeanTheSame(t *testing.T) {
	used := map[string]bool{}
	for _, e := range slices.Concat(table, fixed) {
		_, name, _ := strings.Cut(e.Name, ".")
		for _, key := range e.Keys {
			letter := strings.TrimPrefix(key, "alt+")
			if !IsPrintable(letter) || letter == " " || strings.Contains("hjklgG", letter) && key == letter {
				continue
			}
			used[key], used[letter] = true, true
			word, ok := words[key]
			if !ok {
				word = words[letter]
			}
			parts := "-" + name + "-"
			if !slices.ContainsFunc(append([]string{word}, synonyms[letter]...), func(w string) bool { return w != "" && strings.Contains(parts, "-"+w+"-") }) {
				t.Errorf("%s has the key %s, which means %q", e.Name, key, word)
			}
		}
	}
	for key, word := range words {
		if !used[key] {
			t.Errorf("nothing has the key %s (%s)", key, word)
		}
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

func (r *actionReader) function(fn ast.Node) {
	r.texts, r.actions = map[string][]string{}, map[string]*ast.CompositeLit{}
	ast.Inspect(fn, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, left := range a.Lhs {
				r.assign(left, a.Rhs[i])
			}
		}
		return true
	})
	ast.Inspect(fn, func(n ast.Node) bool {
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
	ast.Inspect(fn, func(n ast.Node) bool { // for example  enter.Label = "send"
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
	if field(lit, "HelpOnly") != nil || field(lit, "PlainOnly") != nil || field(lit, "Group") == nil || field(lit, "Label") == nil || len(keys) == 0 && field(lit, "Keys") != nil {
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
		r.add(ActionName(r.screen, "zoom"), "show only the focused pane, or all panes again", r.strings(call.Args[len(call.Args)-3]))
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

func first[T comparable](of ...T) T {
	var none T
	for _, v := range of {
		if v != none {
			return v
		}
	}
	return none
}

func generate(found, fixed map[string]*Entry) []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated by go generate from the screens' actions; DO NOT EDIT.\n\npackage keymap\n\n")
	b.WriteString("// table lists the actions that can be rebound.\nvar table = []Entry{\n")
	write(&b, found)
	b.WriteString("}\n\n// fixed lists the keys of the forms, the grid, the audience and other components, which cannot be rebound.\nvar fixed = []Entry{\n")
	write(&b, fixed)
	b.WriteString("}\n")
	out, err := format.Source(b.Bytes())
	if err != nil {
		panic(err)
	}
	return out
}

// write writes the entries in order, the global ones first.
func write(b *bytes.Buffer, found map[string]*Entry) {
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
		if e.Keys == nil {
			e.Keys = []string{}
		}
		fmt.Fprintf(b, "\t{%q, %q, %#v},\n", e.Name, e.Description, e.Keys)
	}
}
