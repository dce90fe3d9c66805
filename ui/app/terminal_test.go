//go:build unix

package app_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/app"
	"bugle/ui/screen"
)

// running is a program that Bubble Tea runs, and what it writes.
type running struct {
	*tea.Program
	t     *testing.T
	ended chan error

	mu      sync.Mutex
	written bytes.Buffer
	changed chan struct{} // closed when more is written
}

func start(t *testing.T, change func(*app.Options)) *running {
	t.Helper()
	_, o := options(t)
	o.Context = t.Context()
	change(&o)
	model, err := app.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, ended: make(chan error, 1), changed: make(chan struct{})}
	r.Program = tea.NewProgram(model, tea.WithInput(strings.NewReader("")), tea.WithOutput(r), tea.WithoutSignals(), tea.WithMouseCellMotion())
	go func() { _, err := r.Run(); r.ended <- err }()
	stuck := time.AfterFunc(20*time.Second, r.Kill)
	t.Cleanup(func() { stuck.Stop() })
	return r
}

func (r *running) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.changed)
	r.changed = make(chan struct{})
	return r.written.Write(b)
}

// see waits until a text has been written that many times.
func (r *running) see(text string, times int) {
	r.t.Helper()
	for {
		r.mu.Lock()
		n, changed, all := strings.Count(r.written.String(), text), r.changed, r.written.String()
		r.mu.Unlock()
		if n >= times {
			return
		}
		select {
		case <-changed:
		case err := <-r.ended:
			r.t.Fatalf("the program ended (%v) without %q:\n%s", err, text, all)
		}
	}
}

// end waits until the program has ended.
func (r *running) end() {
	r.t.Helper()
	if err := <-r.ended; err != nil {
		r.t.Fatal(err)
	}
}

// fifo returns a path in the environment variable STARTED that is read once something is written to it.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "started")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STARTED", path)
	return path
}

// waitFor waits until something is written to a path of [fifo].
func waitFor(t *testing.T, path string) {
	t.Helper()
	if _, err := os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
}

// withEditor makes a shell script the editor, and sets the folder of temporary files, which it returns.
func withEditor(t *testing.T, o *app.Options, script string) (temporary string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "ed.sh")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Editor = func(edited string) ([]string, error) { return []string{"/bin/sh", file, edited}, nil }
	temporary = t.TempDir()
	t.Setenv("TMPDIR", temporary)
	return temporary
}

// The program hands the terminal to the editor and takes it back, with the mouse on again, and the text.
func TestEditor(t *testing.T) {
	const text = "<p>one</p>"
	for name, c := range map[string]struct {
		script, want string
		changed      bool
	}{
		"changed":                {`printf '<p>two</p>\n' > "$1"`, "<p>two</p>\n", true},
		"not changed":            {`true`, text, false},
		"only the last line end": {`echo >> "$1"`, text, false},
		"emptied":                {`: > "$1"`, "", true},
		"private":                {`rights=$(ls -l "$1"); echo "${rights%% *} ${1##*.}" > "$1"`, "-rw------- html\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			var changed bool
			var dir string
			r := start(t, func(o *app.Options) { dir = withEditor(t, o, c.script) })
			r.Send(screen.OpenEditorMsg{Text: text, Suffix: ".html", Then: func(text string, differs bool) tea.Cmd {
				got, changed = text, differs
				return nil
			}})
			r.see("\x1b[?1002h", 2) // the mouse is enabled at the start and after the editor
			r.Quit()
			r.end()
			if got != c.want || changed != c.changed {
				t.Errorf("back came %q, changed %t", got, changed)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestFailedEditorKeepsText(t *testing.T) {
	var dir string
	r := start(t, func(o *app.Options) { dir = withEditor(t, o, `printf 'half a novel' > "$1"; exit 1`) })
	r.Send(screen.OpenEditorMsg{Text: "one", Then: func(string, bool) tea.Cmd { t.Error("the text is taken over"); return nil }})
	r.see("The editor failed (exit status 1)", 1)
	r.Quit()
	r.end()
	kept, err := filepath.Glob(filepath.Join(dir, "*", "text"))
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	if b, _ := os.ReadFile(kept[0]); string(b) != "half a novel" {
		t.Errorf("the file has %q", b)
	}
}

// Told to end while the editor has the terminal, the program ends the editor and takes what was saved in it.
func TestEndWhileTheEditorIsOpen(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	started, got := fifo(t), ""
	r := start(t, func(o *app.Options) {
		o.Context = ctx
		withEditor(t, o, `printf two > "$1"; echo > "$STARTED"; exec sleep 600`)
	})
	r.Send(screen.OpenEditorMsg{Text: "one", Then: func(text string, _ bool) tea.Cmd { got = text; return nil }})
	waitFor(t, started)
	stop()
	r.Send(app.EndMsg{Saved: make(chan struct{})})
	if r.end(); got != "two" {
		t.Errorf("back came %q", got)
	}
}

func TestMissingEditorLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	d := newWorld(t, func(o *app.Options) {
		o.Editor = func(string) ([]string, error) { return nil, errors.New("There is no editor: set EDITOR.") }
	})
	d.Send(screen.OpenEditorMsg{Text: "x", Suffix: ".txt"})
	d.Want("There is no editor: set EDITOR.")
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A command of the user runs until it ends, is canceled, or the program ends.
func TestCancelCommand(t *testing.T) {
	started := fifo(t)
	r := start(t, withCommands(t, `
- {key: Q, name: Slow, screen: builder, command: 'echo > "$STARTED"; sleep 600'}
- {key: alt+j, name: Other, screen: builder, command: echo other}
`))
	r.Send(runes("Q"))
	waitFor(t, started)
	r.see("Running Slow… (esc cancels)", 1)
	r.see("esc cancel Slow", 1)
	r.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("j"), Alt: true})
	r.see("Slow is still running. Press esc to cancel it.", 1)
	r.Send(tea.KeyMsg{Type: tea.KeyEsc})
	r.see("Canceled Slow.", 1)
	r.Send(runes("Q"))
	waitFor(t, started)
	r.Send(runes("q"))
	r.end()
}
