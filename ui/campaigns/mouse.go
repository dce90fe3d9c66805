package campaigns

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/search/query"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// click is a click on a campaign; a second one soon after opens it.
type click struct {
	id string
	at time.Time
}

const doubleClick = 500 * time.Millisecond

func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, msg := s.panes.Mouse(msg)
	pressed := widget.Pressed(msg)
	switch pane {
	case paneFacets:
		if hit, _ := s.facets.list.Mouse(msg); hit && pressed {
			return tea.Batch(s.focusPane(paneFacets), s.choose())
		}
	case paneDetails:
		if !s.details.pager.Mouse(msg) && pressed {
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
	search, counts, work := s.headerHeights()
	if pressed {
		w, _ := s.panes.Size(paneTable)
		if i, ok := s.bar.completionAt(x, msg.Y-work-search, w, height-4); ok {
			s.bar.list.Highlight(i)
			return s.endSearch()
		}
	}
	y := msg.Y - work
	switch {
	case pressed && y >= 0 && y < search:
		return s.startSearch()
	case pressed && y >= search && y < search+counts:
		state, ok := s.states.at(x)
		switch {
		case ok && state.text == "": // the label of the line
			return s.nextState()
		case ok:
			return s.toggle(query.Status, state.text)
		}
		return nil
	case pressed && y == search+counts:
		if c, ok := s.grid.headerAt(x); ok {
			return s.sortBy(c)
		}
		return nil
	}
	if !s.grid.Mouse(msg, y-search-counts) {
		return nil
	}
	switch {
	case pressed:
		return s.clicked(msg)
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

// clicked handles a click on the row under the cursor: with a modifier, or on the mark if rows are marked, it
// marks the row.
func (s *Screen) clicked(msg tea.MouseMsg) tea.Cmd {
	kept := s.rememberSearch()
	s.focusPane(paneTable)
	s.moved()
	row, ok := s.selected()
	if !ok {
		return kept
	}
	switch {
	case msg.Shift && s.answer != nil && s.selection.anchor != "":
		anchor := s.selection.anchor
		s.selection.beginRange(anchor)
		s.selection.extendRange(s.answer.result, s.grid.Cursor)
		s.selection.ranging = false
	case msg.Ctrl || msg.Alt:
		s.selection.toggle(row.ID)
	}
	last, now := s.lastClick, s.deps.Now()
	s.lastClick = click{row.ID, now}
	if msg.Ctrl || msg.Alt || msg.Shift || last.id != row.ID || now.Sub(last.at) > doubleClick {
		return kept
	}
	s.lastClick = click{}
	return tea.Batch(kept, screen.Open(screen.Route{Name: screen.Builder, ID: row.ID}))
}
