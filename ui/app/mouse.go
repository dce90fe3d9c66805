package app

import (
	tea "github.com/charmbracelet/bubbletea"
)

// mouse hands the mouse to whom it is over: a notice, which goes; what lies over the screen; the header
// and the status bar, which are the root model's; the screen.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.tooSmall() {
		return nil
	}
	if _, at, ok := m.toastBox(); ok && clicked(msg) && at.has(msg.X, msg.Y) {
		m.toasts.Dismiss()
		return nil
	}
	if len(m.overlays) > 0 {
		return m.overlayMouse(msg)
	}
	switch {
	case msg.Y == 0 && clicked(msg):
		return m.clickHeader(msg.X)
	case msg.Y == m.height-1 && clicked(msg):
		return m.clickStatus(msg.X)
	}
	msg.Y-- // the header
	if msg.Y < 0 || msg.Y >= m.bodyHeight() {
		return nil
	}
	return m.top().Update(msg)
}

// clickHeader goes back to the screen whose name is there.
func (m *Model) clickHeader(x int) tea.Cmd {
	crumbs, _ := m.crumbs(m.top())
	for _, c := range crumbs {
		if c.at >= 0 && x >= c.x && x < c.x+c.width {
			return m.leaveTo(c.at)
		}
	}
	return nil
}

// clickStatus does what the hint there says.
func (m *Model) clickStatus(x int) tea.Cmd {
	bar, acts := m.statusBar()
	i, ok := bar.At(x)
	switch {
	case !ok:
		return nil
	case i == len(acts):
		return m.help()
	}
	return m.press(acts[i])
}
