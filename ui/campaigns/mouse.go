package campaigns

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// click is a press on a campaign: a second one soon after opens it.
type click struct {
	id string
	at time.Time
}

const doubleClick = 500 * time.Millisecond

func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	p := s.panes()
	pressed := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	switch {
	case s.over != nil:
		return s.paneMouse(msg, pressed)
	case p.facets.has(msg.X, msg.Y):
		if s.facets.list.Mouse(msg, msg.Y-p.facets.y-1) && pressed {
			return tea.Batch(s.goTo(inFacets), s.choose())
		}
		return nil
	case p.details.has(msg.X, msg.Y):
		if !s.details.pager.Mouse(msg) && pressed {
			return s.goTo(inDetails)
		}
		return nil
	}
	return s.middleMouse(msg, msg.X-p.table.x-2, pressed)
}

// middleMouse takes the mouse over the table and what stands above it; x is a column of the table.
func (s *Screen) middleMouse(msg tea.MouseMsg, x int, pressed bool) tea.Cmd {
	if pressed {
		if i, ok := s.offerAt(x, msg.Y); ok {
			s.bar.list.Highlight(i)
			return s.endSearch()
		}
	}
	search, counts, work := s.head()
	y := msg.Y - 1 - work // the frame
	switch {
	case pressed && y >= 0 && y < search:
		return s.startSearch()
	case pressed && y >= search && y < search+counts:
		c, ok := s.counts.at(x, y-search)
		switch {
		case ok && c.text == "": // the name of the line
			return s.next(c.key)
		case ok:
			return s.toggle(c.key, c.text)
		}
		return nil
	case pressed && y == search+counts:
		if c, ok := s.grid.headAt(x); ok {
			return s.sortBy(c)
		}
		return nil
	}
	if !s.grid.Mouse(msg, y-search-counts) {
		return nil
	}
	if !pressed {
		s.moved()
		return nil
	}
	return s.clicked(msg)
}

// offerAt returns the row that was pressed in the list below the search.
func (s *Screen) offerAt(x, y int) (int, bool) {
	box, from := s.bar.dropdown(s.panelWidth(), s.height-4)
	if box == "" {
		return 0, false
	}
	search, _, work := s.head()
	lines := strings.Split(box, "\n")
	i := y - 1 - work - search - 1 // the list's own frame
	if x < from || x >= from+widget.Width(lines[0]) {
		return 0, false
	}
	return s.bar.list.RowAt(i)
}

// clicked takes a press on the row that is under the cursor now: with a key held, or on the mark of a
// row while some are marked, it marks.
func (s *Screen) clicked(msg tea.MouseMsg) tea.Cmd {
	kept := s.remember()
	s.goTo(inTable)
	row, ok := s.selected()
	if !ok {
		return kept
	}
	switch {
	case msg.Shift && s.answer != nil && s.picked.anchor != "":
		anchor := s.picked.anchor
		s.picked.begin(anchor)
		s.picked.stretch(s.answer.result, s.grid.Cursor)
		s.picked.taking = false
	case msg.Ctrl || msg.Alt:
		s.picked.toggle(row.ID)
	}
	s.moved()
	last, now := s.lastClick, s.deps.Now()
	s.lastClick = click{row.ID, now}
	if msg.Ctrl || msg.Alt || msg.Shift || last.id != row.ID || now.Sub(last.at) > doubleClick {
		return kept
	}
	s.lastClick = click{}
	return tea.Batch(kept, screen.Open(screen.Route{Name: screen.Builder, ID: row.ID}))
}

// paneMouse takes the mouse while a pane lies over the list. A press on a hint in its lower edge does what the hint
// says; one beside the pane takes it away.
func (s *Screen) paneMouse(msg tea.MouseMsg, pressed bool) tea.Cmd {
	box := s.over.view(s.width, s.height)
	x, y := widget.CenterAt(box, s.width, s.height)
	lines := strings.Split(box, "\n")
	inside := msg.X >= x && msg.X < x+widget.Width(lines[0]) && msg.Y >= y && msg.Y < y+len(lines)
	if !inside {
		if pressed {
			return s.unlay()
		}
		return nil
	}
	msg.X -= x
	if last := len(lines) - 1; pressed && msg.Y == y+last {
		if key := widget.HintAt(lines[last], msg.X); key != "" {
			for _, a := range s.over.actions() {
				if a.Does(key) && a.Why == "" {
					return a.Run()
				}
			}
		}
	}
	return s.over.mouse(msg, msg.Y-y-1)
}
