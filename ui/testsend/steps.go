package testsend

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/message/assemble"
	"bugle/ui/screen"
)

// steps are the changes of the form. What is typed in one value without a pause is one step.
type steps struct {
	screen.UndoStack
	attr    assemble.Attribute // that the newest step types in
	typedAt time.Time          // when it did last; zero where the newest step is another one
}

// typingPause parts two steps in one value.
const typingPause = 2 * time.Second

// note notes a change, which swap undoes and redoes.
func (s *steps) note(what string, swap func() tea.Cmd) {
	s.PushUndo(screen.UndoStep{Label: what, Undo: swap, Redo: swap})
	s.typedAt = time.Time{}
}

// typed notes typing in a value; where that begins a step, record notes it.
func (s *steps) typed(a assemble.Attribute, now time.Time, record func()) {
	if s.attr != a || s.typedAt.IsZero() || now.Sub(s.typedAt) >= typingPause {
		record()
	}
	s.attr, s.typedAt = a, now
}

// walk undoes or redoes a change.
func (s *steps) walk(one func(*screen.UndoStack) (tea.Cmd, bool)) (tea.Cmd, bool) {
	s.typedAt = time.Time{}
	return one(&s.UndoStack)
}
