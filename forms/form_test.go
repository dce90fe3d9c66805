package forms

import (
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"bugle/engine/doc"
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
	shows(t, f, "Template id *", "Custom ▾", "Required when template is Custom")
	press(f, "tab", "T-1", "shift+tab", "enter", "timer", "enter")
	want(t, f, `{"template":"TIMER","template_id":"T-1"}`)
	hides(t, f, "Template id *")
	shows(t, f, "Not used here", "T-1")
	if n := f.removeHidden(); n != 1 {
		t.Errorf("removed %d", n)
	}
	want(t, f, `{"template":"TIMER"}`)
}

func TestTypeAheadIsKept(t *testing.T) {
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
	press(f, "enter", "not set", "enter")
	want(t, f, `{"sticky":"yes","platforms":["TV",5,"TV","ANDROID"],"count":{"a":1}}`)
	press(f, "enter", "keep", "enter") // back to the original value
	if root, _ := f.Edited(); root.Get("template").Text() != "HOLOGRAM" {
		t.Errorf("the unknown value is gone: %s", root.Encode())
	}
}

func TestTextToValue(t *testing.T) {
	tests := []struct{ name, is, field, typed, becomes string }{
		{"string", `{}`, "title", "5", `{"title":"5"}`},
		{"number keeps its spelling", `{}`, "count", "1.50", `{"count":1.50}`},
		{"no number is kept as text", `{}`, "count", "ten", `{"count":"ten"}`},
		{"any: JSON", `{}`, "value", `[1,"a"]`, `{"value":[1,"a"]}`},
		{"any: text", `{}`, "value", `[1,`, `{"value":"[1,"}`},
		{"any: quoted", `{}`, "value", `"5"`, `{"value":"5"}`},
		{"list", `{"tags":["a",7]}`, "tags", `, "b, c"`, `{"tags":["a",7,"b, c"]}`},
		{"controls around an edit", `{"title":"a\tb\u0007"}`, "title", "!", `{"title":"a\tb\u0007!"}`},
		{"whole characters are deleted", `{}`, "title", "a👩‍👩‍👧", `{"title":"a👩‍👩‍👧"}`},
		{"lines around an edit", `{"body":"a\r\n\tb"}`, "body", "!", `{"body":"a\r\n\tb!"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := at(t, open(t, tt.is), tt.field)
			press(f, tt.typed)
			want(t, f, tt.becomes)
			for range uniseg.GraphemeClusterCount(tt.typed) {
				press(f, "backspace")
			}
			if root, changed := f.Edited(); changed || string(root.Encode()) != tt.is {
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
	root, _ := f.Edited()
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
	if root, _ := f.Edited(); root.Get("body").Text() != "<"+big+">" {
		t.Error("a long text did not arrive whole")
	}
	shows(t, f, "20001 lines", "opens the editor")
	if f.Typing() {
		t.Error("a preview takes letters")
	}
}

func TestExternalEditor(t *testing.T) {
	f := at(t, open(t, `{"body":"`+strings.Repeat("long ", 600)+`","timer":5,"title":"t","tags":["a",true]}`), "body")
	msg, ok := press(f, "ctrl+e").(OpenEditorMsg)
	if !ok || msg.JSON || len(msg.Text) != 3000 {
		t.Fatalf("%T %.40v", msg, msg)
	}
	at(t, f, "timer")
	msg, _ = press(f, "ctrl+e").(OpenEditorMsg)
	if !msg.JSON || msg.Text != "5" {
		t.Fatalf("%#v", msg)
	}
	at(t, f, "tags") // no line has its values
	if msg, _ := press(f, "ctrl+e").(OpenEditorMsg); !msg.JSON || msg.Text != "[\n  \"a\",\n  true\n]" {
		t.Errorf("ctrl+e in a list: %#v", msg)
	}
	at(t, f, "title")
	if msg, _ := press(f, "ctrl+e").(OpenEditorMsg); msg.Text != "t" {
		t.Errorf("ctrl+e in a text: %#v", msg)
	}
}

func TestEntriesOpen(t *testing.T) {
	f := at(t, open(t, `{"buttons":[{"action":"OPEN"},{}],"pairs":{"a":1}}`), "buttons")
	if got := press(f, "enter"); !reflect.DeepEqual(got, OpenMsg{Path: doc.P("buttons")}) {
		t.Errorf("got %#v", got)
	}
	shows(t, f, "› 2 buttons  2 problems", "› none", "› a")
}

func TestMap(t *testing.T) {
	f := open(t, `{"pairs":{"a":1,"b":2}}`, "pairs")
	press(f, "5")
	want(t, f, `{"pairs":{"a":15,"b":2}}`)
	press(f, "backspace", "backspace")
	want(t, f, `{"pairs":{"a":"","b":2}}`) // it is not removed while it is retyped
	press(f, "9", "ctrl+end", "enter", "b", "enter")
	shows(t, f, "already")
	paste(f, strings.Repeat("x", 5000))
	shows(t, f, "too long for a name")
	press(f, "backspace", "new", "enter", "backspace", "3")
	want(t, f, `{"pairs":{"a":9,"b":2,"new":3}}`)
	press(f, "ctrl+x", "ctrl+end", "enter", "q", "esc")
	want(t, f, `{"pairs":{"a":9,"b":2}}`)
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
	press(f, "c", "x", "K", "K", "K")
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
