package app

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// textBox shows a text that may be longer than the window.
type textBox struct {
	screen.Box
	theme *themes.Theme
	title string
	text  string
	pager widget.Pager
}

func newTextBox(t *themes.Theme, title, text string) *textBox {
	b := &textBox{theme: t, title: title, text: text, pager: widget.NewPager(t)}
	b.pager.SetText(text)
	return b
}

// Key scrolls, copies the text or closes the box.
func (b *textBox) Key(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "esc", "q", "enter":
		return b.Close()
	case "y":
		return screen.Copy(b.text, "the text")
	}
	b.pager.Update(msg)
	return nil
}

func (b *textBox) hints() []widget.Hint {
	return []widget.Hint{{Key: "esc", Label: "close"}, {Key: "y", Label: "copy"}}
}

// Mouse scrolls.
func (b *textBox) Mouse(msg tea.MouseMsg) tea.Cmd {
	b.pager.Mouse(msg)
	return nil
}

// View draws the box.
func (b *textBox) View(width, height int) string {
	panel := widget.NewPanel(b.theme, b.title)
	panel.Focused, panel.Footer = true, widget.HintLine(b.hints())
	w := min(width-4, 120)
	panel.SetSize(w, height)
	inner, _ := panel.Inner()
	b.pager.SetSize(inner, max(height-4, 1))
	panel.SetSize(w, min(b.pager.Lines(), max(height-4, 1))+2)
	inner, lines := panel.Inner()
	b.pager.SetSize(inner, lines)
	if last, total := b.pager.Position(); total > lines {
		panel.Info = fmt.Sprintf("%d of %d", last, total)
	}
	return panel.View(b.pager.View())
}
