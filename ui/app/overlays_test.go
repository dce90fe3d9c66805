package app

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

// note is an overlay with an action, as a screen shows it.
type note struct {
	screen.Box
	keys []string
}

func (n *note) Actions() []screen.Action {
	return []screen.Action{{Keys: []string{"esc"}, Label: "close note", Group: "Note", BarPriority: 5, Run: n.Close}}
}
func (n *note) Typing() bool               { return false }
func (n *note) Mouse(tea.MouseMsg) tea.Cmd { return nil }
func (n *note) View(width, _ int) string   { return "[a note]" }
func (n *note) Key(msg tea.KeyMsg) tea.Cmd { n.keys = append(n.keys, msg.String()); return nil }

// An overlay belongs to the screen that shows it: it has the keyboard and the status bar there, waits while another screen is
// on top, and goes with the screen.
func TestOverlayBelongsToItsScreen(t *testing.T) {
	d := newHarness(t)
	d.send(screen.OpenMsg{Route: screen.Route{Name: "list"}})
	list, n := d.pages["list"], &note{}
	d.send(list.Show(n, nil)())
	d.press("j")
	if view := d.model.View(); !strings.Contains(view, "[a note]") || !strings.Contains(view, "close note") || len(n.keys) != 1 || !list.Covered() {
		t.Errorf("the note got %v in\n%s", n.keys, view)
	}
	d.send(screen.OpenMsg{Route: screen.Route{Name: "other"}})
	d.press("k")
	if view := d.model.View(); strings.Contains(view, "[a note]") || len(n.keys) != 1 {
		t.Errorf("under another screen the note got %v in\n%s", n.keys, view)
	}
	d.send(screen.BackMsg{})
	if view := d.model.View(); !strings.Contains(view, "[a note]") {
		t.Errorf("back on its screen there is\n%s", view)
	}
	d.press("esc")
	if view := d.model.View(); strings.Contains(view, "[a note]") || list.Covered() {
		t.Errorf("closed there is\n%s", view)
	}
	d.send(list.Show(&note{}, nil)())
	d.send(screen.BackMsg{})
	if len(d.model.overlays) != 0 {
		t.Error("the screen is gone and its note is not")
	}
}
