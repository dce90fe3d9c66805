package forms

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/themes"
)

var update = flag.Bool("update", false, "write the golden files")

func at(t *testing.T, f *Form, p ...any) *Form {
	t.Helper()
	if !f.FocusPath(doc.P(p...)) {
		t.Fatalf("there is no field at %v", p)
	}
	return f
}

func TestChoosingShowsAndHidesFieldsAtOnce(t *testing.T) {
	f := open(t, `{"template":"BASIC"}`)
	hides(t, f, "Template id")
	press(f, "enter", "cus", "enter")
	want(t, f, `{"template":"Custom"}`)
	shows(t, f, "Template id *", "‹ Custom ›", "Is required when template is Custom")
	press(f, "tab", "T-1", "shift+tab", "left")
	want(t, f, `{"template":"TIMER","template_id":"T-1"}`)
	hides(t, f, "Template id *")
	shows(t, f, "Kept, not used here", "T-1")
	if n := f.RemoveHidden(); n != 1 {
		t.Errorf("removed %d", n)
	}
	want(t, f, `{"template":"TIMER"}`)
}

func TestCatalogCustomTemplate(t *testing.T) {
	root := parse(t, `{"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC"}}}}}`)
	cfg := config(root, "campaign_content", "content", "push", "android")
	cfg.Schema, cfg.Focus = catalog.Campaign(catalog.Push), "template_type"
	f := New(cfg)
	id := doc.P("campaign_content", "content", "push", "android", "custom_template_id")
	if f.FocusPath(id) {
		t.Fatal("the id is shown for BASIC")
	}
	press(f, "enter", "custom", "enter")
	if !f.FocusPath(id) {
		t.Fatalf("the id is not shown:\n%s", f.View())
	}
	if st, _ := f.Focused(); !st.Required {
		t.Error("the id is not marked as required")
	}
	at(t, f, "campaign_content", "content", "push", "android", "template_type")
	press(f, "enter", "timer", "enter")
	if f.FocusPath(id) {
		t.Error("the id is still shown")
	}
}

func TestTypeAheadIsNeverLost(t *testing.T) {
	f := at(t, open(t, `{}`), "title")
	press(f, "alpha", "enter", "bravo", "enter", "7", "enter", " ", "tab", "enter", " ", "enter", "tab", "x, y")
	want(t, f, `{"title":"alpha","body":"bravo","count":7,"sticky":true,"platforms":["ANDROID"],"tags":["x","y"]}`)
}

func TestUnknownValuesSurvive(t *testing.T) {
	const is = `{"template":"HOLOGRAM","sticky":"yes","platforms":["TV","IOS",5,"TV"],"count":{"a":1}}`
	f := open(t, is)
	shows(t, f, "(keep: HOLOGRAM)")
	press(f, "enter", "esc", "enter", "enter", "tab", "tab", "tab", "tab", "tab", "tab")
	want(t, f, is)
	at(t, f, "platforms")
	press(f, "enter", " ", "esc") // ticks the first option
	want(t, f, `{"template":"HOLOGRAM","sticky":"yes","platforms":["TV","IOS",5,"TV","ANDROID"],"count":{"a":1}}`)
	press(f, "enter", "down", " ", "enter")
	want(t, f, `{"template":"HOLOGRAM","sticky":"yes","platforms":["TV",5,"TV","ANDROID"],"count":{"a":1}}`)
	at(t, f, "template")
	press(f, "left", "left", "left", "left", "left")
	want(t, f, `{"sticky":"yes","platforms":["TV",5,"TV","ANDROID"],"count":{"a":1}}`)
	press(f, "right", "right", "right", "right", "right") // back to what it was
	if root, _ := f.Edits(); root.Get("template").Text() != "HOLOGRAM" {
		t.Errorf("the unknown value is gone: %s", root.Encode())
	}
}

