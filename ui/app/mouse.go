package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// handleMouse routes a mouse event to what is under it: a notice, which is dismissed; the overlay; the header
// and the status bar; the screen.
func (m *Model) handleMouse(msg tea.MouseMsg) tea.Cmd {
	if m.tooSmall() {
		return nil
	}
	if _, at, ok := m.noticeBox(); ok && widget.Pressed(msg) && at.contains(msg.X, msg.Y) {
		m.notices.dismiss(m.height)
		return nil
	}
	if o := m.topOverlay(); o != nil {
		return m.mouseOverlay(o, msg)
	}
	switch {
	case msg.Y == 0 && widget.Pressed(msg):
		h := m.header()
		if i, ok := h.crumbAt(msg.X); ok { // back to the screen of that name
			return m.leaveTo(i)
		}
		return nil
	case msg.Y == m.height-1 && widget.Pressed(msg):
		return m.statusBar().press(msg.X)
	}
	msg.Y-- // the header
	if msg.Y < 0 || msg.Y >= m.bodyHeight() {
		return nil
	}
	return m.top().Update(msg)
}
