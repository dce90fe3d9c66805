package filters

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/ui/widget"
)

// wheelLines is how many lines one notch of the wheel scrolls.
const wheelLines = 3

// mouse handles the wheel and clicks on a node, a row, a name or a kind.
func (t *Tree) mouse(msg tea.MouseMsg) {
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		t.scroll(-wheelLines)
		return
	case tea.MouseButtonWheelDown:
		t.scroll(wheelLines)
		return
	}
	if !widget.Pressed(msg) {
		return
	}
	y := msg.Y - len(t.sentence)
	if t.cfg.Height >= ruleMinHeight {
		y--
	}
	if y < 0 || y >= t.visibleLines || t.top+y >= len(t.lines) {
		return
	}
	t.failure = ""
	if l := t.lines[t.top+y]; l.form {
		t.formMouse(msg, t.top+y)
	} else {
		t.press(l)
	}
	t.rebuild()
}

func (t *Tree) scroll(n int) {
	t.top = max(0, min(t.top+n, len(t.lines)-t.visibleLines))
}

func (t *Tree) press(l line) {
	switch {
	case l.node < 0:
	case l.kind >= 0 && t.menu != nil:
		t.add(t.menu.options[l.kind])
	case l.node == t.cursor && t.menu == nil:
		switch {
		case t.open != nil:
			t.closeForm()
		case t.node().Kind != audience.Group:
			t.openForm()
		case t.locked(t.node().Path) == "":
			t.askKind(false)
		}
	default:
		goal := t.nodes[l.node].Path
		t.menu = nil
		t.closeForm()
		t.goTo(goal)
	}
}
