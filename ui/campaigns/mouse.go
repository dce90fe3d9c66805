package campaigns

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, msg := s.panes.Mouse(msg)
	pressed := widget.Pressed(msg)
	switch pane {
	case paneFacets:
		if hit, _ := s.facets.Mouse(msg); hit && pressed {
			return tea.Batch(s.focusPane(paneFacets), s.choose())
		}
	case paneDetails:
		if !s.details.Mouse(msg) && pressed {
			return s.focusPane(paneDetails)
		}
	case paneTable:
		return s.tableMouse(msg, pressed)
	}
	return nil
}

// tableMouse handles a mouse event on the table and the lines above it.
func (s *Screen) tableMouse(msg tea.MouseMsg, pressed bool) tea.Cmd {
	x, height := msg.X, s.panes.Height()
	why, search, states := s.headerHeights()
	if pressed {
		w, _ := s.panes.Size(paneTable)
		if i, ok := s.bar.completionAt(x, msg.Y-why-search, w, height-4); ok {
			s.bar.list.Highlight(i)
			return s.endSearch()
		}
	}
	y := msg.Y - why
	switch {
	case pressed && y >= 0 && y < search:
		return s.startSearch()
	case pressed && y >= search && y < search+states:
		tab, ok := s.states.At(x - len(statesKey))
		switch {
		case !ok:
			return nil
		case tab == s.states.Active:
			tab = 0
		}
		return s.showState(tab)
	case pressed && y == search+states:
		if i, ok := s.grid.HeaderAt(x); ok {
			return s.sortBy(s.grid.columns[i])
		}
		return nil
	}
	before, focused := s.selected()
	focused = focused && s.panes.Focused() == paneTable && !s.Typing()
	if !s.grid.Mouse(msg, y-search-states) {
		return nil
	}
	switch {
	case pressed:
		now, _ := s.grid.at(s.grid.Cursor)
		return s.clicked(focused && now.ID == before.ID)
	case s.grid.missing == "":
		s.moved()
	}
	return nil
}

// completionAt returns the row of the completion list at a position; w and h are the size available to the
// list.
func (b *searchBar) completionAt(x, y, w, h int) (int, bool) {
	box, from := b.dropdown(w, h)
	if box == "" {
		return 0, false
	}
	lines := strings.Split(box, "\n")
	if x < from || x >= from+widget.Width(lines[0]) {
		return 0, false
	}
	return b.list.RowAt(y - 1) // its frame
}

// clicked handles a click on the row that has the cursor now. A click on the row that had it before opens it.
func (s *Screen) clicked(again bool) tea.Cmd {
	s.focusPane(paneTable)
	s.moved()
	if row, ok := s.selected(); ok && again {
		return screen.Open(screen.Route{Name: screen.Builder, ID: row.ID})
	}
	return nil
}
