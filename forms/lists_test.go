package forms

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/themes"
)

func TestListOfScalars(t *testing.T) {
	f := open(t, `{"tags":["a",true]}`, "tags")
	press(f, "enter", "b", "enter", "a", "new", "down")
	want(t, f, `{"tags":["ab","new",true]}`)
	press(f, "a", "enter") // added, left empty: not kept
	want(t, f, `{"tags":["ab","new",true]}`)

	f = open(t, `{"platforms":["IOS"]}`, "platforms")
	press(f, "enter", "web", "enter")
	want(t, f, `{"platforms":["WEB"]}`)
	if f.Modal() {
		t.Error("a choice that is made stays open")
	}
}

func TestUnknownMembers(t *testing.T) {
	f := at(t, open(t, `{"strange":{"a":[1.0]},"title":"t"}`), "strange")
	shows(t, f, "Not in the specification", "x removes it")
	press(f, "ctrl+x")
	want(t, f, `{"title":"t"}`)
}

func TestNoObjectHere(t *testing.T) {
	f := open(t, `{"timer":"soon"}`, "timer")
	shows(t, f, "soon", "opens the editor")
	press(f, "x", "enter", "tab")
	want(t, f, `{"timer":"soon"}`)
	press(f, "ctrl+x")
	want(t, f, `{}`)
	shows(t, f, "Ends at")
}

func TestSuggestions(t *testing.T) {
	f := at(t, open(t, `{}`), "team")
	press(f, "e", "ctrl+n")
	shows(t, f, "> retention")
	hides(t, f, "brand")
	press(f, "enter")
	want(t, f, `{"team":"retention"}`)
	if st, _ := f.Focused(); st.Node.Name != "value" {
		t.Errorf("Enter went to %s", st.Node.Name)
	}
}

func TestSuggestionsInAList(t *testing.T) {
	f := at(t, open(t, `{"tags":["own","growth"]}`), "tags")
	hides(t, f, "retention")
	press(f, "ctrl+n")
	shows(t, f, "> retention", "brand")
	hides(t, f, "  growth")
	press(f, "enter", ", bra", "ctrl+n", "enter")
	want(t, f, `{"tags":["own","growth","retention","brand"]}`)
}

func TestManyOptions(t *testing.T) {
	var opts []schema.Option
	for i := range 500 {
		opts = append(opts, schema.Option{Value: "zone-" + strconv.Itoa(i)})
	}
	cfg := config(parse(t, `{}`))
	cfg.Schema = schema.MustCompile(schema.Field{ID: "x", Kind: schema.Object, Ref: "test", Fields: []schema.Field{
		{Name: "zone", Kind: schema.String, Help: "Where.", Options: opts},
	}})
	f := New(cfg)
	press(f, "enter", "ne-49", "down", "enter")
	want(t, f, `{"zone":"zone-490"}`)
	press(f, "enter", "nothing like it", "enter", "esc")
	want(t, f, `{"zone":"zone-490"}`)
}

func TestBackspaceTakesAWholeCharacter(t *testing.T) {
	for _, field := range []string{"title", "body"} {
		f := at(t, open(t, `{}`), field)
		press(f, "a👩‍👩‍👧e\u0301", "backspace")
		want(t, f, `{"`+field+`":"a👩‍👩‍👧"}`)
		press(f, "backspace", "backspace", "backspace")
		want(t, f, `{}`)
	}
}

func TestMenusFindTheFirstMatch(t *testing.T) {
	f := open(t, `{"template":"Custom"}`)
	press(f, "enter", "t", "enter")
	want(t, f, `{"template":"TIMER"}`)
	press(f, "enter", "nothing", "pgdown", "up", "enter", "ctrl+u", "unset", "enter")
	want(t, f, `{}`)
}

