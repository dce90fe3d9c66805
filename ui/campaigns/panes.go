package campaigns

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
)

// pane is what lies over the list and has the keyboard: the views, the columns, a report.
type pane interface {
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

// lay puts a pane over the list.
func (s *Screen) lay(p pane) tea.Cmd {
	s.over = p
	return nil
}

// lies shows what lies over the list from now on; nil takes away what does.
func (s *Screen) lies(p pane) {
	s.over = p
	s.layout()
}

// unlay takes the pane away.
func (s *Screen) unlay() tea.Cmd {
	s.over = nil
	return nil
}