func TestWhatATextBecomes(t *testing.T) {
	tests := []struct{ name, is, field, typed, becomes string }{
		{"string", `{}`, "title", "5", `{"title":"5"}`},
		{"number keeps its spelling", `{}`, "count", "1.50", `{"count":1.50}`},
		{"no number is kept as text", `{}`, "count", "ten", `{"count":"ten"}`},
		{"any: JSON", `{}`, "value", `[1,"a"]`, `{"value":[1,"a"]}`},
		{"any: text", `{}`, "value", `[1,`, `{"value":"[1,"}`},
		{"any: quoted", `{}`, "value", `"5"`, `{"value":"5"}`},
		{"list", `{"tags":["a",7]}`, "tags", `, "b, c"`, `{"tags":["a",7,"b, c"]}`},
		{"controls around an edit", `{"title":"a\tb\u0007"}`, "title", "!", `{"title":"a\tb\u0007!"}`},
		{"lines around an edit", `{"body":"a\r\n\tb"}`, "body", "!", `{"body":"a\r\n\tb!"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := at(t, open(t, tt.is), tt.field)
			press(f, tt.typed)
			want(t, f, tt.becomes)
			for range []rune(tt.typed) {
				press(f, "backspace")
			}
			if root, changed := f.Edits(); changed || string(root.Encode()) != tt.is {
				t.Errorf("typed back: %v %s", changed, root.Encode())
			}
		})
	}
}

func TestEmptyingRemoves(t *testing.T) {
	f := at(t, open(t, `{"title":"x","timer":{}}`), "title")
	press(f, "backspace")
	want(t, f, `{"timer":{}}`)

	f = open(t, `{"title":"x"}`, "timer")
	press(f, "2026")
	want(t, f, `{"title":"x","timer":{"ends_at":"2026"}}`)
	root, _ := f.Edits()
	f.Reload(root) // saved meanwhile
	press(f, "backspace", "backspace", "backspace", "backspace")
	want(t, f, `{"title":"x"}`)

	f = open(t, `{"timer":{"ends_at":"2026"}}`, "timer")
	press(f, "ctrl+x")
	want(t, f, `{"timer":{}}`)
}

func TestPaste(t *testing.T) {
	f := at(t, open(t, `{}`), "body")
	paste(f, "one\r\n\ttwo\rthree")
	want(t, f, `{"body":"one\n\ttwo\nthree"}`)

	f = at(t, open(t, `{}`), "title")
	paste(f, "one\r\n\ttwo\n")
	want(t, f, `{"title":"one  two"}`)

	big := strings.Repeat("a line\twith a tab\n", 20000)
	f = at(t, open(t, `{"body":"<>"}`), "body")
	press(f, "left")
	paste(f, big)
	if root, _ := f.Edits(); root.Get("body").Text() != "<"+big+">" {
		t.Error("a long text did not arrive whole")
	}
	shows(t, f, "20001 lines", "opens the editor")
	if f.Typing() {
		t.Error("a preview takes letters")
	}
}

func TestLongPasteInAList(t *testing.T) {
	f := open(t, `{"tags":["a",true]}`, "tags")
	press(f, "enter")
	long := strings.Repeat("x", 5000)
	paste(f, long)
	if f.Modal() {
		t.Error("the element is still edited in one line")
	}
	want(t, f, `{"tags":["a`+long+`",true]}`)
	press(f, "down", "up")
	want(t, f, `{"tags":["a`+long+`",true]}`)

	f = open(t, `{"pairs":{"a":1}}`, "pairs")
	press(f, "f2")
	paste(f, long)
	paste(f, "b")
	press(f, "enter")
	want(t, f, `{"pairs":{"ab":1}}`)
}

func TestEditorOutside(t *testing.T) {
	f := at(t, open(t, `{"body":"`+strings.Repeat("long ", 600)+`","timer":5,"title":"t"}`), "body")
	msg, ok := press(f, "e").(EditMsg)
	if !ok || msg.JSON || len(msg.Text) != 3000 {
		t.Fatalf("%T %.40v", msg, msg)
	}
	if err := f.SetText(msg.Path, "short\n", msg.JSON); err != nil {
		t.Fatal(err)
	}
	want(t, f, `{"body":"short","timer":5,"title":"t"}`)
	at(t, f, "timer")
	msg, _ = press(f, "e").(EditMsg)
	if !msg.JSON || msg.Text != "5" {
		t.Fatalf("%#v", msg)
	}
	if err := f.SetText(msg.Path, `{"ends_at":`, true); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("broken JSON: %v", err)
	}
	if err := f.SetText(msg.Path, `{"ends_at": 1.0}`, true); err != nil {
		t.Fatal(err)
	}
	want(t, f, `{"body":"short","timer":{"ends_at":1.0},"title":"t"}`)
	at(t, f, "title")
	if msg, _ := press(f, "ctrl+e").(EditMsg); msg.Text != "t" {
		t.Errorf("ctrl+e in a text: %#v", msg)
	}
}

func TestEntriesOpen(t *testing.T) {
	f := at(t, open(t, `{"buttons":[{"action":"OPEN"},{}],"pairs":{"a":1}}`), "buttons")
	if got := press(f, "enter"); !reflect.DeepEqual(got, OpenMsg{Path: doc.P("buttons")}) {
		t.Errorf("got %#v", got)
	}
	var got []string
	for _, e := range f.Entries() {
		got = append(got, e.Title+": "+e.Summary+" "+strconv.Itoa(e.Problems))
	}
	want := []string{"Buttons: 2 buttons 2", "Timer: empty 0", "Pairs: a 0"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMap(t *testing.T) {
	f := open(t, `{"pairs":{"a":1,"b":2}}`, "pairs")
	press(f, "5")
	want(t, f, `{"pairs":{"a":15,"b":2}}`)
	press(f, "backspace", "backspace")
	want(t, f, `{"pairs":{"a":"","b":2}}`) // it is not gone while it is retyped
	press(f, "9", "f2", "ctrl+u", "b", "enter")
	shows(t, f, "already")
	press(f, "backspace", "z t", "enter")
	want(t, f, `{"pairs":{"z t":9,"b":2}}`)
	press(f, "ctrl+end", "enter", "new", "enter", "backspace", "3")
	want(t, f, `{"pairs":{"z t":9,"b":2,"new":3}}`)
	press(f, "ctrl+x", "ctrl+home", "f2", "q", "esc")
	want(t, f, `{"pairs":{"z t":9,"b":2}}`)
	if f.Modal() {
		t.Error("Escape left the name open")
	}
}

func TestList(t *testing.T) {
	f := open(t, `{"buttons":[{"text":"one"},{"text":"two"}]}`, "buttons")
	if f.Typing() {
		t.Error("letters are commands in a list")
	}
	press(f, "J")
	want(t, f, `{"buttons":[{"text":"two"},{"text":"one"}]}`)
	press(f, "d", "x", "K", "K", "K")
	want(t, f, `{"buttons":[{"text":"one"},{"text":"two"}]}`)
	if got := press(f, "a"); !reflect.DeepEqual(got, OpenMsg{Path: doc.P("buttons", 1)}) {
		t.Errorf("adding gave %#v", got)
	}
	want(t, f, `{"buttons":[{"text":"one"},{},{"text":"two"}]}`)
	if got := press(f, "down", "enter"); !reflect.DeepEqual(got, OpenMsg{Path: doc.P("buttons", 2)}) {
		t.Errorf("opening gave %#v", got)
	}
	press(f, "x", "x", "x", "x")
	want(t, f, `{"buttons":[]}`)

	f = open(t, `{}`, "buttons")
	press(f, "a")
	want(t, f, `{"buttons":[{}]}`)
}

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
	shows(t, f, "Not in the specification", "ctrl+x removes it")
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
	press(f, "enter")
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
