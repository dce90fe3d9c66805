package testsend

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/message/assemble"
	"bugle/ui/screen"
)

// formUndo is the undo stack of the form. Typing in one override without a pause is one step.
type formUndo struct {
	screen.UndoStack
	attr    assemble.Attribute // of the newest step, if it is typing
	typedAt time.Time          // time of the last key; zero if the newest step is not typing
}

// typingPause separates two steps in one override.
const typingPause = 2 * time.Second

// record records a change, which swap undoes and redoes.
func (s *formUndo) record(what string, swap func() tea.Cmd) {
	s.PushUndo(screen.UndoStep{Label: what, Undo: swap, Redo: swap})
	s.typedAt = time.Time{}
}

// recordTyping extends the current step or, if typing starts a new one, calls record.
func (s *formUndo) recordTyping(a assemble.Attribute, now time.Time, record func()) {
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
