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
	t.press(t.lines[t.top+y], msg.X)
	t.rebuild()
}

func (t *Tree) scroll(n int) {
	t.top = max(0, min(t.top+n, len(t.lines)-t.visibleLines))
}

func (t *Tree) press(l line, x int) {
	switch {
	case l.node < 0:
	case l.kind >= 0 && t.menu != nil:
		t.add(t.menu.options[l.kind])
	case l.row >= 0 && t.open != nil:
		if t.open.press(l, x) {
			t.closeForm()
		}
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

// press handles a click on a row, and reports whether the form is done.
func (f *form) press(l line, x int) bool {
	for _, c := range l.chips {
		if r, ok := f.row(); ok && x >= c.from && x < c.to {
			f.choose(r, c.value)
			return false
		}
	}
	switch {
	case l.name >= 0 && f.list.Highlight(l.name):
		if r, ok := f.row(); ok {
			return f.enter(r)
		}
	case l.row != f.cursor:
		f.focusRow(l.row)
	case len(l.chips) > 0:
	default:
		r, _ := f.row()
		space := tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
		switch r.kind {
		case toggleRow:
			f.toggleKey(r, space)
		case choiceRow:
			f.choiceKey(r, space)
		}
	}
	return false
}
