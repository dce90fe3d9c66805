package screen

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// Overlay is a box over a screen that has the keyboard. [Base.Show] shows it; the last one shown is on top. Embed [Box] in it.
type Overlay interface {
	// Key handles a key that is not an action.
	Key(tea.KeyMsg) tea.Cmd
	// Mouse handles a mouse event inside the box, relative to its upper left corner. A click outside the box presses esc.
	Mouse(tea.MouseMsg) tea.Cmd
	// View draws the box in a window of that size, and At returns where the drawn box goes.
	View(width, height int) string
	At(box string, width, height int) (x, y int)
	// Closed reports whether the box is to be removed.
	Closed() bool
}

// Actor is an overlay with actions. They take the place of the screen's, in the status bar, the help and the user's keys
// too.
type Actor interface {
	Actions() []Action
	// Typing reports whether a text field has the keyboard, see [Screen].
	Typing() bool
}

// Box is what all overlays have in common: they can be closed, and are centered. Embed it by value.
type Box struct{ closed bool }

// Close closes the box.
func (b *Box) Close() tea.Cmd {
	b.closed = true
	return nil
}

// At centers the box.
func (b *Box) At(box string, width, height int) (x, y int) {
	return widget.CenterAt(box, width, height)
}

// Closed reports whether the box was closed.
func (b *Box) Closed() bool { return b.closed }

// ShowMsg shows an overlay over the screen with that ID, whenever that is on top.
type ShowMsg struct {
	Screen  ID
	Overlay Overlay
	Start   tea.Cmd // runs once the overlay is shown; may be nil
}

// Show returns the command that shows an overlay over the screen, and then runs start, which may be nil.
func (b *Base) Show(o Overlay, start tea.Cmd) tea.Cmd {
	b.overlay = o
	return Send(ShowMsg{b.id, o, start})
}

// Covered reports whether the overlay that the screen has shown last is open.
func (b *Base) Covered() bool { return b.overlay != nil && !b.overlay.Closed() }
