package screen

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// Step is a change that a person made on a screen.
type Step struct {
	// What was done, as it stands behind "Undone: ".
	What string
	// Undo and Redo return the commands that take the change back and make it again, and go to it.
	Undo, Redo func() tea.Cmd
	// Told reports that Undo and Redo say themselves how it went.
	Told bool
	// Why says why the change cannot be undone, and names it; empty where it can.
	Why string
}

// Steps are the changes made on a screen, which becomes an [Undoer] by embedding them.
type Steps struct{ done, undone []Step }

// mostSteps is how many changes can be undone.
const mostSteps = 100

// Did adds a change. What was undone before it cannot be redone any more.
func (s *Steps) Did(step Step) {
	s.done, s.undone = append(s.done, step), nil
	if len(s.done) > mostSteps {
		s.done = s.done[1:]
	}
}

// Undo undoes the last change. One that cannot be undone is told of, and passed over from then on.
func (s *Steps) Undo() (tea.Cmd, bool) {
	if len(s.done) == 0 {
		return nil, false
	}
	step := s.done[len(s.done)-1]
	s.done = s.done[:len(s.done)-1]
	if step.Why != "" {
		return NotifyAbout(AboutEdit, widget.LevelWarning, step.Why), true
	}
	s.undone = append(s.undone, step)
	return step.tell("Undone: ", step.Undo), true
}

// Redo makes the change again that was undone last.
func (s *Steps) Redo() (tea.Cmd, bool) {
	if len(s.undone) == 0 {
		return nil, false
	}
	step := s.undone[len(s.undone)-1]
	s.undone = s.undone[:len(s.undone)-1]
	s.done = append(s.done, step)
	return step.tell("Redone: ", step.Redo), true
}

func (s Step) tell(how string, do func() tea.Cmd) tea.Cmd {
	if s.Told {
		return do()
	}
	return tea.Batch(do(), NotifyAbout(AboutEdit, widget.LevelSuccess, how+s.What))
}
