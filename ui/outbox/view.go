package outbox

import (
	"fmt"
	"time"

	"github.com/charmbracelet/lipgloss"

	"bugle/engine"
	"bugle/engine/when"
	"bugle/themes"
	"bugle/ui/widget"
)

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.filter.SetSize(s.tableWidth()-4, 1)
	s.table.SetSize(s.tableWidth()-4, height-2-s.filterHeight())
	rw := width
	if s.wide() {
		rw = width - s.tableWidth()
	}
	s.reader.setSize(max(rw-4, 1), height-2)
	s.reader.fill()
}

// SetTheme changes the theme.
func (s *Screen) SetTheme(t themes.Theme) {
	s.theme, s.deps.Theme = t, t
	s.table.SetTheme(t)
	s.filter.SetTheme(t)
	s.reader.setTheme(t)
}

func (s *Screen) tableWidth() int {
	if s.wide() {
		return s.width / 2
	}
	return s.width
}

func (s *Screen) filterHeight() int {
	if s.focus == paneFilter || s.filter.Value() != "" {
		return 1
	}
	return 0
}

// tableTop is the line of the screen on which the table's head is.
func (s *Screen) tableTop() int { return 1 + s.filterHeight() }

// View draws the messages and, where there is room or it was asked for, the chosen one.
func (s *Screen) View() string {
	if !s.wide() && s.focus == paneMessage {
		return s.message(s.width)
	}
	left := s.list()
	if !s.wide() {
		return left
	}
	return lipgloss.JoinHorizontal(lipgloss.Top, left, s.message(s.width-s.tableWidth()))
}

func (s *Screen) list() string {
	panel := widget.NewPanel(s.theme, "Messages")
	panel.Focused = s.focus != paneMessage
	if len(s.shown) > 0 {
		panel.Info = fmt.Sprintf("%d of %d", s.table.Cursor+1, len(s.shown))
	}
	panel.SetSize(s.tableWidth(), s.height)
	s.table.Empty = s.emptyText()
	body := s.table.View()
	if s.filterHeight() > 0 {
		body = s.filter.View() + "\n" + body
	}
	return panel.View(body)
}

func (s *Screen) emptyText() string {
	_, has := s.box()
	switch {
	case !has:
		return noOutbox
	case s.failed != nil:
		return "Can't load the outbox: " + s.failed.Error() + "\nPress r to try again."
	case !s.loaded:
		return "Loading…"
	case len(s.messages) > 0:
		return "No message matches. Press esc to clear the filter."
	}
	return "No test messages yet. Open a draft and press t to send one."
}

func (s *Screen) message(width int) string {
	title := "Message"
	if m, ok := s.selected(); ok {
		title = subject(m)
	}
	panel := widget.NewPanel(s.theme, title)
	panel.Focused = s.focus == paneMessage
	panel.SetSize(width, s.height)
	return panel.View(s.reader.draw())
}

// when returns the time of a message in full.
func (s *Screen) when(m engine.Delivered) string {
	now := s.now()
	return when.Moment(m.At.In(now.Location()), now)
}

// now returns the time in the person's zone.
func (s *Screen) now() time.Time {
	if loc := s.deps.Location; loc != nil {
		return s.deps.Now().In(loc)
	}
	return s.deps.Now().UTC()
}
