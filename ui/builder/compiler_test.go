package builder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

var htmlPath = doc.P("campaign_content", "content", "email", "html_content")

func pasted(text string) tea.Msg {
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true}
}

// stubMJML puts a program mjml on PATH that compiles by removing the tags, and refuses the tag mj-txt.
func stubMJML(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	const stub = "#!/bin/sh\necho '<!-- FILE: undefined -->'\ntee in | sed 's/<[^>]*>//g'\n" +
		"grep -n mj-txt in | cut -d: -f1 | while read -r line; do echo \"Line $line of $PWD (mj-txt) — Element mj-txt doesn't exist or is not registered\" >&2; done\n"
	if err := os.WriteFile(filepath.Join(bin, "mjml"), []byte(stub), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func (b *testbed) html() string {
	b.t.Helper()
	return b.stored().Body.Lookup(htmlPath).Text()
}

// openHTML returns a builder in which MJML was pasted over the HTML.
func (b *testbed) openHTML(text string) *uitest.Harness {
	h := b.open(120, 40, "campaign_content", "content", "email", "html_content")
	h.Press("ctrl+u")
	h.Send(pasted(text))
	return h
}

// wantSource expects MJML as the source of the stored HTML.
func (b *testbed) wantSource(want string) {
	b.t.Helper()
	if source, ok := mjml.Source(b.html()); !ok || source != want {
		b.t.Errorf("the store has %q", b.html())
	}
}

const mailWithBody = `{"basic_details":{"name":"News"},"campaign_content":{"content":{"email":{"subject":"Hi","html_content":"<p>old</p>"}}}}`

// Typed MJML is compiled and kept as the source, which the form goes on showing with its cursor; one undo returns to what
// was before.
func TestTypedMJML(t *testing.T) {
	stubMJML(t)
	b := newTestbed(t, catalog.Email, mailWithBody)
	h := b.openHTML("<mjml>Hello</mjml>")
	b.wantSource("<mjml>Hello</mjml>")
	if mjml.Without(b.html()) != "Hello\n" {
		t.Errorf("the HTML is %q", b.html())
	}
	h.Want("<mjml>Hello</mjml>")
	h.Press("f1")
	h.Want("You are editing the MJML.")
	h.Press("esc")
	h.WantNot("bugle:mjml")
	for range len("</mjml>") {
		h.Press("left")
	}
	h.Type("!?")
	b.wantSource("<mjml>Hello!?</mjml>")
	typed := b.html()
	h.Press("ctrl+z")
	b.wantSource("<mjml>Hello</mjml>")
	for range 4 {
		h.Press("ctrl+z")
	}
	if b.html() != "<p>old</p>" {
		t.Errorf("undo left %q", b.html())
	}
	h.Want("<p>old</p>")
	for range 8 {
		h.Press("ctrl+y")
	}
	if b.html() != typed {
		t.Errorf("redo led to %q", b.html())
	}
}

// What is wrong with MJML is a problem of its field, with the line, and the MJML stays.
func TestWrongMJML(t *testing.T) {
	stubMJML(t)
	b := newTestbed(t, catalog.Email, mailWithBody)
	h := b.openHTML("<mjml>\n<mj-txt>Hi</mj-txt></mjml>")
	if got := b.html(); got != "<mjml>\n<mj-txt>Hi</mj-txt></mjml>" {
		t.Fatalf("the store has %q", got)
	}
	h.Want("MJML, line 2: Element mj-txt")
	h.WantNot("not been compiled")
	for range len("</mjml>") {
		h.Press("left")
	}
	h.Type("!")
	h.Want("MJML, line 2: Element mj-txt")
	h.Press("ctrl+u")
	h.Send(pasted("<mj-text>Hi</mj-text>"))
	h.WantNot("MJML, line")
	b.wantSource("<mjml>\n<mj-text>Hi</mj-text></mjml>")
}

// A test that is begun before the MJML is compiled waits for that; another edit takes it back.
func TestTestWaitsForMJML(t *testing.T) {
	stubMJML(t)
	b := newTestbed(t, catalog.Email, mailWithBody)
	h := b.open(120, 40, "campaign_content", "content", "email", "html_content")
	for _, tt := range []struct {
		after string // typed after the test was begun
		want  string
	}{{"x", screen.Builder}, {"", screen.TestSend}} {
		h.Press("ctrl+u")
		h.Hold()
		h.Send(pasted("<mjml>Hello</mjml>"))
		h.Press("alt+t")
		if r := h.LastRoute(); r.Name == screen.TestSend {
			t.Error("the test did not wait")
		}
		h.Type(tt.after)
		h.FinishHeld()
		if r := h.LastRoute(); r.Name != tt.want && (r.Name != "" || tt.want != screen.Builder) {
			t.Errorf("after %q the screen is %q, want %q", tt.after, r.Name, tt.want)
		}
		b.wantSource("<mjml>Hello</mjml>" + tt.after)
	}
}

func TestMJMLIsNotInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	b := newTestbed(t, catalog.Email, mailWithBody)
	h := b.openHTML("<mjml></mjml>")
	h.Want("This MJML cannot be compiled: mjml is not")
	if b.html() != "<mjml></mjml>" {
		t.Errorf("the store has %q", b.html())
	}
}

// The user's editor has the source, and what it returns is compiled. The inline field shows it, too, so that nobody edits
// HTML that its source contradicts.
func TestEditMJML(t *testing.T) {
	stubMJML(t)
	b := newTestbed(t, catalog.Email, mailWithBody)
	b.openHTML("<mjml>one</mjml>")
	s := builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id, Path: htmlPath})
	d := editorHarness{uitest.New(t, s, 120, 40), t, s}
	m := editText(t, s.Update(tea.KeyMsg{Type: tea.KeyCtrlE}))
	if m.Text != "<mjml>one</mjml>" || m.Suffix != ".mjml" {
		t.Fatalf("the editor is opened with %q and %s", m.Text, m.Suffix)
	}
	before := b.html()
	d.closeEditor(m, m.Text+"\n")
	if b.html() != before {
		t.Errorf("a line break that the editor added made it %q", b.html())
	}
	d.closeEditor(m, "<mjml>two</mjml>\n")
	b.wantSource("<mjml>two</mjml>")
	d.Want("<mjml>two</mjml>")
	d.Press("ctrl+z")
	if b.html() != before {
		t.Errorf("undo left %q", b.html())
	}
	if f, ok := d.screen.FocusedField(); !ok || f.Text != "<mjml>one</mjml>" || f.Suffix != ".mjml" {
		t.Errorf("a command on the field gets %+v", f)
	}
}

// A draft that has MJML because mjml was not installed is compiled when it is opened and mjml is there now.
func TestMJMLOfDraftIsCompiledLater(t *testing.T) {
	stubMJML(t)
	b := newTestbed(t, catalog.Email, strings.Replace(mailWithBody, "<p>old</p>", "<mjml>later</mjml>", 1))
	b.open(120, 40)
	b.wantSource("<mjml>later</mjml>")
}
