//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// click presses and lets go the first button of the mouse at the text's first place on the screen.
func (p *player) click(text string) {
	p.t.Helper()
	for y, line := range strings.Split(p.see(text), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			x := len([]rune(before)) + 1
			p.write(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x, y+1, x, y+1))
			return
		}
	}
}

// colored waits until the screen holds an escape sequence of color.
func (p *player) colored(sequence string) {
	p.t.Helper()
	p.until("the color "+sequence, func(string) bool {
		return strings.Contains(p.tmux("capture-pane", "-e", "-p", "-t", "main"), sequence)
	})
}

// The user's own theme and keys are read from files: the color is on the screen, the key works, and the help shows it.
// A theme is chosen with a live preview.
func TestCustomThemeAndKeys(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for name, text := range map[string]string{
		"themes/forest.yaml": "base: dark\ntokens:\n  border-focus: 202\n",
		"keys.yaml":          "campaigns.new: N\n",
	} {
		path := filepath.Join(home, "bugle", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := sample(t, 100, 30, "XDG_CONFIG_HOME="+home, "BUGLE_THEME=forest")
	p.colored("38;5;202")
	p.play("?N new", "N", "?New draft", "Escape", "?Winter roast")
	p.play("C-k", ">choose a theme", "Enter", "?forest", "?high-contrast", "Home", "Enter", "!high-contrast")
}

// The palette does what it is asked for, the mouse chooses and opens, and a window that shrinks to 60×20
// and grows again keeps what was open.
func TestPaletteMouseAndResize(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.play("C-k", "?action, section", ">sort", "?sort by a column", "Enter", "?Default", "Escape", "!Default")
	p.click("Spring catalog")
	p.play("?▌ Spring catalog")
	p.click("Paused 5")
	p.play("?/ status:paused", "?5 of 48", "Escape Escape", "?48 of 48")

	p.play("Home Enter", "?✓ Connector", "Down Down Enter", "?▸ Subject")
	p.tmux("resize-window", "-t", "main", "-x", "60", "-y", "20")
	s := p.until("a window of 60×20", func(s string) bool { return strings.Contains(s, "Content") && widest(s) <= 60 })
	if n := strings.Count(strings.TrimRight(s, "\n"), "\n") + 1; n > 20 {
		t.Errorf("%d lines on 20:\n%s", n, s)
	}
	p.play("?▸ Subject")
	p.tmux("resize-window", "-t", "main", "-x", "120", "-y", "40")
	p.play("?▸ Subject", "?On a phone", "?no problems")
}

func widest(s string) int {
	n := 0
	for line := range strings.SplitSeq(s, "\n") {
		n = max(n, len([]rune(strings.TrimRight(line, " "))))
	}
	return n
}
