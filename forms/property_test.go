package forms

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/themes"
)

// awkwardValues are values that a careless form would rewrite.
var awkwardValues = []string{
	`"a\tb"`, `"one\r\ntwo\rthree\n"`, `" lead and trail "`, `""`, `"\u0041"`, `"\u001b[31mred"`, `"\ufffd"`, `"\u202egnp"`,
	`1.0`, `1e2`, `-0`, `0.10`, `5`, `"5"`, `true`, `false`, `null`, `[]`, `{}`, `[1,"a",null]`, `{"a":{"b":[1]}}`, `"no such option"`,
	`"👩‍👩‍👧 é 日本語"`, `"` + "\U000F0009" + `"`, `["a, b","","\"q\"",5]`, `[" x ","x"]`, `["2","2"]`, `"{{ user.name }}"`,
}

func drawScalar(t *rapid.T) doc.Value {
	if rapid.Bool().Draw(t, "awkward") {
		v, err := doc.Parse([]byte(rapid.SampledFrom(awkwardValues).Draw(t, "value")))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if rapid.IntRange(0, 20).Draw(t, "big") == 0 {
		return doc.NewString(strings.Repeat("line\tand\r\nline ", rapid.IntRange(1, 300).Draw(t, "lines")))
	}
	return doc.NewString(rapid.String().Draw(t, "text"))
}

// drawValue generates a value for a field: often a valid one, sometimes anything.
func drawValue(t *rapid.T, n *schema.Node, depth int) doc.Value {
	if n == nil || depth == 0 || rapid.IntRange(0, 5).Draw(t, "odd") == 0 {
		return drawScalar(t)
	}
	switch n.Kind {
	case schema.Object, schema.Map:
		var ms []doc.Member
		for _, c := range n.Children {
			if rapid.IntRange(0, 2).Draw(t, "there") > 0 {
				ms = append(ms, doc.M(c.Name, drawValue(t, c, depth-1)))
			}
		}
		for range rapid.IntRange(0, 2).Draw(t, "extras") {
			ms = append(ms, doc.M(rapid.SampledFrom([]string{"utm_x", "variation_1", "strange", "a\tb", ""}).Draw(t, "name"), drawValue(t, n.Element, depth-1)))
		}
		return doc.NewObject(ms...)
	case schema.List:
		var es []doc.Value
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			es = append(es, drawValue(t, n.Element, depth-1))
		}
		return doc.NewArray(es...)
	case schema.Bool:
		return doc.NewBool(rapid.Bool().Draw(t, "bool"))
	}
	if len(n.Options) > 0 {
		return doc.NewString(rapid.SampledFrom(n.Options).Draw(t, "option").Value)
	}
	return drawScalar(t)
}

// places returns the paths at which a form may be opened, existing or not.
func places(n *schema.Node, v doc.Value, p doc.Path) []doc.Path {
	if n == nil || len(p) > 6 {
		return nil
	}
	var out []doc.Path
	switch n.Kind {
	case schema.Object, schema.Map:
		out = append(out, p)
		for _, c := range n.Children {
			if v.Exists() || len(p) < 3 {
				out = append(out, places(c, v.Get(c.Name), p.Child(c.Name))...)
			}
		}
		for name, m := range v.Members() {
			if n.Element != nil && n.Child(name) == n.Element {
				out = append(out, places(n.Element, m, p.Child(name))...)
			}
		}
	case schema.List:
		out = append(out, p)
		for i, e := range v.Elems() {
			out = append(out, places(n.Element, e, p.Elem(i))...)
		}
	}
	return out
}

var tables = func() []*schema.Schema {
	out := []*schema.Schema{testSchema(), catalog.Campaign(catalog.Push), catalog.Campaign(catalog.Email)}
	all := catalog.All()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[name])
	}
	return out
}()

var colors = func() *themes.Theme {
	t, err := themes.New(themes.Options{Name: themes.Dark, Profile: termenv.TrueColor})
	if err != nil {
		panic(err)
	}
	return t
}()

