package builder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/message/mjml"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

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

// openHTML returns a builder in which MJML was pasted over the HTML.
func (b *testbed) openHTML(text string) *uitest.Harness {
	h := b.open(120, 40, htmlAt)
	h.Press("ctrl+u")
	h.Send(pasted(text))
	return h
}

// wantSource expects MJML as the source of the stored HTML.
func (b *testbed) wantSource(want string) {
	b.t.Helper()
	if source, ok := mjml.Source(b.text(htmlAt)); !ok || source != want {
		b.t.Errorf("the store has %q", b.text(htmlAt))
	}
}

const mailWithBody = `{"basic_details":{"name":"News"},"campaign_content":{"content":{"email":{"subject":"Hi","html_content":"<p>old</p>"}}}}`

// Typed MJML is compiled and kept as the source, which the form goes on showing with its cursor; undo returns to what was
// before.
func TestTypedMJML(t *testing.T) {
	stubMJML(t)
	b := newTestbed(t, catalog.Email, mailWithBody)
	h := b.openHTML("<mjml>Hello</mjml>")
	b.wantSource("<mjml>Hello</mjml>")
	if got := mjml.Without(b.text(htmlAt)); got != "Hello\n" {
		t.Errorf("the HTML is %q", got)
	}
	h.Script("?<mjml>Hello</mjml>", "f1", "?You are editing the MJML.", "esc", "!bugle:mjml")
	h.Script(strings.Repeat("left ", len("</mjml>")), ">!?")
	b.wantSource("<mjml>Hello!?</mjml>")
	typed := b.text(htmlAt)
	h.Script("ctrl+z")
	b.wantSource("<mjml>Hello</mjml>")
	h.Script("ctrl+z ctrl+z ctrl+z ctrl+z", "?<p>old</p>")
	b.want(htmlAt, `"<p>old</p>"`)
	h.Script(strings.Repeat("ctrl+y ", 8))
	if got := b.text(htmlAt); got != typed {
		t.Errorf("redo led to %q", got)
	}
}

// What is wrong with MJML is a problem of its field, with the line, and the MJML stays.
func TestWrongMJML(t *testing.T) {
	stubMJML(t)
	b := newTestbed(t, catalog.Email, mailWithBody)
	h := b.openHTML("<mjml>\n<mj-txt>Hi</mj-txt></mjml>")
	b.want(htmlAt, `"<mjml>\n<mj-txt>Hi</mj-txt></mjml>"`)
	h.Script("?MJML, line 2: Element mj-txt", "!not been compiled")
	h.Script(strings.Repeat("left ", len("</mjml>")), ">!", "?MJML, line 2: Element mj-txt", "ctrl+u")
	h.Send(pasted("<mj-text>Hi</mj-text>"))
	h.WantNot("MJML, line")
	b.wantSource("<mjml>\n<mj-text>Hi</mj-text></mjml>")
}

// A test that is begun before the MJML is compiled waits for that; another edit takes it back.
func TestTestWaitsForMJML(t *testing.T) {
	stubMJML(t)
	b := newTestbed(t, catalog.Email, mailWithBody)
	h := b.open(120, 40, htmlAt)
	for _, tt := range []struct {
		after string // typed after the test was begun
		sends bool
	}{{"x", false}, {"", true}} {
		h.Press("ctrl+u")
		h.Hold()
		h.Send(pasted("<mjml>Hello</mjml>"))
		h.Press("alt+t")
		if h.LastRoute().Name == screen.TestSend {
			t.Error("the test did not wait")
		}
		h.Type(tt.after)
		h.FinishHeld()
		if got := h.LastRoute().Name == screen.TestSend; got != tt.sends {
			t.Errorf("after %q the test is open: %v", tt.after, got)
		}
		b.wantSource("<mjml>Hello</mjml>" + tt.after)
	}
}

// A draft that has MJML because mjml was not installed is compiled when it is opened and mjml is there.
func TestMJMLOfDraftIsCompiledLater(t *testing.T) {
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	b := newTestbed(t, catalog.Email, mailWithBody)
	b.openHTML("<mjml>later</mjml>").Want("This MJML cannot be compiled: mjml is not")
	b.want(htmlAt, `"<mjml>later</mjml>"`)
	t.Setenv("PATH", path)
	stubMJML(t)
	b.open(120, 40, "")
	b.wantSource("<mjml>later</mjml>")
}

// The user's editor has the source, and what it returns is compiled. The inline field shows it, too, so that nobody edits
// HTML that its source contradicts.
func TestEditMJML(t *testing.T) {
	stubMJML(t)
	b := newTestbed(t, catalog.Email, mailWithBody)
	b.openHTML("<mjml>one</mjml>")
	before := b.text(htmlAt)
	s := builder.New(uitest.Deps(b.svc), b.at(htmlAt))
	d := editorHarness{uitest.New(t, s, 120, 40), t, s}
	m := editText(t, s.Update(tea.KeyMsg{Type: tea.KeyCtrlE}))
	if m.Text != "<mjml>one</mjml>" || m.Suffix != ".mjml" {
		t.Fatalf("the editor is opened with %q and %s", m.Text, m.Suffix)
	}
	d.closeEditor(m, m.Text+"\n")
	if got := b.text(htmlAt); got != before {
		t.Errorf("a line break that the editor added made it %q", got)
	}
	d.closeEditor(m, "<mjml>two</mjml>\n")
	b.wantSource("<mjml>two</mjml>")
	d.Script("?<mjml>two</mjml>", "ctrl+z")
	if got := b.text(htmlAt); got != before {
		t.Errorf("undo left %q", got)
	}
	if f, ok := d.screen.FocusedField(); !ok || f.Text != "<mjml>one</mjml>" || f.Suffix != ".mjml" {
		t.Errorf("a command on the field gets %+v", f)
	}
}
