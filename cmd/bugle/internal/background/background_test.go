package background

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"
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

// runSilent runs this binary as a child in a terminal that never responds, until the terminal shows want, and returns
// the child's output so far.
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

func TestNoQueryDuringInit(t *testing.T) {
	got := runSilent(t, "quiet", []byte("ready"))
	if !bytes.Contains(got, []byte("ready")) {
		t.Fatalf("the program wrote %q, not its own word", got)
	}
	if bytes.ContainsRune(got, '\x1b') {
		t.Errorf("packages asked the terminal while initialising: %q", got)
	}
}

// Without the value set in advance, Lip Gloss queries the terminal. If that changes, package quiet and the test above
// are pointless.
func TestLipGlossWouldQuery(t *testing.T) {
	if got := runSilent(t, "asks", []byte("\x1b[6n")); !bytes.Contains(got, []byte("\x1b]11;?")) {
		t.Errorf("Lip Gloss wrote %q, no question: is package quiet still needed?", got)
	}
}

// terminal returns both ends of a pseudo-terminal.
func terminal(t *testing.T) (far, near *os.File) {
	t.Helper()
	far, near, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := term.MakeRaw(near.Fd()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = near.Close()
		_ = far.Close()
	})
	return far, near
}

func TestInput(t *testing.T) {
	for name, test := range map[string]struct {
		reads       []string // what each read finds
		typed       string
		dark, known bool
	}{
		"dark":               {reads: []string{"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?62;22c"}, dark: true, known: true},
		"light, bell":        {reads: []string{"\x1b]11;rgb:ffff/fafa/f0f0\a\x1b[?1;2c"}, known: true},
		"short channels":     {reads: []string{"\x1b]11;rgb:ff/ff/ff\a\x1b[?1c"}, known: true},
		"with alpha":         {reads: []string{"\x1b]11;rgba:ffff/ffff/ffff/ffff\a\x1b[?1c"}, known: true},
		"does not know":      {reads: []string{"\x1b[?1;2c"}},
		"typed around it":    {reads: []string{"ab\x1b]11;rgb:0000/0000/0000\x1b\\c\x1b[?1;2cd"}, typed: "abcd", dark: true, known: true},
		"typed, no color":    {reads: []string{"n\x1b[?1;2c"}, typed: "n"},
		"green looks bright": {reads: []string{"\x1b]11;rgb:0000/ffff/0000\a\x1b[?1c"}, known: true},
		"never answers":      {reads: []string{"j", "\x1b[A", "\x1b", "k"}, typed: "j\x1b[A\x1bk"},
		"in pieces":          {reads: []string{"a\x1b]", "11;rgb:ff", "ff/ffff/ffff\x1b", "\\\x1b[?1;", "2cb", "c"}, typed: "abc", known: true},
		"cut at its escape":  {reads: []string{"\x1b", "]11;rgb:ffff/ffff/ffff\a", "x"}, typed: "\x1bx", known: true},
		"late":               {reads: []string{"abc", "def", "\x1b]11;rgb:ffff/ffff/ffff\a\x1b[?1c", "ghi"}, typed: "abcdefghi", known: true},
		"a chord of its own": {reads: []string{"\x1b]", "j"}, typed: "\x1b]j"},
		"after the answer":   {reads: []string{"\x1b[?1c", "\x1b]", "j"}, typed: "\x1b]j"},
		"pasted":             {reads: []string{"\x1b[200~\x1b[31m]1", "1;\x1b[201~"}, typed: "\x1b[200~\x1b[31m]11;\x1b[201~"},
	} {
		t.Run(name, func(t *testing.T) {
			far, near := terminal(t)
			dark, known := false, false
			in := NewInput(near, func(d bool) { dark, known = d, true })
			var typed []byte
			b := make([]byte, 256)
			for _, text := range test.reads {
				if _, err := far.WriteString(text); err != nil {
					t.Fatal(err)
				}
				n, err := in.Read(b)
				if err != nil {
					t.Fatal(err)
				}
				typed = append(typed, b[:n]...)
			}
			if dark != test.dark || known != test.known || string(typed) != test.typed {
				t.Errorf("typed %q, dark %v, known %v; want %q, %v, %v", typed, dark, known, test.typed, test.dark, test.known)
			}
		})
	}
}
