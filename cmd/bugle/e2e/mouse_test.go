//go:build e2e

package e2e

import (
	"fmt"
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
