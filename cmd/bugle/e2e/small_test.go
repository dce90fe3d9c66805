//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"
)

// A terminal that can only print gets plain mode.
func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	env, _ := environment(t, "TERM=dumb")
	c := openConsole(t, env)
	c.see("Welcome>")
	c.press("1\n")
	c.see("Campaigns>")
	c.press("quit\n")
	c.see("Goodbye. Everything is saved.")
}

// A window that is too small, and one that grows again, lose nothing.
func TestSmallWindow(t *testing.T) {
	term := open(t, 20, 5, filepath.Join(t.TempDir(), "data"))
	term.see("bugle needs a window")
	term.tmux("resize-window", "-t", "main", "-x", "120", "-y", "40")
	term.see("Welcome to bugle")
	term.press("Enter")
	term.see("Winter roast launch", "Selected")
}
