//go:build e2e

// Package e2e drives the built program in a real terminal, like a user: it sends keys and reads the screen.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// binary is the program, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "bugle-e2e-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "bugle")
	build := exec.Command("go", "build", "-o", binary, "bugle/cmd/bugle")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// patience is how long a screen may take to show what a test waits for.
const patience = 15 * time.Second

// terminal is a tmux server of its own with one window.
type terminal struct {
	t      *testing.T
	socket string
	data   string
	start  string // what the window runs
}

// open starts the program at a size on a data folder.
func open(t *testing.T, width, height int, data string, env ...string) *terminal {
	t.Helper()
	term := &terminal{t: t, socket: filepath.Join(t.TempDir(), "tmux"), data: data}
	args := []string{"-f", "/dev/null", "new-session", "-d", "-s", "main", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height)}
	if data != "" {
		env = append(env, "BUGLE_DATA="+data)
	}
	// The program's state and settings belong to the test, unless it sets others.
	home := t.TempDir()
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		if !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") }) {
			env = append(env, name+"="+filepath.Join(home, name))
		}
	}
	env = append(env, "BUGLE_AUTHOR=ann@example.com", "TERM=xterm-256color", "COLORFGBG=15;0", "CI=") // where CI is set, nothing has colors
	for _, e := range env {
		args = append(args, "-e", e)
	}
	// The shell stays after the program, so that its exit can be seen.
	term.start = fmt.Sprintf("%s; echo EXIT=$?; exec cat", binary)
	term.tmux(append(args, term.start)...)
	t.Cleanup(term.end)
	return term
}

// end ends the windows, and waits for the programs in them: they still write as they end.
func (term *terminal) end() {
	var pids []int
	shells, _ := term.command("list-panes", "-a", "-F", "#{pane_pid}").Output() // the server may have ended
	for shell := range strings.FieldsSeq(string(shells)) {
		children, _ := exec.Command("pgrep", "-P", shell).Output() // there may be none
		for child := range strings.FieldsSeq(string(children)) {
			if pid, err := strconv.Atoi(child); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	_ = term.command("kill-server").Run()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) { // between two looks at other processes
		if !slices.ContainsFunc(pids, func(pid int) bool { return syscall.Kill(pid, 0) == nil }) {
			return
		}
	}
	term.t.Errorf("of the programs %v some have not ended", pids)
}

func (term *terminal) command(args ...string) *exec.Cmd {
	return exec.Command("tmux", append([]string{"-S", term.socket}, args...)...)
}

func (term *terminal) tmux(args ...string) string {
	term.t.Helper()
	out, err := term.command(args...).CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

// screen returns the text on the screen.
func (term *terminal) screen() string { return term.tmux("capture-pane", "-p", "-t", "main") }

// see waits until every one of the texts is on the screen.
func (term *terminal) see(texts ...string) string {
	term.t.Helper()
	return term.until(fmt.Sprintf("%q", texts), func(s string) bool {
		for _, want := range texts {
			if !strings.Contains(s, want) {
				return false
			}
		}
		return true
	})
}

// gone waits until the text is no longer on the screen.
func (term *terminal) gone(text string) string {
	term.t.Helper()
	return term.until("no "+text, func(s string) bool { return !strings.Contains(s, text) })
}

func (term *terminal) until(what string, ok func(string) bool) string {
	term.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		s := term.screen()
		if ok(s) {
			return s
		}
		if time.Now().After(deadline) {
			term.t.Fatalf("waited for %s; the screen is:\n%s", what, s)
		}
		time.Sleep(20 * time.Millisecond) // between two looks at another process's screen
	}
}

// press sends keys by tmux's names: Enter, Escape, Tab, C-s, Down, n.
func (term *terminal) press(keys ...string) {
	term.t.Helper()
	for _, k := range keys {
		term.tmux("send-keys", "-t", "main", k)
		if k == "Escape" {
			time.Sleep(escapePause)
		}
	}
}

// escapePause keeps Escape and the key after it from being read as one: together they are Alt and
// that key. No person types that fast.
const escapePause = 50 * time.Millisecond

// write types a text as it is.
func (term *terminal) write(text string) {
	term.t.Helper()
	term.tmux("send-keys", "-t", "main", "-l", text)
}

// kill ends the program as a crash would.
func (term *terminal) kill() { term.killed(false) }

// killFirst ends the program of the terminal that was opened first.
func (term *terminal) killFirst() { term.killed(true) }

func (term *terminal) killed(first bool) {
	term.t.Helper()
	args := []string{"-f", "^" + binary + "$"}
	if first {
		args = append([]string{"-o"}, args...)
	}
	out, err := exec.Command("pgrep", args...).Output()
	if err != nil {
		term.t.Fatalf("the program does not run: %v", err)
	}
	for _, line := range strings.Fields(string(out)) {
		var pid int
		fmt.Sscan(line, &pid)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			term.t.Fatal(err)
		}
	}
	term.see("Killed")
}

// again restarts the program in the same window.
func (term *terminal) again() {
	term.t.Helper()
	term.tmux("respawn-window", "-k", "-t", "main", term.start)
}

// bugle runs a command on the terminal's data folder.
func (term *terminal) bugle(args ...string) (string, error) {
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), "BUGLE_DATA="+term.data)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
