package testsend

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/message/material"
	"bugle/ui/screen"
)

// formUndo are the changes of the form. What is typed in one value without a pause is one step.
type formUndo struct {
	screen.UndoStack
	attr    material.Attribute // that the newest step types in
	typedAt time.Time          // when it did last; zero where the newest step is another one
}

// typingPause parts two steps in one value.
const typingPause = 2 * time.Second

// record notes a change, which swap undoes and redoes.
func (s *formUndo) record(what string, swap func() tea.Cmd) {
	s.PushUndo(screen.UndoStep{Label: what, Undo: swap, Redo: swap})
	s.typedAt = time.Time{}
}

// recordTyping notes typing in a value; where that begins a step, record notes it.
func (s *formUndo) recordTyping(a material.Attribute, now time.Time, record func()) {
	if s.attr != a || s.typedAt.IsZero() || now.Sub(s.typedAt) >= typingPause {
		record()
	}
	s.attr, s.typedAt = a, now
}

// walk undoes or redoes a change.
func (s *formUndo) walk(one func(*screen.UndoStack) (tea.Cmd, bool)) (tea.Cmd, bool) {
	s.typedAt = time.Time{}
	return one(&s.UndoStack)
}
