package screen_test

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

func TestUndoStack(t *testing.T) {
	var at string
	set := func(to string) func() tea.Cmd {
		return func() tea.Cmd { at = to; return nil }
	}
	var s screen.UndoStack
	for _, n := range []string{"a", "b"} {
		s.PushUndo(screen.UndoStep{Label: n, Undo: set("before " + n), Redo: set("after " + n)})
	}
	do := func(f func() (tea.Cmd, bool), want string, can bool) {
		t.Helper()
		if _, ok := f(); ok != can || at != want {
			t.Errorf("now %q, %v; want %q, %v", at, ok, want, can)
		}
	}
	do(s.Redo, "", false)
	do(s.Undo, "before b", true)
	do(s.Redo, "after b", true)
	do(s.Undo, "before b", true)
	do(s.Undo, "before a", true)
	do(s.Undo, "before a", false)
	do(s.Redo, "after a", true)
	s.PushUndo(screen.UndoStep{Label: "d", Undo: set("before d"), Redo: set("after d")})
	do(s.Redo, "after a", false)
}
