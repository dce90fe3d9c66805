package app

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

// editorRun is a round trip through an editor, without starting one.
type editorRun struct {
	*harness
	file    string
	text    string
	changed bool
	calls   int
}

func newEditorRun(t *testing.T, text string) *editorRun {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	o := &editorRun{harness: newHarness(t)}
	o.editor = func(file string) ([]string, error) { o.file = file; return []string{"ed", file}, nil }
	if cmd := o.model.openEditor(o.msg(text)); cmd == nil {
		t.Fatal("no editor is started")
	}
	return o
}

func (o *editorRun) msg(text string) screen.OpenEditorMsg {
	return screen.OpenEditorMsg{Text: text, Suffix: ".html", Then: func(text string, changed bool) tea.Cmd {
		o.text, o.changed, o.calls = text, changed, o.calls+1
		return nil
	}}
}

// closeWith closes the editor with that text in the file.
func (o *editorRun) closeWith(before, after string, err error) {
	o.t.Helper()
	if werr := os.WriteFile(o.file, []byte(after), 0o600); werr != nil {
		o.t.Fatal(werr)
	}
	o.send(RunMsg{func() tea.Cmd { return o.model.closeEditor(o.msg(before), o.file, err) }})
}

func TestEditorRoundTrip(t *testing.T) {
	for name, c := range map[string]struct {
		after, want string
		changed     bool
	}{
		"changed":                {"<p>two</p>\n", "<p>two</p>\n", true},
		"not changed":            {"<p>one</p>", "<p>one</p>", false},
		"only the last line end": {"<p>one</p>\n", "<p>one</p>", false},
		"emptied":                {"", "", true},
	} {
		o := newEditorRun(t, "<p>one</p>")
		given, err := os.ReadFile(o.file)
		if err != nil || string(given) != "<p>one</p>" || filepath.Ext(o.file) != ".html" {
			t.Fatalf("the editor gets %q in %s: %v", given, o.file, err)
		}
		if info, err := os.Stat(o.file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("others may read the file: %v", info.Mode())
		}
		o.closeWith("<p>one</p>", c.after, nil)
		if o.calls != 1 || o.text != c.want || o.changed != c.changed {
			t.Errorf("%s: it came back %d times, as %q, changed %v", name, o.calls, o.text, o.changed)
		}
		if _, err := os.Stat(filepath.Dir(o.file)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file stays behind", name)
		}
	}
}

func TestFailedEditorKeepsText(t *testing.T) {
	o := newEditorRun(t, "one")
	o.closeWith("one", "half a novel", errors.New("exit status 1"))
	if o.calls != 0 {
		t.Error("the text of a failed editor is taken over")
	}
	o.want("The editor failed (exit status 1)", "its text is in")
	if kept, _ := os.ReadFile(o.file); string(kept) != "half a novel" {
		t.Errorf("the file holds %q", kept)
	}
}

func TestMissingEditorLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	d := newHarness(t)
	d.send(screen.OpenEditorMsg{Text: "x", Suffix: ".txt"})
	d.want("There is no editor: set EDITOR.")
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A real program hands the terminal to a real editor and takes it back, with the mouse on again.
func TestEditorInRunningProgram(t *testing.T) {
	script := filepath.Join(t.TempDir(), "ed.sh")
	if err := os.WriteFile(script, []byte("printf ' and more' >> \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := newHarness(t)
	d.editor = func(file string) ([]string, error) { return []string{"/bin/sh", script, file}, nil }
	out := &watcher{want: "\x1b[?1002h", times: 2, seen: make(chan struct{})}
	p := tea.NewProgram(d.model, tea.WithInput(strings.NewReader("")), tea.WithOutput(out), tea.WithoutSignals(), tea.WithMouseCellMotion())
	var got string
	go func() {
		p.Send(screen.OpenEditorMsg{Text: "some", Suffix: ".txt", Then: func(text string, changed bool) tea.Cmd {
			got = text
			return nil
		}})
		<-out.seen // the mouse is enabled at the start and after the editor
		p.Quit()
	}()
	stuck := time.AfterFunc(20*time.Second, p.Kill)
	defer stuck.Stop()
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	if got != "some and more" {
		t.Errorf("back came %q", got)
	}
}

// Told to end while the editor has the terminal, the program ends the editor and takes what was saved in it.
func TestEndWhileTheEditorIsOpen(t *testing.T) {
	var stop context.CancelFunc
	d := newHarness(t, func(o *Options) { o.Context, stop = context.WithCancel(t.Context()) })
	t.Setenv("TMPDIR", t.TempDir())
	o := &editorRun{harness: d}
	o.editor = func(file string) ([]string, error) { o.file = file; return []string{"ed", file}, nil }
	o.model.openEditor(o.msg("one"))
	stop()
	saved := make(chan struct{})
	d.send(EndMsg{Saved: saved})
	if d.quit || o.calls > 0 {
		t.Fatal("the program ended before the editor")
	}
	o.closeWith("one", "two", errors.New("signal: terminated"))
	<-saved
	if o.text != "two" || !d.quit {
		t.Errorf("back came %q, quit %t", o.text, d.quit)
	}
}

// watcher is an output that signals when a text has been written to it that many times.
type watcher struct {
	want  string
	times int
	seen  chan struct{}
	text  []byte
}

func (w *watcher) Write(b []byte) (int, error) {
	before := bytes.Count(w.text, []byte(w.want))
	w.text = append(w.text, b...)
	if after := bytes.Count(w.text, []byte(w.want)); before < w.times && after >= w.times {
		close(w.seen)
	}
	return len(b), nil
}
