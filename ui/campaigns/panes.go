package campaigns

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// overlayPane is what lies over the list and has the keyboard: the views, the columns, a report.
type overlayPane interface {
	// actions are what can be done in it.
	actions() []screen.Action
	// key takes the keys that are no action: those that move.
	key(tea.KeyMsg)
	// mouse takes the mouse; y counts from the pane's first line inside its frame.
	mouse(msg tea.MouseMsg, y int) tea.Cmd
	// view draws the pane in at most these cells.
	view(width, height int) string
	setTheme(themes.Theme)
}

// showOverlay puts a pane over the list.
func (s *Screen) showOverlay(p overlayPane) tea.Cmd {
	s.overlay = p
	return nil
}

// closeOverlay takes the pane away.
func (s *Screen) closeOverlay() tea.Cmd {
	s.overlay = nil
	return nil
}

// overlayMouse takes the mouse while a pane lies in the middle of width × height cells. A press on a hint in its lower edge
// does what the hint says; one beside the pane closes it.
func overlayMouse(p overlayPane, msg tea.MouseMsg, width, height int, close func() tea.Cmd) tea.Cmd {
	pressed := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
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
