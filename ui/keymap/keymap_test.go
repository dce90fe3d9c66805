package keymap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// useTestTable replaces the table of actions for a test.
func useTestTable(t *testing.T) {
	t.Helper()
	old := table
	t.Cleanup(func() { table = old })
	table = []Entry{
		{"app.palette", "find an action", []string{"ctrl+k"}},
		{"app.quit", "quit", []string{"q"}},
		{"list.archive", "put away", []string{"A"}},
		{"list.delete", "delete", []string{"x", "delete"}},
		{"list.open", "open", []string{"enter"}},
		{"list.choose", "choose", []string{"enter", " "}},
		{"reader.next", "the next one", []string{"n"}},
	}
}

func problemTexts(problems []Problem) string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

func TestParse(t *testing.T) {
	useTestTable(t)
	m, problems := Parse([]byte("# mine\nlist.archive: [ctrl+a, F5]\nlist.delete: Space\nreader.next: []\napp.quit: \"Q\"\nlist.open: [o, enter]\n"))
	if got := problemTexts(problems); got != "line 3, list.delete: space is the key of list.choose; give that one another key, too, or choose another here" {
		t.Errorf("it is told %q", got)
	}
	for name, want := range map[string][]string{"list.archive": {"ctrl+a", "f5"}, "reader.next": {}, "app.quit": {"Q"}, "list.open": {"o", "enter"}} {
		if got, ok := m.Lookup(name); !ok || !slices.Equal(got, want) {
			t.Errorf("%s has the keys %q", name, got)
		}
	}
	if _, ok := m.Lookup("list.delete"); ok {
		t.Error("a line that is told of holds")
	}
	if m, problems = Parse([]byte(`{"list.archive": "n"}`)); len(problems) != 0 || m.Empty() {
		t.Errorf("JSON, and a key that another screen has: %s", problemTexts(problems))
	}
	for _, empty := range []string{"", "# nothing\n", "null"} {
		if m, problems := Parse([]byte(empty)); !m.Empty() || len(problems) != 0 {
			t.Errorf("%q gives %s", empty, problemTexts(problems))
		}
	}
}

func TestParseProblems(t *testing.T) {
	useTestTable(t)
	for text, want := range map[string]string{
		"list.archiv: a":                             "line 1, list.archiv: there is no action of that name; did you mean list.archive?",
		"list.archive: ctrl+c":                       "line 1, list.archive: ctrl+c ends the program, always",
		"list.archive: ctr+a":                        `line 1, list.archive: there is no key "ctr+a": write one character, or`,
		"list.archive:":                              "line 1, list.archive: write a key such as ctrl+a or f5, or a list of them",
		"list.archive: {a: b}":                       "line 1, list.archive: write a key",
		"app.quit: A":                                "line 1, app.quit: A is the key of list.archive;",
		"list.archive: q":                            "line 1, list.archive: q is the key of app.quit;",
		"list.archive: z\nlist.delete: z":            "line 2, list.delete: z is the key of list.archive;",
		"list.delete: z\n\nlist.archive: z":          "line 3, list.archive: z is the key of list.delete;",
		"list.archive: z\nlist.archive: y":           "line 2, list.archive: it is named twice",
		"- a":                                        "the keys cannot be read: line 1: write lines such as",
		"list.archive: [":                            "the keys cannot be read: line 1",
		"list.archive: x\nlist.delete: A\nlist.x: 1": "line 3, list.x: there is no action", // the first two swap keys
	} {
		_, problems := Parse([]byte(text))
		if got := problemTexts(problems); len(problems) != 1 || !strings.HasPrefix(got, want) {
			t.Errorf("of %q it is told %q, want %q", text, got, want)
		}
	}
}

// Dropping an override restores the action's default keys, which may conflict in turn.
func TestConflictsResolveCompletely(t *testing.T) {
	useTestTable(t)
	m, problems := Parse([]byte("app.quit: ctrl+k\nlist.archive: q\n"))
	if !m.Empty() || len(problems) != 2 {
		t.Errorf("what holds is %v; %s", m.Names(), problemTexts(problems))
	}
}

func TestParseKeySpellings(t *testing.T) {
	for text, want := range map[string]string{
		"a": "a", "A": "A", "é": "é", "~": "~", " ": " ", "Ctrl+A": "ctrl+a", "alt+x": "alt+x", "alt+X": "alt+X", "F12": "f12", "space": " ",
		"ctrl+space": "ctrl+@", "return": "enter", "shift+tab": "shift+tab", "shift+a": "A", "PageUp": "pgup", "alt+enter": "alt+enter", "↑": "up",
	} {
		if got, err := ParseKey(text); got != want || err != nil {
			t.Errorf("%q is %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "ctrl+c", "ctrl", "ctrl+ä", "abc", "\x1b", "alt+", "f99", "ctrl+shift+a", "\xff"} {
		if got, err := ParseKey(text); err == nil {
			t.Errorf("%q is the key %q", text, got)
		}
	}
}

func TestSetKeepsRestOfFile(t *testing.T) {
	useTestTable(t)
	f := File{filepath.Join(t.TempDir(), "new", "keys.yaml")}
	if m, problems := f.Load(); !m.Empty() || len(problems) != 0 {
		t.Errorf("a file that is not there says %v %s", m, problemTexts(problems))
	}
	set := func(name string, keys ...string) {
		t.Helper()
		m, err := f.Set(name, keys)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := m.Lookup(name); ok != (keys != nil) || !slices.Equal(got, keys) {
			t.Errorf("%s has %q", name, got)
		}
	}
	set("list.archive", "ctrl+a")
	set("list.delete", "#", "~")
	set("reader.next", " ")
	text := func() string {
		b, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got, want := text(), fileHeader+"list.archive: ctrl+a\nlist.delete: ['#', \"~\"]\nreader.next: space\n"; got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
	if m, problems := f.Load(); len(m.Names()) != 3 || len(problems) != 0 {
		t.Errorf("what was written is read as %v: %s", m, problemTexts(problems))
	}
	if err := f.Write([]byte("# first\nlist.archive: ctrl+a # because\nlist.gone: 1\n\n# last\nreader.next: m\n")); err != nil {
		t.Fatal(err)
	}
	set("reader.next", "j")
	set("list.archive")
	if got := text(); got != "# first\nlist.gone: 1\n\n# last\nreader.next: j\n" && got != "list.gone: 1\n# last\nreader.next: j\n" {
		t.Errorf("the file is\n%s", got)
	}
	before := text()
	if _, err := f.Set("list.archive", []string{"x"}); err == nil || !strings.Contains(err.Error(), "x is the key of list.delete") {
		t.Errorf("a key that is taken: %v", err)
	}
	set("list.delete", "D")
	set("list.archive", "x")
	if _, err := f.Set("list.delete", nil); err == nil {
		t.Error("an action got its key back, and another lost the same")
	}
	if text() == before {
		t.Error("nothing was written")
	}
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the rights %v %v", info.Mode(), err)
	}
}
