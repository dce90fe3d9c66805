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
	s.table.SetSize(s.tableWidth()-4, s.tableHeight()-2-s.filterHeight())
	a := s.readerArea()
	s.laid = a
	s.reader.setSize(max(a.w-4, 1), max(a.h-2, 1))
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

// stackedFrom is the height from which the message is shown below the table where it has no room beside it.
const stackedFrom = 20

// stacked reports whether the message is shown below the table.
func (s *Screen) stacked() bool {
	return !s.roomy() && !s.zoom && s.focus != paneMessage && s.height >= stackedFrom && len(s.shown) > 0
}

// tableHeight is the height of the table with its frame: what its rows need, up to half the screen, where the
// message stands below it.
func (s *Screen) tableHeight() int {
	if !s.stacked() {
		return s.height
	}
	return max(min(len(s.shown)+3+s.filterHeight(), s.height/2), 8)
}

// area is a part of the screen, in cells.
type area struct{ x, y, w, h int }

// readerArea is where the message is, where it is in sight.
func (s *Screen) readerArea() area {
	switch {
	case s.wide():
		return area{s.tableWidth(), 0, s.width - s.tableWidth(), s.height}
	case s.stacked():
		return area{0, s.tableHeight(), s.width, s.height - s.tableHeight()}
	}
	return area{0, 0, s.width, s.height}
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
	switch {
	case !s.wide() && s.focus == paneMessage:
		return s.message()
	case s.wide():
		return lipgloss.JoinHorizontal(lipgloss.Top, s.list(), s.message())
	case s.stacked():
		return s.list() + "\n" + s.message()
	}
	return s.list()
}

func (s *Screen) list() string {
	panel := widget.NewPanel(s.theme, "Messages")
	panel.Focused = s.focus != paneMessage
	if len(s.shown) > 0 {
		panel.Info = fmt.Sprintf("%d of %d", s.table.Cursor+1, len(s.shown))
	}
	panel.SetSize(s.tableWidth(), s.tableHeight())
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

func (s *Screen) message() string {
	title := "Message"
	if m, ok := s.selected(); ok {
		title = subject(m)
	}
	panel := widget.NewPanel(s.theme, title)
	panel.Focused = s.focus == paneMessage
	a := s.readerArea()
	panel.SetSize(a.w, a.h)
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
