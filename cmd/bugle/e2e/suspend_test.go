//go:build e2e

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// When suspended, the program releases the terminal, and keeps the store, as a command says; when continued, it redraws
// the screen.
func TestSuspendAndResume(t *testing.T) {
	home := t.TempDir()
	term := &terminal{t: t, socket: filepath.Join(home, "tmux"), data: filepath.Join(home, "data")}
	if out, err := term.bugle("init", "--sample"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	term.tmux("-f", "/dev/null", "new-session", "-d", "-s", "main", "-x", "80", "-y", "24", "-e", "BUGLE_DATA="+term.data, "-e", "XDG_STATE_HOME="+home,
		"-e", "XDG_CONFIG_HOME="+home, "-e", "TERM=xterm-256color", "-e", "COLORFGBG=15;0", shell+" --norc --noprofile -i")
	t.Cleanup(term.end)
	term.see("bash-")
	term.write(binary)
	term.press("Enter")
	term.see("Winter roast launch")
	term.press("C-z")
	term.see("Nothing to undo")
	term.press("C-k")
	term.write("suspend")
	term.see("return to the shell")
	term.press("Enter")
	term.see("Stopped", "bash-")
	if out, err := term.bugle("create", "--channel", "PUSH", "--name", "Made meanwhile"); err == nil || !strings.Contains(out, "continue it with `fg`") {
		t.Errorf("a command while it is suspended: %v\n%s", err, out)
	}
	term.write("fg")
	term.press("Enter")
	term.see("Winter roast launch", "? help")
	if out, err := term.bugle("create", "--channel", "PUSH", "--name", "Made afterwards"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	term.see("Made afterwards")
	term.press("q")
	term.gone("? help")
	term.see("bash-")
}
