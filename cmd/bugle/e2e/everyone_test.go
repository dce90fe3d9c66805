//go:build e2e

package e2e

import (
	"path/filepath"
	"regexp"
	"testing"
)

// The main job without colors, in the color-blind safe theme, and in the smallest window: a draft, its
// content, its audience, the check, and a test that is delivered.
func TestMainJobAccessible(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		width, height int
		env           []string
		colors        bool
	}{
		{"color-blind", 80, 24, []string{"BUGLE_THEME=color-blind"}, true},
		{"NO_COLOR", 80, 24, []string{"NO_COLOR=1"}, false},
		{"60 columns", 60, 20, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := sample(t, c.width, c.height, c.env...)
			p.play("n", "?New draft", "Down Enter", "?One-time", "Enter", ">Spring sale", "Enter", "?Connector: add a connector", "?4 to do")
			p.play("Enter", "?▸ Name", ">demo", "Enter", "?Demo mail", "?3 to do")
			p.play("Escape Down Enter", "?▸ Subject", ">Spring is here", "Enter Enter Enter", "?▸ From address", ">news@example.com",
				"Down", "?▸ HTML", ">Our beans are 20% off.", "?2 to do", "Escape", "?enter edit")
			p.play("Down Down Enter", "?▸ Send to", "Space", "?1 to do", "Escape Down Enter", "?▸ Sending time", "Enter Down Enter", "!to do")
			p.play("Escape", "v", "?Ready to publish.")
			if colored := hue.MatchString(p.tmux("capture-pane", "-e", "-p", "-t", "main")); colored != c.colors {
				t.Errorf("colors on the screen: %v", colored)
			}
			p.play("t", "?Recipients", ">ann", "!jamal", "Enter", "?1 of 10", "C-s", "?Results", "?✓ Email sent")
			p.play("O", "?1 message", "?Spring is here")
			if s := p.screen(); widest(s) > c.width {
				t.Errorf("a line is wider than the window:\n%s", s)
			}
		})
	}
}

// hue matches what sets a color, of the letters or behind them.
var hue = regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;[25])\b[0-9;]*m`)

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
