package editpane

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/ui/editor"
)

// Side holds the panel beside the editor.
type Side struct {
	Panel editor.SidePanel // nil if the place has none

	owner         string  // the place that it belongs to
	started       tea.Cmd // its command when it was shown
	width, height int
}

// SetSize sets the size of the panel.
func (s *Side) SetSize(width, height int) {
	s.width, s.height = width, height
	if s.Panel != nil {
		s.Panel.SetSize(width, height)
	}
}

// Clear shows no panel.
func (s *Side) Clear() { s.Panel, s.owner = nil, "" }

// Show shows a place of the document in the panel that belongs to owner, which is made by the tool unless it is there
// already.
func (s *Side) Show(p *Pane, t Tool, owner, place doc.Path, of string) {
	if s.Panel == nil || s.owner != of {
		s.Panel, s.owner = t.Panel(p.ConfigAt(owner)), of
		s.Panel.SetSize(s.width, s.height)
	}
	s.started = tea.Batch(s.started, s.Panel.Show(p.document.Root(), place))
}

// TakeStarted returns the pending command of the panel.
func (s *Side) TakeStarted() tea.Cmd {
	cmd := s.started
	s.started = nil
	return cmd
}
