package frames

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	xterm "github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"bugle/themes"
)

// pages shows one text after another: each key is the number of the next one.
type pages struct {
	texts []string
	at    int
}

type openEditor struct{}

func (p pages) Init() tea.Cmd { return nil }
func (p pages) View() string  { return p.texts[p.at] }

func (p pages) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		switch key := msg.String(); key {
		case "q":
			return p, tea.Quit
		case "c":
			return p, tea.ClearScreen
		case "e":
			return p, tea.ExecProcess(exec.Command("true"), func(error) tea.Msg { return openEditor{} })
		default:
			p.at = int(key[0] - '0')
		}
	case openEditor:
		p.at = 1
	}
	return p, nil
}

// window is a terminal that a program runs in.
type window struct {
	t    *testing.T
	far  *os.File
	near *os.File

	mu     sync.Mutex
	seen   *sync.Cond
	screen *vt.Emulator
	raw    strings.Builder
	ended  bool
}

func open(t *testing.T, width, height int, texts ...string) *window {
	t.Helper()
	far, near, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	w := &window{t: t, far: far, near: near, screen: vt.NewEmulator(width, height)}
	w.seen = sync.NewCond(&w.mu)
	w.size(width, height)
	if _, err := xterm.MakeRaw(near.Fd()); err != nil {
		t.Fatal(err)
	}
	go w.read()
	s := New(near)
	s.Size(width, height)
	p := tea.NewProgram(s.Show(pages{texts: texts}), tea.WithInput(near), tea.WithOutput(s), tea.WithAltScreen(), tea.WithFPS(FPS), tea.WithoutSignalHandler())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	t.Cleanup(func() {
		p.Quit()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = s.Close()
		_ = near.Close()
		_ = far.Close()
	})
	return w
}

func (w *window) size(width, height int) {
	if err := pty.Setsize(w.far, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *window) read() {
	b := make([]byte, 1<<16)
	for {
		n, err := w.far.Read(b)
		w.mu.Lock()
		_, _ = w.screen.Write(b[:n])
		w.raw.Write(b[:n])
		w.ended = err != nil
		w.seen.Broadcast()
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (w *window) press(keys string) {
	w.t.Helper()
	if _, err := io.WriteString(w.far, keys); err != nil {
		w.t.Fatal(err)
	}
}

// until waits until the screen shows something, and returns what was written since the last call.
func (w *window) until(what string, ok func(screen, raw string) bool) (raw string) {
	w.t.Helper()
	late := time.AfterFunc(10*time.Second, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended = true
		w.seen.Broadcast()
	})
	defer late.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !ok(w.text(), w.raw.String()) {
		if w.ended {
			w.t.Fatalf("it never shows %s, but\n%s\n%q", what, w.text(), w.raw.String())
		}
		w.seen.Wait()
	}
	raw = w.raw.String()
	w.raw.Reset()
	return raw
}

func (w *window) text() string {
	lines := strings.Split(strings.ReplaceAll(w.screen.String(), "\r", ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func (w *window) shows(text string) (raw string) {
	w.t.Helper()
	return w.until(fmt.Sprintf("%q", text), func(screen, _ string) bool { return screen == text })
}

func lines(n int, text string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s %d", text, i)
	}
	return strings.Join(all, "\n")
}

func TestFrames(t *testing.T) {
	long := lines(10, "line")
	other := strings.Replace(long, "line 4", "four", 1)
	wide := lines(9, "line") + "\n" + strings.Repeat("w", 50)
	tall := "above\n" + long
	w := open(t, 30, 10, long, other, "short\none", wide, tall)
	if raw := w.shows(long); strings.Contains(raw, blank) {
		t.Errorf("the frames of Bubble Tea are written: %q", raw)
	}
	w.press("1")
	if raw := w.shows(other); strings.Contains(raw, "line") {
		t.Errorf("more than the line that changed is written: %q", raw)
	}
	w.press("2")
	w.shows("short\none")
	w.press("3")
	w.shows(lines(9, "line") + "\n" + strings.Repeat("w", 30))
	w.press("4")
	w.shows(long)
}

func TestFramesAfterExec(t *testing.T) {
	w := open(t, 30, 10, "zero", "one")
	w.shows("zero")
	w.press("e")
	raw := w.until("the frame again", func(screen, raw string) bool {
		return screen == "one" && strings.Count(raw, "\x1b[?1049h") == 1
	})
	left, entered := strings.Index(raw, "\x1b[?1049l"), strings.Index(raw, "\x1b[?1049h")
	if left < 0 || entered < left {
		t.Fatalf("the terminal was not given away and taken back: %q", raw)
	}
	if between := raw[left:entered]; strings.Contains(between, "zero") || strings.Contains(between, "one") {
		t.Errorf("it is drawn on while another program has the terminal: %q", between)
	}
}

func TestFramesAfterTheScreenWasCleared(t *testing.T) {
	w := open(t, 30, 10, "zero")
	w.shows("zero")
	w.press("c")
	w.until("it drawn anew", func(screen, raw string) bool {
		return screen == "zero" && strings.Contains(raw, "\x1b[2J") && strings.Contains(raw[strings.Index(raw, "\x1b[2J"):], "zero")
	})
}

// The terminal's cursor stands where a person types, and goes with it, so that input methods do.
func TestCursorFollowsCaret(t *testing.T) {
	mark := themes.CaretMark
	w := open(t, 20, 4,
		"one\nname: ab"+mark+"_  \nthree", "one\nname: a"+mark+"b   \nthree", "one\nname: ab   \nthree", "\x1b[1m世界"+mark+"_\x1b[0m\nname: ab   \nthree")
	at := func(x, y int) {
		t.Helper()
		w.until(fmt.Sprintf("the cursor at %d, %d", x, y), func(string, string) bool {
			p := w.screen.CursorPosition()
			return p.X == x && p.Y == y
		})
	}
	at(8, 1)
	w.press("1")
	at(7, 1)
	w.press("2")
	at(0, 2)
	w.press("3")
	at(4, 0)
	if raw := w.until("anything", func(string, string) bool { return true }); strings.Contains(raw, "caret") {
		t.Errorf("the mark is written to the terminal: %q", raw)
	}
}
