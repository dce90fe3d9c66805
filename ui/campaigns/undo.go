package campaigns

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// listState is what the list shows and how.
type listState struct {
	text    string
	sort    order
	columns []string // as in [settings]
}

// restore restores a state, with the cursor on the campaign that the user had selected.
func (l *listing) restore(to listState) tea.Cmd {
	l.onCloseOverlay()
	var kept tea.Cmd
	if now := l.state(); now.sort != to.sort || !slices.Equal(now.columns, to.columns) {
		l.grid.setColumns(chosenColumns(to.columns))
		kept = l.update(func(st settings) settings { st.Sort, st.Columns = to.sort, to.columns; return st })
	}
	l.searchBefore = to.text
	return tea.Batch(kept, l.searchFor(to.text, cursorHome))
}

// recordUndo records the state before a change.
func (l *listing) recordUndo(before listState) {
	now := l.state()
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
	l.searchBefore = now.text
	l.PushUndo(screen.UndoStep{
		Label: widget.Clean(what),
		Undo:  func() tea.Cmd { return l.restore(before) },
		Redo:  func() tea.Cmd { return l.restore(now) },
	})
}

// recordTyping records the typed search as one change.
func (l *listing) recordTyping() {
	before := l.state()
	before.text = l.searchBefore
	l.recordUndo(before)
}

// Undo undoes the last change of the list or of campaigns.
func (l *listing) Undo() (tea.Cmd, bool) {
	l.recordTyping()
	return l.UndoStack.Undo()
}

// Redo redoes the last undone change.
func (l *listing) Redo() (tea.Cmd, bool) {
	l.recordTyping()
	return l.UndoStack.Redo()
}
