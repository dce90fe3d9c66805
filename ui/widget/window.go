package widget

import tea "github.com/charmbracelet/bubbletea"

// Window is the part of a long sequence that is in sight, and the place in it. It holds numbers alone,
// so a million entries cost what ten do. The zero value is an empty one.
type Window struct {
	Cursor int // the chosen entry, 0 to Len-1; 0 when there is none
	Offset int // the first entry in sight
	Len    int // how many entries there are
	Height int // how many are in sight
}

// Resize tells the window its length and height, and keeps the cursor in it and in sight.
func (w *Window) Resize(length, height int) {
	w.Len, w.Height = max(length, 0), max(height, 0)
	w.Select(w.Cursor)
}

// Select puts the cursor on an entry, or on the nearest there is, and scrolls as little as shows it.
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

// Up moves the cursor one entry up.
func (w *Window) Up() { w.Move(-1) }

// Down moves the cursor one entry down.
func (w *Window) Down() { w.Move(1) }

// PageUp moves the cursor up by what is in sight.
func (w *Window) PageUp() { w.jump(-max(w.Height, 1)) }

// PageDown moves the cursor down by what is in sight.
func (w *Window) PageDown() { w.jump(max(w.Height, 1)) }

// HalfUp moves the cursor up by half of what is in sight.
func (w *Window) HalfUp() { w.jump(-max(w.Height/2, 1)) }

// HalfDown moves the cursor down by half of what is in sight.
func (w *Window) HalfDown() { w.jump(max(w.Height/2, 1)) }

// jump moves the cursor and what is in sight together, so that the cursor stays where it is on the screen.
func (w *Window) jump(n int) {
	w.Offset += n
	w.clampOffset()
	w.Move(n)
}

// Home moves the cursor to the first entry.
func (w *Window) Home() { w.Select(0) }

// End moves the cursor to the last entry.
func (w *Window) End() { w.Select(w.Len - 1) }

// Scroll moves what is in sight by n entries, as a mouse wheel does; the cursor comes along only when
// it would be out of sight.
func (w *Window) Scroll(n int) {
	w.Offset += n
	w.clampOffset()
	if w.Height > 0 {
		w.Cursor = clamp(w.Cursor, w.Offset, min(w.Offset+w.Height, w.Len)-1)
	}
}

// Visible returns the entries in sight: from the first up to, not including, the second.
func (w *Window) Visible() (from, to int) {
	return w.Offset, min(w.Offset+w.Height, w.Len)
}

// At returns the entry on line y of the window, and false where there is none.
func (w *Window) At(y int) (int, bool) {
	i := w.Offset + y
	return i, y >= 0 && y < w.Height && i < w.Len
}

// Click puts the cursor on the entry of line y, and says whether there is one.
func (w *Window) Click(y int) bool {
	i, ok := w.At(y)
	if ok {
		w.Select(i)
	}
	return ok
}

// Overflows reports whether not everything is in sight.
func (w *Window) Overflows() bool { return w.Len > w.Height }

// Update takes the keys that move in a list: arrows, j and k, page, half page (ctrl+u, ctrl+d), home
// and end (g, G). It says whether the key was one of them.
func (w *Window) Update(msg tea.KeyMsg) bool {
	switch msg.String() {
	case "up", "k":
		w.Up()
	case "down", "j":
		w.Down()
	case "pgup", "ctrl+b":
		w.PageUp()
	case "pgdown", "ctrl+f":
		w.PageDown()
	case "ctrl+u":
		w.HalfUp()
	case "ctrl+d":
		w.HalfDown()
	case "home", "g":
		w.Home()
	case "end", "G":
		w.End()
	default:
		return false
	}
	return true
}

// UpdateScroll takes the same keys for a text, which has no cursor to move: they scroll it.
func (w *Window) UpdateScroll(msg tea.KeyMsg) bool {
	page := max(w.Height, 1)
	switch msg.String() {
	case "up", "k":
		w.Scroll(-1)
	case "down", "j":
		w.Scroll(1)
	case "pgup", "ctrl+b":
		w.Scroll(-page)
	case "pgdown", "ctrl+f", " ":
		w.Scroll(page)
	case "ctrl+u":
		w.Scroll(-max(page/2, 1))
	case "ctrl+d":
		w.Scroll(max(page/2, 1))
	case "home", "g":
		w.Scroll(-w.Len)
	case "end", "G":
		w.Scroll(w.Len)
	default:
		return false
	}
	return true
}

// wheelLines is how far one notch of the mouse wheel scrolls.
const wheelLines = 3

// Wheel takes the mouse wheel, and says whether msg was one.
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

// clamp brings n between low and high; low wins where high is below it.
func clamp(n, low, high int) int { return max(low, min(n, high)) }

// thumb returns the line and length of a scroll bar's thumb in a bar of h lines.
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
