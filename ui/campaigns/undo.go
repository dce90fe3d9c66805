package campaigns

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// shape is what the list shows, and how.
type shape struct {
	text    string
	sort    order
	columns []string // as in [settings]
}

// as shows the list in another shape, with the cursor on the campaign that the person had chosen.
func (l *listing) as(to shape) tea.Cmd {
	l.uncover()
	var kept tea.Cmd
	if now := l.shape(); now.sort != to.sort || !slices.Equal(now.columns, to.columns) {
		l.grid.arrange(chosenColumns(to.columns))
		kept = l.keep(func(st settings) settings { st.Sort, st.Columns = to.sort, to.columns; return st })
	}
	l.typed = to.text
	return tea.Batch(kept, l.searchFor(to.text, followHome))
}

// reshaped notes that the list was shown in another shape before.
func (l *listing) reshaped(before shape) {
	now := l.shape()
	what := ""
	switch {
	case now.text != before.text && now.text == "":
		what = "cleared “" + before.text + "”"
	case now.text != before.text:
		what = "searched for “" + now.text + "”"
	case now.sort != before.sort:
		what = "changed the sorting"
	case !slices.Equal(now.columns, before.columns):
		what = "changed the columns"
	default:
		return
	}
	l.typed = now.text
	l.PushUndo(screen.UndoStep{
		Label: widget.Clean(what),
		Undo:  func() tea.Cmd { return l.as(before) },
		Redo:  func() tea.Cmd { return l.as(now) },
	})
}

// settled notes the search that was typed as one change.
func (l *listing) settled() {
	before := l.shape()
	before.text = l.typed
	l.reshaped(before)
}

// Undo undoes the last change of the list: of what it shows, or of campaigns.
func (l *listing) Undo() (tea.Cmd, bool) {
	l.settled()
	return l.UndoStack.Undo()
}

// Redo makes the change again that was undone last.
func (l *listing) Redo() (tea.Cmd, bool) {
	l.settled()
	return l.UndoStack.Redo()
}