func TestReload(t *testing.T) {
	f := at(t, open(t, `{"title":"a"}`), "title")
	press(f, "b")
	root, changed := f.Edits()
	if !changed {
		t.Fatal("a change is not told")
	}
	f.Reload(root)
	if _, changed := f.Edits(); changed {
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

func TestProblemsHandedIn(t *testing.T) {
	f := at(t, open(t, `{}`), "count")
	f.SetProblems([]schema.Problem{{Path: doc.P("count"), Message: "is odd"}, {Path: nil, Message: "needs more"}})
	shows(t, f, "! Is odd", "! Needs more")
	hides(t, f, "Is required")
}

func TestMouse(t *testing.T) {
	f := open(t, `{}`)
	f.Update(tea.MouseMsg{Y: 4, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	if st, _ := f.Focused(); st.Node.Name != "title" {
		t.Errorf("the click went to %s:\n%s", st.Node.Name, f.View())
	}
	f.Update(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
	if st, _ := f.Focused(); st.Node.Name != "body" {
		t.Errorf("the wheel went to %s", st.Node.Name)
	}
}

func TestBindingsAreTheKeysThatWork(t *testing.T) {
	has := func(f *Form, k tea.KeyMsg) bool { return key.Matches(k, f.Bindings()...) }
	a := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'a'}}
	if has(open(t, `{}`), a) {
		t.Error("a adds in an object")
	}
	if !has(open(t, `{}`, "buttons"), a) {
		t.Error("a adds nothing in a list")
	}
	if f := at(t, open(t, `{}`), "title"); has(f, a) || !f.Typing() {
		t.Error("a is a letter in a text")
	}
}

func TestNothingMovesByItself(t *testing.T) {
	f := at(t, open(t, `{}`), "title")
	for _, k := range []tea.Msg{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x")}, tea.FocusMsg{}, tea.WindowSizeMsg{}, tea.KeyMsg{Type: tea.KeyTab}} {
		if cmd := f.Update(k); cmd != nil {
			t.Errorf("%T leads to a command", k)
		}
	}
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
		for _, size := range [][2]int{{60, 20}, {80, 24}, {36, 18}} {
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

func BenchmarkKey(b *testing.B) {
	fields := make([]schema.Field, 40)
	for i := range fields {
		fields[i] = schema.Field{Name: "field_" + strconv.Itoa(i), Kind: schema.String, Help: "One of many. It says more.",
			Used: schema.Unless("field_0", "off"), Rules: []schema.Rule{schema.Length{Max: 40}}}
	}
	theme, err := themes.New(themes.Options{Name: themes.Dark, Profile: termenv.TrueColor})
	if err != nil {
		b.Fatal(err)
	}
	cfg := config(doc.NewObject())
	cfg.Theme = theme
	fields[0].Used = nil
	cfg.Schema = schema.MustCompile(schema.Field{ID: "x", Kind: schema.Object, Ref: "test", Fields: fields})
	f := New(cfg)
	for i := range fields {
		press(f, "some text "+strconv.Itoa(i), "tab")
	}
	press(f, "ctrl+home", "tab", "tab", "tab", "tab", "tab")
	x := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x")}
	back := tea.KeyMsg{Type: tea.KeyBackspace}
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		if i%2 == 0 {
			f.Update(x)
		} else {
			f.Update(back)
		}
		if f.View() == "" {
			b.Fatal("nothing is drawn")
		}
	}
}

// On a closed choice a letter looks for an option, as in every menu.
func TestLetterOpensChoice(t *testing.T) {
	f := open(t, `{}`)
	press(f, "c", "u", "s", "enter")
	want(t, f, `{"template":"Custom"}`)
}

// Letters that no option has lead nowhere, and the form says how to go on.
func TestLettersThatNoChoiceHas(t *testing.T) {
	f := open(t, `{}`)
	press(f, "c", "z", "z")
	shows(t, f, "No choice has these letters")
	press(f, "enter", "backspace", "backspace")
	hides(t, f, "No choice has these letters")
	press(f, "u", "s", "enter")
	want(t, f, `{"template":"Custom"}`)
}

// Where only names of the workspace are right, Enter completes the part that was typed.
func TestEnterCompletesAConfiguredName(t *testing.T) {
	s := schema.MustCompile(schema.Field{ID: "c", Kind: schema.Object, Ref: "test", Fields: []schema.Field{
		{Name: "name", Kind: schema.String, Help: "Which.", Suggest: "teams", Rules: []schema.Rule{schema.Guard{At: schema.Publish, Rule: schema.Configured{List: "teams"}}}},
		{Name: "free", Kind: schema.String, Help: "Any.", Suggest: "teams"},
	}})
	c := config(doc.NewObject())
	c.Schema = s
	f := New(c)
	press(f, "R", "e", "t", "enter", "g", "r", "enter")
	want(t, f, `{"name":"retention","free":"gr"}`)
}
