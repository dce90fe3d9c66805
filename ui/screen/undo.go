package screen

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// UndoStep is a change that the user made on a screen.
type UndoStep struct {
	// Label describes the change, as shown after "Undone: ".
	Label string
	// Undo and Redo return the commands that revert the change and apply it again, and that move the cursor to it.
	Undo, Redo func() tea.Cmd
}

// UndoStack holds the changes made on a screen.
type UndoStack struct{ done, undone []UndoStep }

// PushUndo adds a change and drops the ones that could be redone.
func (s *UndoStack) PushUndo(step UndoStep) {
	s.done, s.undone = append(s.done, step), nil
}

// Undo undoes the last change.
func (s *UndoStack) Undo() (tea.Cmd, bool) {
	if len(s.done) == 0 {
		return nil, false
	}
	step := s.done[len(s.done)-1]
	s.done = s.done[:len(s.done)-1]
	s.undone = append(s.undone, step)
	return step.withNotice("Undone: ", step.Undo), true
}

// Redo applies again the change that was undone last.
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
	return tea.Batch(do(), NotifyAbout(TopicEdit, widget.LevelSuccess, how+s.Label))
}
