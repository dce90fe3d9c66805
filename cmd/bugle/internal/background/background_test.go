package background

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/creack/pty"
)

// child makes this test binary print a word and leave: by then all its packages, Bubble Tea among
// them, have initialised.
const child = "BUGLE_TEST_BACKGROUND_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(child) {
	case "":
		os.Exit(m.Run())
	case "asks":
		// What a program without package quiet does: the renderer that asks is made afresh.
		lipgloss.SetDefaultRenderer(lipgloss.NewRenderer(os.Stdout))
		lipgloss.HasDarkBackground()
	}
	_ = tea.NewProgram // Bubble Tea is linked in, so its init has run
	_, _ = os.Stdout.WriteString("ready\r\n")
	os.Exit(0)
}

// runSilent runs this binary as a child in a terminal that never answers, until the terminal has shown
// want, and gives what the child wrote up to then.
func runSilent(t *testing.T, mode string, want []byte) []byte {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+mode, "TERM=xterm-256color", "COLORFGBG=", "CI=")
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	defer func() { _ = terminal.Close() }()

	var got []byte
	chunk := make([]byte, 256)
	for !bytes.Contains(got, want) {
		n, err := terminal.Read(chunk)
		got = append(got, chunk[:n]...)
		if err != nil {
			break
		}
	}
	return got
}

func TestNoQuestionWhileInitialising(t *testing.T) {
	got := runSilent(t, "quiet", []byte("ready"))
	if !bytes.Contains(got, []byte("ready")) {
		t.Fatalf("the program wrote %q, not its own word", got)
	}
	if bytes.ContainsRune(got, '\x1b') {
		t.Errorf("packages asked the terminal while initialising: %q", got)
	}
}

// Without the answer given in advance Lip Gloss does ask; were that to change, package quiet and the
// test above would prove nothing.
func TestLipGlossWouldAsk(t *testing.T) {
	if got := runSilent(t, "asks", []byte("\x1b[6n")); !bytes.Contains(got, []byte("\x1b]11;?")) {
		t.Errorf("Lip Gloss wrote %q, no question: is package quiet still needed?", got)
	}
}

// terminalThat gives a terminal's two ends, and answers the query with answer once it has come.
func terminalThat(t *testing.T, answer string) *os.File {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		got := make([]byte, len(query))
		if _, err := io.ReadFull(master, got); err != nil {
			return
		}
		_, _ = io.WriteString(master, answer)
	}()
	t.Cleanup(func() {
		<-gone
		_ = tty.Close()
		_ = master.Close()
	})
	return tty
}

func environment(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func TestDetectAsksTheTerminal(t *testing.T) {
	for name, test := range map[string]struct {
		answer, typed string
		dark, known   bool
	}{
		"dark":               {answer: "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?62;22c", dark: true, known: true},
		"light, bell":        {answer: "\x1b]11;rgb:ffff/fafa/f0f0\a\x1b[?1;2c", known: true},
		"short channels":     {answer: "\x1b]11;rgb:f/f/f\a\x1b[?1c", known: true},
		"with alpha":         {answer: "\x1b]11;rgba:ffff/ffff/ffff/ffff\a\x1b[?1c", known: true},
		"does not know":      {answer: "\x1b[?1;2c", dark: true},
		"typed around it":    {answer: "ab\x1b]11;rgb:0000/0000/0000\x1b\\c\x1b[?1;2c", typed: "abc", dark: true, known: true},
		"typed, no colour":   {answer: "n\x1b[?1;2c", typed: "n", dark: true},
		"green looks bright": {answer: "\x1b]11;rgb:0000/ffff/0000\a\x1b[?1c", known: true},
	} {
		t.Run(name, func(t *testing.T) {
			tty := terminalThat(t, test.answer)
			got := Detect(environment(map[string]string{"TERM": "xterm"}), tty, tty, time.Minute)
			if got.Dark != test.dark || got.Known != test.known || string(got.Typed) != test.typed {
				t.Errorf("got %+v (typed %q), want dark %v, known %v, typed %q", got, got.Typed, test.dark, test.known, test.typed)
			}
		})
	}
}

func TestDetectGivesUpOnASilentTerminal(t *testing.T) {
	tty := terminalThat(t, "jk")
	got := Detect(environment(map[string]string{"TERM": "xterm"}), tty, tty, 300*time.Millisecond)
	if got.Known || !got.Dark {
		t.Errorf("a silent terminal told %+v", got)
	}
	if string(got.Typed) != "jk" {
		t.Errorf("typed %q was lost, got %q", "jk", got.Typed)
	}
}

func TestDetectWithoutAsking(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for name, test := range map[string]struct {
		env         map[string]string
		dark, known bool
	}{
		"white on black":     {env: map[string]string{"COLORFGBG": "15;0"}, dark: true, known: true},
		"black on white":     {env: map[string]string{"COLORFGBG": "0;15"}, known: true},
		"three parts":        {env: map[string]string{"COLORFGBG": "0;default;15"}, known: true},
		"dark grey":          {env: map[string]string{"COLORFGBG": "15;8"}, dark: true, known: true},
		"light grey":         {env: map[string]string{"COLORFGBG": "0;7"}, known: true},
		"nonsense":           {env: map[string]string{"COLORFGBG": "15;default", "TERM": "xterm"}, dark: true},
		"no terminal":        {env: map[string]string{"TERM": "xterm"}, dark: true},
		"a terminal is dumb": {env: map[string]string{"TERM": "dumb"}, dark: true},
	} {
		t.Run(name, func(t *testing.T) {
			got := Detect(environment(test.env), file, file, time.Minute)
			if got.Dark != test.dark || got.Known != test.known {
				t.Errorf("got %+v, want dark %v, known %v", got, test.dark, test.known)
			}
		})
	}
}
