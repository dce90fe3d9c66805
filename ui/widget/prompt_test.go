package widget_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

func TestPromptEditsWholeCharacters(t *testing.T) {
	const family = "👩\u200d👩\u200d👧"
	for _, test := range []struct{ start, keys, want string }{
		{"ab" + family, "backspace", "ab"},
		{"ae\u0301", "backspace", "a"},
		{"🇩🇪🇫🇷", "backspace", "🇩🇪"},
		{family + "x", "home delete", "x"},
		{"a" + family + "b", "left left X", "aX" + family + "b"},
		{"a" + family + "b", "home right right X", "a" + family + "Xb"},
		{"one two", "ctrl+u", ""},
		{"", "backspace delete left", ""},
		{"ab", "enter", "ab"},
	} {
		p := widget.NewPrompt(plain(), "/", "")
		p.Focus()
		p.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(test.start), Paste: true})
		for name := range strings.FieldsSeq(test.keys) {
			p.Update(key(name))
		}
		if p.Value() != test.want {
			t.Errorf("%q, %s: %q, want %q", test.start, test.keys, p.Value(), test.want)
		}
	}
}

func TestPromptTakesPastesOnOneLine(t *testing.T) {
	p := widget.NewPrompt(plain(), "/", "")
	if p.Update(key("a")) {
		t.Error("a line without the keyboard takes keys")
	}
	p.Focus()
	if !p.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a\r\nb\tc\x1b[31m\u202ed"), Paste: true}) {
		t.Error("a paste changes nothing")
	}
	if p.Value() != "a b cd" {
		t.Errorf("pasted %q", p.Value())
	}
	if p.Update(key("left")) {
		t.Error("moving the cursor changes the text")
	}
}

func TestPromptShowsTheCursor(t *testing.T) {
	p := widget.NewPrompt(plain(), "/", "type to search")
	p.SetSize(12, 1)
	for _, want := range []string{"/ type to s…"} {
		if got := p.View(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	p.Focus()
	p.SetValue("abcdefghijklmnop")
	if got := p.View(); got != "/ …ijklmnop_" {
		t.Errorf("at the end of a long text: %q", got)
	}
	p.Update(key("home"))
	if got := p.View(); got != "/ abcdefghi…" {
		t.Errorf("at its start: %q", got)
	}
}
