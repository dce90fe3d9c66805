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
func (s *Screen) as(to shape) tea.Cmd {
	s.over = nil
	var kept tea.Cmd
	if now := s.shape(); now.sort != to.sort || !slices.Equal(now.columns, to.columns) {
		s.grid.arrange(chosenColumns(to.columns))
		kept = s.keep(func(st settings) settings { st.Sort, st.Columns = to.sort, to.columns; return st })
	}
	s.typed = to.text
	return tea.Batch(kept, s.searchFor(to.text, followHome))
}

// reshaped notes that the list was shown in another shape before.
func (s *Screen) reshaped(before shape) {
	now := s.shape()
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
	s.typed = now.text
	s.Did(screen.Step{
		What: widget.Clean(what),
		Undo: func() tea.Cmd { return s.as(before) },
		Redo: func() tea.Cmd { return s.as(now) },
	})
}

// settled notes the search that was typed as one change.
func (s *Screen) settled() {
	before := s.shape()
	before.text = s.typed
	s.reshaped(before)
}

// Undo undoes the last change of the list: of what it shows, or of campaigns.
func (s *Screen) Undo() (tea.Cmd, bool) {
	s.settled()
	return s.Steps.Undo()
}

// Redo makes the change again that was undone last.
func (s *Screen) Redo() (tea.Cmd, bool) {
	s.settled()
	return s.Steps.Redo()
}
