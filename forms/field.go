package forms

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
)

// field is the row being edited: its editor, and the document before its changes.
type field struct {
	editor editor // nil if the row is not edited in place
	before doc.Value
	added  bool // the row is an element that was just added
}

func (e *field) typing() bool { return e.editor != nil && e.editor.typing() }
func (e *field) modal() bool  { return e.editor != nil && e.editor.modal() }

// menu returns the open list of a choice.
func (e *field) menu() (*choice, bool) {
	c, ok := e.editor.(*choice)
	return c, ok && c.modal()
}

// changedText returns the text of a text field, and whether the user changed it.
func (e *field) changedText() (string, bool) {
	in, ok := e.editor.(*textEditor)
	if !ok || in.area || !in.changed() {
		return "", false
	}
	return in.Text(), true
}

// text returns the current text of a row.
func (e *field) text(r row) string {
	if text, ok := e.changedText(); ok {
		return text
	}
	if r.input != nil {
		return r.input.Text
	}
	return r.Value.Text()
}

// accept accepts the highlighted suggestion on keys that leave the field: enter, and tab if something was
// typed. It reports whether that changed the text.
func (e *field) accept(msg tea.KeyMsg) bool {
	in, ok := e.editor.(*textEditor)
	if !ok || in.expr.open() {
		return false
	}
	leaves := msg.String() == "enter" && !in.commaList || msg.String() == "tab" && in.changed()
	return leaves && in.accept()
}

// press handles a click at column x of line y: it moves the cursor there, or chooses from
// a list. It reports whether it handled the click, and whether that completed the value.
func (e *field) press(x, y int) (taken, done bool) {
	if in, ok := e.editor.(*textEditor); ok {
		return true, in.press(x, y)
	}
	menu, ok := e.menu()
	if ok {
		menu.chooseAt(y)
	}
	return ok, false
}

// parseTimespan returns the full form of the text in a timespan row if it was abbreviated, and why it cannot be
// parsed.
func (e *field) parseTimespan(r row, dates []string) (words, refused string) {
	text, ok := e.changedText()
	if !ok || text == "" {
		return "", ""
	}
	root, err := r.Node.SetSpan(e.before, r.Path, text, dates)
	switch {
	case err != nil && e.editor.(*textEditor).list.Len() > 0:
		return "", ""
	case err != nil:
		return "", err.Error()
	}
	if full, _ := r.Node.SpanText(root.Lookup(r.Path.Parent())); full != text {
		return full, ""
	}
	return "", ""
}

// hasPendingChoice reports whether the text is about to be replaced by a highlighted suggestion, so that it is not an
// error yet.
func (e *field) hasPendingChoice(r row) bool {
	in, ok := e.editor.(*textEditor)
	return ok && (r.shape == shapeTimespan || in.replacing) && in.list.At() >= 0
}
