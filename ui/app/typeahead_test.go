package app

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Keys that were read together with the key that opens something belong to what it opens.
func TestTypeAheadGoesToOpenedOverlay(t *testing.T) {
	asks := func(d *harness) {
		home := d.pages["home"]
		home.actions = []screen.Action{{Keys: []string{"x"}, Label: "delete", Run: func() tea.Cmd {
			return screen.Ask(screen.Question{Title: "Really?", Then: func(a widget.Answer) tea.Cmd { d.log = append(d.log, "answered"); return nil }})
		}}, home.action("alpha", "y")}
	}
	for name, keys := range map[string][]tea.Msg{
		"in one message": {tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("xy")}},
		"in two":         {tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x")}, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y")}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newHarness(t)
			asks(d)
			// All keys are read before the first command has run, as on a slow connection.
			var cmds []tea.Cmd
			for _, k := range keys {
				_, cmd := d.model.Update(k)
				cmds = append(cmds, cmd)
			}
			d.run(tea.Batch(cmds...))
			d.wantLog("init home", "answered")
			if heard := d.pages["home"].received; len(heard) > 0 {
				t.Errorf("the screen below heard %q", heard)
			}
		})
	}
}

// A slow action does not hold the keys.
func TestSlowActionDoesNotHoldKeys(t *testing.T) {
	d := newHarness(t)
	home := d.pages["home"]
	release := make(chan struct{})
	home.actions = []screen.Action{{Keys: []string{"x"}, Label: "work", Run: func() tea.Cmd {
		return func() tea.Msg { <-release; return screen.NotifyMsg{Text: "Worked."} }
	}}}
	_, work := d.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x")})
	if _, cmd := d.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("z")}); cmd != nil || len(home.received) > 0 {
		t.Error("the key did not wait")
	}
	_, rest := d.model.Update(work())
	if len(home.received) != 1 || d.model.Idle() != true {
		t.Errorf("the screen heard %q", home.received)
	}
	close(release)
	d.run(rest)
	d.want("Worked.")
}
