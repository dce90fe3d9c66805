package forms

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// pageKey handles the keys that move or insert on a page and have another meaning in other fields.
func (e *textEditor) pageKey(pressed string) bool {
	switch pressed {
	case "enter":
		e.Insert("\n")
	case "tab":
		e.Insert("\t")
	case "pgup":
		e.scroll(-e.page)
	case "pgdown":
		e.scroll(e.page)
	default:
		return false
	}
	return true
}

// scroll moves the cursor by lines.
func (e *textEditor) scroll(lines int) {
	k := tea.KeyMsg{Type: tea.KeyDown}
	if lines < 0 {
		k.Type, lines = tea.KeyUp, -lines
	}
	for range lines {
		e.Key(k)
	}
}

// wheelLines is how many lines of a page a notch of the mouse wheel moves.
const wheelLines = 3

// pageActions returns the keys of a page.
func pageActions(r row) []action {
	return []action{
		{keys: []string{"enter"}, label: "enter", help: "new line", hint: true},
		{keys: []string{"ctrl+e"}, label: "ctrl+e", help: "open editor", hint: true, run: func(string) tea.Cmd { return external(r) }},
		{keys: []string{"pgdown", "pgup"}, label: "pgup/pgdn", help: "page"},
		{keys: []string{"tab"}, label: "tab", help: "insert a tab"},
	}
}

// pageView draws the text of a page and, below it, its problems.
func (f *Form) pageView() []string {
	in, ok := f.editor.(*textEditor)
	if !ok {
		return f.header()
	}
	in.Focus()
	if f.inactive {
		in.Blur()
	}
	below := f.header()
	in.page = max(f.layout.height-len(below)-1, 1)
	return append(strings.Split(in.view(f.layout.width, in.page+1), "\n"), below...)
}
