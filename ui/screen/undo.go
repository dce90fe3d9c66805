package screen

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// UndoStep is a change that a person made on a screen.
type UndoStep struct {
	// Label was done, as it stands behind "Undone: ".
	Label string
	// Undo and Redo return the commands that take the change back and make it again, and go to it.
	Undo, Redo func() tea.Cmd
	// OwnNotice reports that Undo and Redo say themselves how it went.
	OwnNotice bool
	// IrreversibleReason says why the change cannot be undone, and names it; empty where it can.
	IrreversibleReason string
}

// UndoStack are the changes made on a screen, which becomes an [Undoer] by embedding them.
type UndoStack struct{ done, undone []UndoStep }

// maxUndoSteps is how many changes can be undone.
const maxUndoSteps = 100

// PushUndo adds a change. What was undone before it cannot be redone any more.
func (s *UndoStack) PushUndo(step UndoStep) {
	s.done, s.undone = append(s.done, step), nil
	if len(s.done) > maxUndoSteps {
		s.done = s.done[1:]
	}
}

// Undo undoes the last change. One that cannot be undone is told of, and passed over from then on.
func (s *UndoStack) Undo() (tea.Cmd, bool) {
	if len(s.done) == 0 {
		return nil, false
	}
	step := s.done[len(s.done)-1]
	s.done = s.done[:len(s.done)-1]
	if step.IrreversibleReason != "" {
		return NotifyAbout(TopicEdit, widget.LevelWarning, step.IrreversibleReason), true
	}
	s.undone = append(s.undone, step)
	return step.withNotice("Undone: ", step.Undo), true
}

// Redo makes the change again that was undone last.
func (s *UndoStack) Redo() (tea.Cmd, bool) {
	if len(s.undone) == 0 {
		return nil, false
	}
	step := s.undone[len(s.undone)-1]
	s.undone = s.undone[:len(s.undone)-1]
	s.done = append(s.done, step)
	return step.withNotice("Redone: ", step.Redo), true
}

func (s UndoStep) withNotice(how string, do func() tea.Cmd) tea.Cmd {
	if s.OwnNotice {
		return do()
	}
	return tea.Batch(do(), NotifyAbout(TopicEdit, widget.LevelSuccess, how+s.Label))
}