func drawForm(t *rapid.T) (*Form, []byte) {
	s := rapid.SampledFrom(tables).Draw(t, "table")
	root := drawValue(t, s.Root(), 5)
	cfg := config(root)
	cfg.Schema = s
	cfg.Path = rapid.SampledFrom(append(places(s.Root(), root, nil), doc.Path{})).Draw(t, "path")
	if rapid.Bool().Draw(t, "colors") {
		cfg.Theme = colors
	}
	cfg.Width, cfg.Height = rapid.IntRange(1, 100).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height")
	return newForm(cfg), root.Encode()
}

// Opening a form on any document, moving through it and leaving it changes no byte, and it is read in words.
func TestNavigatingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, before := drawForm(t)
		for range f.rows {
			pressAndCheck(t, f, rapid.SampledFrom([]string{"tab", "down", "up", "left", "right", "enter", "look", "left text", "pgdown", "pgup"}).Draw(t, "key"))
		}
		for range f.Lines() {
			pressAndCheck(t, f, "tab")
		}
		root, changed := f.Edited()
		if changed || !bytes.Equal(root.Encode(), before) {
			t.Fatalf("changed %v\nbefore %s\nafter  %s", changed, before, root.Encode())
		}
	})
}

// pressAndCheck sends a key and checks the size of the view.
func pressAndCheck(t *rapid.T, f *Form, k string) {
	r, _ := f.focused()
	if in, ok := f.editor.(*textEditor); ok && in.list.At() >= 0 && (k == "enter" || k == "look") {
		return // enter would accept the suggestion
	}
	switch k {
	case "look": // open what can be opened, move in it, close it
		if r.group == groupAdder && f.list {
			return
		}
		press(f, "enter")
		if f.Modal() {
			press(f, "down", "right", "up", "left", "down", "esc")
		}
	case "enter":
		if r.Shape == ShapeText && !f.list {
			press(f, k)
		}
	case "left text": // type, and delete it again
		if in, ok := f.editor.(*textEditor); ok && in.typing() {
			press(f, "end", "x", "backspace")
		}
	default:
		press(f, k)
	}
	checkSize(t, f)
}

func checkSize(t interface{ Fatalf(string, ...any) }, f *Form) {
	view := f.View()
	lines := strings.Split(view, "\n")
	if len(lines) > f.layout.height {
		t.Fatalf("%d lines, %d allowed:\n%s", len(lines), f.layout.height, view)
	}
	if f.layout.width > 3 && len(f.rows) > 0 && !strings.Contains(view, "▸") {
		t.Fatalf("the focused field is out of sight:\n%s", view)
	}
	for _, l := range lines {
		if w := lipgloss.Width(l); w > f.layout.width {
			t.Fatalf("a line of %d cells, %d allowed: %q", w, f.layout.width, l)
		}
		if strings.ContainsAny(ansi.Strip(l), "\t\r\x1b\u202e") {
			t.Fatalf("a control character is drawn: %q", l)
		}
	}
}

// For any keys, nothing panics, the view fits, and what is outside the form's path is unchanged.
func TestAnyKeys(t *testing.T) {
	keys := slices.Sorted(maps.Keys(named))
	keys = append(keys, " ", "a", "d", "x", "J", "K", "é", "12", `{"a":[1`, "ctrl+x", "zzz", "X", "{{", "tomorrow 9am", "+2h")
	rapid.Check(t, func(t *rapid.T) {
		f, _ := drawForm(t)
		for range rapid.IntRange(1, 30).Draw(t, "keys") {
			switch k := rapid.SampledFrom(append(keys, "paste", "resize", "reload")).Draw(t, "key"); k {
			case "paste":
				paste(f, rapid.SampledFrom([]string{"a\tb\r\nc", strings.Repeat("long\n", 500), "\x1b[0m"}).Draw(t, "text"))
			case "resize":
				f.SetSize(rapid.IntRange(0, 90).Draw(t, "w"), rapid.IntRange(0, 30).Draw(t, "h"))
			case "reload":
				f.Reload(drawValue(t, f.cfg.Schema.Root(), 4))
			default:
				press(f, k)
			}
			if f.layout.width > 0 && f.layout.height > 0 {
				checkSize(t, f)
			}
			root, _ := f.Edited()
			if _, err := doc.Parse(root.Encode()); root.Exists() && err != nil {
				t.Fatalf("no document: %v", err)
			}
		}
	})
}
