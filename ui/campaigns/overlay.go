package campaigns

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// overlayPane is a pane over the list with the keyboard: the views, the columns, a report.
type overlayPane interface {
	// actions returns its actions.
	actions() []screen.Action
	// key handles keys that are not actions, to move.
	key(tea.KeyMsg)
	// mouse handles a mouse event; y counts from the first line inside the frame.
	mouse(msg tea.MouseMsg, y int) tea.Cmd
	// view draws the pane in at most that size.
	view(width, height int) string
}

// showOverlay shows a pane over the list.
func (s *Screen) showOverlay(p overlayPane) tea.Cmd {
	s.overlay = p
	return nil
}

// closeOverlay closes the pane.
func (s *Screen) closeOverlay() tea.Cmd {
	s.overlay = nil
	return nil
}

// overlayMouse handles a mouse event while a pane is shown in the middle of width × height cells. A click on a
// hint in its lower border presses that key; one outside closes the pane.
func overlayMouse(p overlayPane, msg tea.MouseMsg, width, height int, close func() tea.Cmd) tea.Cmd {
	pressed := widget.Pressed(msg)
	box := p.view(width, height)
	x, y := widget.CenterAt(box, width, height)
	lines := strings.Split(box, "\n")
	inside := msg.X >= x && msg.X < x+widget.Width(lines[0]) && msg.Y >= y && msg.Y < y+len(lines)
	if !inside {
		if pressed {
			return close()
		}
		return nil
	}
	msg.X -= x
	if last := len(lines) - 1; pressed && msg.Y == y+last {
		if key := widget.HintAt(lines[last], msg.X); key != "" {
			for _, a := range p.actions() {
				if a.HasKey(key) && a.DisabledReason == "" {
					return a.Run()
				}
			}
		}
	}
	return p.mouse(msg, msg.Y-y-1)
}
