package forms

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/forms/typeahead"
)

// textArea edits a text of several lines with a huh.Text.
type textArea struct {
	buffer
	text          *huh.Text
	expr          completion
	width, height int
	style         widgetStyle
}

func newTextArea(l widgetStyle, text, placeholder string, parse func(string) doc.Value) (*textArea, bool) {
	packed, ok := encodeHidden(text, true)
	if !ok || len(text) > maxText || strings.Count(text, "\n") >= maxTextLines {
		return nil, false
	}
	e := &textArea{style: l}
	e.buffer.text, e.parse = packed, parse
	e.text = huh.NewText().ExternalEditor(false).CharLimit(0).Placeholder(oneLine(placeholder)).Value(&e.buffer.text)
	e.widget = e.text
	return e, e.init(l, packed)
}

func (e *textArea) typing() bool { return true }
func (e *textArea) modal() bool  { return e.expr.open() }

func (e *textArea) key(msg tea.KeyMsg) bool {
	if e.expr.key(&e.buffer, msg) {
		return true
	}
	defer e.expr.update(&e.buffer)
	switch msg.String() {
	case "up", "down":
		if e.rows() < 3 {
			return false
		}
		before := e.widget.View()
		e.send(msg)
		return e.widget.View() != before // on the first or last line the key moves to another field
	case "alt+enter", "ctrl+j":
	case "backspace":
		e.backspace()
		return true
	default:
		if !isEditKey(msg) {
			return false
		}
	}
	e.send(msg)
	return true
}

// paste keeps tabs and line breaks. Terminals send a line break as a carriage return.
func (e *textArea) paste(text string) {
	if packed, ok := encodeHidden(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), true); ok {
		e.insert(packed)
	}
}

// rows returns how many lines the text takes at the current width, plus one: a widget that is briefly too low
// scrolls, and does not scroll back when it grows.
func (e *textArea) rows() int {
	if e.buffer.text == "" {
		return 1
	}
	n := 1
	for line := range strings.SplitSeq(e.buffer.text, "\n") {
		n += 1 + strings.Count(ansi.Wrap(line, max(e.width-1, 1), " "), "\n")
	}
	return n
}

// markCursor marks the cell of the cursor, which the widget draws in the cursor's style.
func (e *textArea) markCursor(view string) string {
	style, _, _ := strings.Cut(e.style.t.Cursor.Render("x"), "x")
	i := strings.Index(view, style)
	if style == "" || i < 0 {
		return view
	}
	return view[:i] + e.style.t.Caret() + view[i:]
}

func (e *textArea) view(w, h int) string {
	if w != e.width {
		e.width = w
		e.text.WithWidth(w)
	}
	height := max(min(e.rows(), h, 6), 1)
	if height != e.height {
		e.height = height
		e.text.Lines(height)
	}
	e.send(nil) // keeps the cursor's line visible
	view := e.markCursor(showSubstitutes(e.widget.View()))
	if e.expr.open() {
		return strings.Join(append([]string{view}, e.expr.list.Lines(e.style.t, w, min(max(h-height, 1), typeahead.MaxRows))...), "\n")
	}
	return view
}
