package forms

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/schema"
)

func TestWrongKindOfValue(t *testing.T) {
	f := open(t, `{"timer":"soon"}`, "timer")
	shows(t, f, "soon", "opens the editor")
	press(f, "x", "enter", "tab")
	want(t, f, `{"timer":"soon"}`)
	press(f, "ctrl+x")
	want(t, f, `{}`)
	shows(t, f, "Ends at")
}

func TestEmptyChoiceNamesDefault(t *testing.T) {
	f := at(t, open(t, `{}`), "sticky")
	shows(t, f, "Default (no) ▾")
	shows(t, at(t, f, "template"), "Not set ▾")
	cfg := config(parse(t, `{}`), "basic_details")
	cfg.Schema, cfg.Focus = catalog.Campaign(catalog.Email), "content_type"
	shows(t, newForm(cfg), "None ▾")
}

// Typing in a choice finds the best match; letters that match no option do nothing.
func TestTypingInChoice(t *testing.T) {
	f := open(t, `{"template":"Custom"}`)
	press(f, "t", "enter")
	want(t, f, `{"template":"TIMER"}`)
	press(f, "zz")
	shows(t, f, "no match")
	press(f, "down", "enter", "ctrl+u", "not set", "enter")
	want(t, f, `{}`)
}

func TestReload(t *testing.T) {
	f := at(t, open(t, `{"title":"a"}`), "title")
	press(f, "b")
	root, changed := f.Edited()
	if !changed {
		t.Fatal("a change is not told")
	}
	f.Reload(root)
	if _, changed := f.Edited(); changed {
		t.Error("it is changed after it was saved")
	}
	press(f, "c")
	want(t, f, `{"title":"abc"}`)
	f.Reload(parse(t, `{"template":"Custom","title":"undone"}`))
	if st, _ := f.Focused(); st.Node == nil || st.Node.Name != "title" {
		t.Errorf("the focus went to %v", st.Path)
	}
	press(f, "!")
	want(t, f, `{"template":"Custom","title":"undone!"}`)
}

func TestGolden(t *testing.T) {
	const is = `{"template":"Custom","title":"Hi\tthere","body":"one\ntwo","count":12,"strange":1,"platforms":["IOS","TV"],"tags":["a","b, c"],` +
		`"buttons":[{"text":"Go","action":"OPEN"},{}],"timer":{"ends_at":"soon"},"pairs":{"a":1},"value":5}`
	steps := map[string][]string{
		"start": nil,
		"menu":  {"enter", "t"},
		"text":  {"tab", "tab", "tab", "down", "!"},
		"list":  {"tab", "tab", "tab", "tab", "tab", "tab", "enter"},
		"end":   {"ctrl+end"},
	}
	for name, ks := range steps {
		sizes := [][2]int{{80, 24}}
		if name == "start" {
			sizes = append(sizes, [2]int{60, 20}, [2]int{36, 18})
		}
		for _, size := range sizes {
			file := filepath.Join("testdata", name+"-"+strconv.Itoa(size[0])+"x"+strconv.Itoa(size[1])+".golden")
			t.Run(filepath.Base(file), func(t *testing.T) {
				f := open(t, is)
				f.SetSize(size[0], size[1])
				for _, k := range ks {
					press(f, k)
				}
				got := f.View() + "\n"
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// Enter accepts the highlighted name in every field with suggestions; other text has a row of its own, and is then marked as
// unknown.
func TestEnterAcceptsHighlighted(t *testing.T) {
	for _, tt := range []struct{ is, typed, shows, then, becomes string }{
		{`{}`, "ret", "> retention", "enter", `{"team":"retention"}`},
		{`{}`, "ret", "  Use “ret”", "tab", `{"team":"retention"}`},
		{`{}`, "ret", unknownNote, "up", `{"team":"ret"}`}, // the field is left, and the text kept
		{`{}`, "ret,down", "> Use “ret”", "enter", `{"team":"ret"}`},
		{`{}`, "sales", "> Use “sales”  " + unknownNote, "enter", `{"team":"sales"}`},
		{`{}`, "down,down", "> retention", "enter", `{"team":"retention"}`},
		{`{}`, "down,down,up,up", "  growth", "enter", `{}`}, // back to the text
		{`{"team":"brand"}`, "ctrl+n", "> growth", "enter", `{"team":"growth"}`},
	} {
		f := at(t, open(t, tt.is), "team")
		press(f, strings.Split(tt.typed, ",")...)
		shows(t, f, tt.shows)
		press(f, tt.then)
		want(t, f, tt.becomes)
	}
}

func focusedLine(f *Form) string {
	for l := range strings.SplitSeq(f.View(), "\n") {
		if strings.HasPrefix(l, "▸") {
			return strings.TrimRight(l, " ")
		}
	}
	return ""
}

func click(f *Form, text string) {
	y, x := find(f, text)
	f.Update(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
}

// A click hits what is drawn under it: with lines above the fields, in wide and narrow forms, in open lists.
func TestClickTargets(t *testing.T) {
	for _, size := range [][2]int{{36, 18}, {60, 20}, {80, 24}, {120, 40}} {
		f := open(t, `{"template":"Custom","title":"Hi","tags":["a"],"buttons":[{}],"strange":1}`)
		f.SetSize(size[0], size[1])
		f.SetProblems([]schema.Problem{{Message: "needs more than this object has, which takes more than one line to say, so that the fields stand lower", Path: nil}, {Message: "is odd"}})
		for round := range 2 {
			for _, label := range []string{"Title", "Count", "Sticky", "Tags", "Team", "Platforms", "Body", "Template id", "Title"} {
				if y, _ := find(f, "  "+label); y < 0 {
					continue // hidden
				}
				click(f, "  "+label)
				if got := focusedLine(f); !strings.HasPrefix(got, "▸ "+label) {
					t.Fatalf("%v, round %d: a click on %s went to %q:\n%s", size, round, label, got, f.View())
				}
			}
		}
	}
	f := at(t, open(t, `{}`), "title")
	f.Update(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
	if line := focusedLine(f); !strings.HasPrefix(line, "▸ Body") {
		t.Errorf("the wheel went to %s", line)
	}

	f = at(t, open(t, `{}`), "platforms")
	press(f, "enter")
	click(f, "iOS")
	click(f, "Android")
	press(f, "enter")
	want(t, f, `{"platforms":["ANDROID","IOS"]}`)

	f = at(t, open(t, `{"title":"abcdef"}`), "title")
	click(f, "def")
	press(f, "X")
	want(t, f, `{"title":"abcXdef"}`)
}
