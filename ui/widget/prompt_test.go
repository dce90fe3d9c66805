package widget_test

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/uitest"
	"bugle/ui/widget"
)

func TestPromptTakesPastesOnOneLine(t *testing.T) {
	p := widget.NewPrompt(plain(), "/", "")
	if p.Update(uitest.Key("a")) {
		t.Error("a line without the keyboard takes keys")
	}
	p.Focus()
	if !p.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a\r\nb\tc\x1b[31m\u202ed"), Paste: true}) {
		t.Error("a paste changes nothing")
	}
	if p.Value() != "a b cd" {
		t.Errorf("pasted %q", p.Value())
	}
	if p.Update(uitest.Key("left")) {
		t.Error("moving the cursor changes the text")
	}
}
