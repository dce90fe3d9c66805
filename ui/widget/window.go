package widget

import tea "github.com/charmbracelet/bubbletea"

// Window is the visible part of a long sequence and the cursor in it. It holds only numbers, so its cost does
// not depend on the length. The zero value is an empty window.
type Window struct {
	Cursor int // the selected entry, 0 to Len-1; 0 if there is none
	Offset int // the first visible entry
	Len    int // number of entries
	Height int // number of visible entries
}

// Resize sets the length and height, and keeps the cursor in range and visible.
func (w *Window) Resize(length, height int) {
	w.Len, w.Height = max(length, 0), max(height, 0)
	w.Select(w.Cursor)
}

// Select moves the cursor to an entry, or the nearest one, and scrolls as little as possible to show it.
func (w *Window) Select(i int) {
	w.Cursor = clamp(i, 0, w.Len-1)
	if w.Cursor < w.Offset {
		w.Offset = w.Cursor
	}
	if w.Height > 0 && w.Cursor >= w.Offset+w.Height {
		w.Offset = w.Cursor - w.Height + 1
	}
	w.clampOffset()
}

// Move moves the cursor by n entries.
func (w *Window) Move(n int) { w.Select(w.Cursor + n) }

// jump moves the cursor and the offset together, so that the cursor stays on the same line of the screen.
func (w *Window) jump(n int) {
	w.Offset += n
	w.clampOffset()
	w.Move(n)
}

// Scroll moves the offset by n entries, as a mouse wheel does; the cursor moves only if it would be hidden.
func (w *Window) Scroll(n int) {
	w.Offset += n
	w.clampOffset()
	if w.Height > 0 {
		w.Cursor = clamp(w.Cursor, w.Offset, min(w.Offset+w.Height, w.Len)-1)
	}
}

// Visible returns the range of visible entries, [from, to).
func (w *Window) Visible() (from, to int) {
	return w.Offset, min(w.Offset+w.Height, w.Len)
}

// At returns the entry on line y of the window; false if there is none.
func (w *Window) At(y int) (int, bool) {
	i := w.Offset + y
	return i, y >= 0 && y < w.Height && i < w.Len
}

// Click moves the cursor to the entry on line y and reports whether there is one.
func (w *Window) Click(y int) bool {
	i, ok := w.At(y)
	if ok {
		w.Select(i)
	}
	return ok
}

// Overflows reports whether the entries do not all fit.
func (w *Window) Overflows() bool { return w.Len > w.Height }

// keyStep returns by how many entries a key moves: arrows, j and k, page, half page (ctrl+u, ctrl+d), home and end (g, G). paged
// reports whether the entries move, too.
func (w *Window) keyStep(key string) (n int, paged, ok bool) {
	page, half := max(w.Height, 1), max(w.Height/2, 1)
	switch key {
	case "up", "k":
		return -1, false, true
	case "down", "j":
		return 1, false, true
	case "pgup", "ctrl+b":
		return -page, true, true
	case "pgdown", "ctrl+f":
		return page, true, true
	case "ctrl+u":
		return -half, true, true
	case "ctrl+d":
		return half, true, true
	case "home", "g":
		return -w.Len, false, true
	case "end", "G":
		return w.Len, false, true
	}
	return 0, false, false
}

// Update handles the keys that move in a list, and reports whether msg was one of them.
func (w *Window) Update(msg tea.KeyMsg) bool {
	n, paged, ok := w.keyStep(msg.String())
	if paged {
		w.jump(n)
	} else if ok {
		w.Move(n)
	}
	return ok
}

// UpdateScroll handles the same keys and the space bar for a text, which has no cursor: they scroll.
func (w *Window) UpdateScroll(msg tea.KeyMsg) bool {
	key := msg.String()
	if key == " " {
		key = "pgdown"
	}
	n, _, ok := w.keyStep(key)
	if ok {
		w.Scroll(n)
	}
	return ok
}

// wheelLines is how many lines one notch of the mouse wheel scrolls.
const wheelLines = 3

// Wheel scrolls with the mouse wheel and reports whether msg was a wheel event.
func (w *Window) Wheel(msg tea.MouseMsg) bool {
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		w.Scroll(-wheelLines)
	case tea.MouseButtonWheelDown:
		w.Scroll(wheelLines)
	default:
		return false
	}
	return true
}

func (w *Window) clampOffset() { w.Offset = clamp(w.Offset, 0, w.Len-w.Height) }

// clamp limits n to low and high; low wins if high is below it.
func clamp(n, low, high int) int { return max(low, min(n, high)) }

// thumb returns the position and length of a scroll bar's thumb in a bar of h lines.
func (w *Window) thumb(h int) (from, size int) {
	if w.Len <= 0 || h <= 0 {
		return 0, 0
	}
	size = clamp(h*w.Height/w.Len, 1, h)
	if hidden := w.Len - w.Height; hidden > 0 {
		from = (w.Offset*(h-size) + hidden/2) / hidden
	}
	return clamp(from, 0, h-size), size
}

// Pressed reports whether msg is a press of the left mouse button.
func Pressed(msg tea.MouseMsg) bool {
	return msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
}
