package campaigns

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

// click is a press on a campaign: a second one soon after opens it.
type click struct {
	id string
	at time.Time
}

const doubleClick = 500 * time.Millisecond

func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	facets, preview := s.sides()
	pressed := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	switch {
	case msg.X < facets:
		if s.facets.Mouse(msg, msg.Y-1) && pressed {
			s.inList = true
			return s.choose()
		}
		return nil
	case msg.X >= s.width-preview:
		s.preview.Mouse(msg)
		return nil
	}
	filter, counts := s.head()
	y := msg.Y - 1 - filter // the frame
	if pressed && y < 0 && msg.Y > 0 {
		return s.startFilter()
	}
	if pressed && y >= 0 && y < counts {
		return s.clickCount(msg.X-facets-2, y)
	}
	if !s.table.Mouse(msg, y-counts) {
		return nil
	}
	s.moved()
	if pressed {
		return s.clicked()
	}
	return nil
}

func (s *Screen) clickCount(x, line int) tea.Cmd {
	for _, sp := range s.spans {
		if sp.line == line && x >= sp.from && x < sp.to {
			return s.narrowTo(sp.choice)
		}
	}
	return nil
}

// clicked takes a press on the row that is under the cursor now.
func (s *Screen) clicked() tea.Cmd {
	s.inList = false
	s.filter.Blur()
	last, now := s.lastClick, s.deps.Now()
	s.lastClick = click{s.keep, now}
	if last.id != s.keep || now.Sub(last.at) > doubleClick {
		return nil
	}
	s.lastClick = click{}
	return screen.Open(screen.Route{Name: screen.Builder, ID: s.keep})
}
