//go:build e2e

package e2e

import (
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
			p.play("n", "?New draft", "Down Enter", "?One-time", "Enter", ">Spring sale", "Enter", "?✓ Name", "Enter", "?Connector: add a connector", "?4 to do")
			p.play("Enter", "?▸ Name", ">demo", "Enter", "?Demo mail", "?3 to do")
			p.play("Escape Down Enter", "?▸ Subject", ">Spring is here", "Enter Enter Enter", "?▸ From address", ">news@example.com",
				"Down", "?▸ HTML", ">Our beans are 20% off.", "?2 to do", "Escape", "?enter edit")
			p.play("Down Down Enter", "?▸ Send to", "Space", "?1 to do", "Escape Down Enter", "?▸ Sending time", "Enter Down Enter", "!to do")
			p.play("Escape", "v", "?Ready to publish.")
			if colored := hue.MatchString(p.tmux("capture-pane", "-e", "-p", "-t", "main")); colored != c.colors {
				t.Errorf("colors on the screen: %v", colored)
			}
			p.play("t", "?Recipients", ">ann", "!jamal", "Enter", "?1 of 10", "C-s", "?› Results", "?✓ Email sent")
			p.play("o", "?1 message", "?Spring is here")
			if s := p.screen(); widest(s) > c.width {
				t.Errorf("a line is wider than the window:\n%s", s)
			}
		})
	}
}

// hue matches what sets a color, of the letters or behind them.
var hue = regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;[25])\b[0-9;]*m`)

// The same in accessible mode, to the end: nothing is drawn, and each line names its subject.
func TestMainJobWithScreenReader(t *testing.T) {
	t.Parallel()
	p := sampleInLines(t)
	for _, a := range []struct{ text, then string }{
		{"new", "Channel, 1 to 2:"}, {"email", "Delivery type, 1 to 7:"}, {"one-time", "Name, Enter for none yet"}, {"Spring sale", "Creator, Enter for"}, {"", "Before you can publish: 4 problems."},
		{"connector", "1 of 2. Type. Required."}, {"custom", "2 of 2. Name. Required."}, {"Demo mail", "End of Connector."},
		{"content", "The message: empty"}, {"1", "1 of 11. Subject. Required."}, {"Spring is here", "2 of 11."}, {"list", "Go to, 1 to 11"}, {"from", "4 of 11."}, {"news@example.com", "5 of 11."},
		{"list", "Go to, 1 to 11, Enter for Subject:"}, {"html", "8 of 11."}, {"Our beans are 20% off.", "9 of 11."}, {"back", "The message: done"}, {"", "Before you can publish: 2 problems."},
		{"audience", "1 of 4. Include."}, {"list", "Go to, 1 to 4"}, {"send to", "3 of 4. Send to."}, {"yes", "3 of 3."}, {"back", "Before you can publish: 1 problem."},
		{"schedule", "Sending time, 1 to 4:"}, {"as soon", "2 of 4. Start."}, {"back", "Nothing is invalid or missing."},
		{"validate", "Also worth a look: 1 warning."}, {"", "Nothing is invalid or missing."},
		{"test", "Identifier, 1 to 4"}, {"", "Recipient or name:"}, {"ann@example.com", "Another recipient, 1 of 10"}, {"", "Send 1 message to 1 recipient"}, {"", "Sent 1 message."},
		{"leave", "Main menu of workspace DEMO."}, {"outbox", "1. Spring is here: to ann@example.com"},
	} {
		p.answer(a.text, a.then)
	}
}
