package app

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// hinter is an overlay with keys of its own, which the status bar shows instead of the screen's.
type hinter interface{ hints() []hint }

// inputHolder is an overlay with typed input, which a click outside must not close.
type inputHolder interface{ hasInput() bool }

// shownOverlay is an overlay and the screen that it is over; it is not shown while another one is on top. The root model's
// own overlays are over any.
type shownOverlay struct {
	screen.Overlay
	over screen.ID // 0: any
}

// pushOverlay opens an overlay of the root model and dismisses the errors that the user has seen.
func (m *Model) pushOverlay(o screen.Overlay) { m.showOverlay(o, 0) }

// showOverlay opens an overlay over a screen.
func (m *Model) showOverlay(o screen.Overlay, over screen.ID) {
	m.notices.drop(func(n notice) bool { return n.Level == widget.LevelInfo })
	m.overlays = append(m.overlays, shownOverlay{o, over})
}

// dropOverlays removes the overlays that were closed, and those of screens that were.
func (m *Model) dropOverlays() {
	m.overlays = slices.DeleteFunc(m.overlays, func(o shownOverlay) bool {
		return o.Closed() || o.over != 0 && !slices.ContainsFunc(m.stack, func(s stackEntry) bool { return s.ID() == o.over })
	})
}

// visibleOverlays returns the overlays that are shown, the top one last.
func (m *Model) visibleOverlays() []screen.Overlay {
	var out []screen.Overlay
	for _, o := range m.overlays {
		if !o.Closed() && (o.over == 0 || o.over == m.top().ID()) {
			out = append(out, o.Overlay)
		}
	}
	return out
}

// topOverlay returns the overlay that has the keyboard; nil if there is none.
func (m *Model) topOverlay() screen.Overlay {
	shown := m.visibleOverlays()
	if len(shown) == 0 {
		return nil
	}
	return shown[len(shown)-1]
}

// actor returns what has the actions: the topmost overlay with actions, or else the screen.
func (m *Model) actor() screen.Actor {
	for _, o := range slices.Backward(m.visibleOverlays()) {
		if a, ok := o.(screen.Actor); ok {
			return a
		}
	}
	return m.top()
}

// Actions returns the actions of the topmost overlay that has some, or else of the screen.
func (m *Model) Actions() []screen.Action { return m.actor().Actions() }

// drawOverlay draws an overlay and returns its area.
func (m *Model) drawOverlay(o screen.Overlay) (box string, at area) {
	box = o.View(m.width, m.height)
	x, y := o.At(box, m.width, m.height)
	return box, area{x, y, widget.Width(firstLine(box)), strings.Count(box, "\n") + 1}
}

// coverWithOverlays draws the overlays over the window.
func (m *Model) coverWithOverlays(out string) string {
	for _, o := range m.visibleOverlays() {
		box, at := m.drawOverlay(o)
		out = strings.ReplaceAll(out, themes.CaretMark, "") // the overlay has the keyboard
		out = widget.Cover(out, box, at.x, at.y, m.width, m.height)
	}
	return out
}

// mouseOverlay handles a mouse event while an overlay is on top. A click on a hint in the status bar presses
// that key; a click outside closes it, as esc does.
func (m *Model) mouseOverlay(o screen.Overlay, msg tea.MouseMsg) tea.Cmd {
	_, at := m.drawOverlay(o)
	inside, pressed := at.contains(msg.X, msg.Y), widget.Pressed(msg)
	if inside {
		msg.X, msg.Y = msg.X-at.x, msg.Y-at.y
		return o.Mouse(msg)
	}
	_, hasHints := o.(hinter)
	_, acts := o.(screen.Actor)
	input, holdsInput := o.(inputHolder)
	switch {
	case !pressed:
		return nil
	case msg.Y == m.height-1 && (hasHints || acts):
		return m.statusBar().press(msg.X)
	case holdsInput && input.hasInput():
		return nil
	}
	return m.handleKey(tea.KeyMsg{Type: tea.KeyEsc})
}
