package list

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/widget"
)

// Drawn is a row of one or more lines that are styled already.
type Drawn struct {
	Above []string // lines above the row on which the cursor is never, such as a heading
	Lines []string
}

// Lines returns a list of rows of one or more lines, drawn for a width. noun names a row: "problem".
func Lines[T any](t *themes.Theme, noun string, draw func(row T, selected bool, width int) Drawn) *List[T] {
	return newList(t, noun, &lines[T]{draw: draw})
}

// SetFoot sets lines below the rows of a list of [Lines].
func (l *List[T]) SetFoot(foot []string) {
	if b, ok := l.body.(*lines[T]); ok {
		b.foot = foot
		b.layout()
		b.scrollToCursor()
	}
}

// lines shows rows of several lines.
type lines[T any] struct {
	draw          func(row T, selected bool, width int) Drawn
	rows          []T
	at            int // the row under the cursor
	foot          []string
	window        widget.Window // over all lines
	text          []line        // as drawn without the cursor
	first         []int         // the line at which each row begins
	width, height int
}

// line is a line of a row, or of none.
type line struct {
	text string
	row  int // -1 for a line above a row or below all
}

func (b *lines[T]) set(rows []T) {
	changed := len(rows) != len(b.rows)
	b.rows = rows
	b.at = max(min(b.at, len(rows)-1), 0)
	if b.layout(); changed {
		b.scrollToCursor()
	}
}

// layout draws the rows.
func (b *lines[T]) layout() {
	b.text, b.first = b.text[:0], b.first[:0]
	for i, row := range b.rows {
		d := b.draw(row, false, b.width)
		for _, l := range d.Above {
			b.text = append(b.text, line{l, -1})
		}
		b.first = append(b.first, len(b.text))
		for _, l := range d.Lines {
			b.text = append(b.text, line{l, i})
		}
	}
	for _, l := range b.foot {
		b.text = append(b.text, line{l, -1})
	}
	b.window.Resize(len(b.text), b.height)
}

// rowHeight returns the number of lines of a row.
func (b *lines[T]) rowHeight(row int) (n int) {
	for i := b.first[row]; i < len(b.text) && b.text[i].row == row; i++ {
		n++
	}
	return n
}

func (b *lines[T]) cursor() int {
	if b.at < len(b.rows) {
		return b.at
	}
	return -1
}

// SelectItem moves the cursor to a row.
func (b *lines[T]) SelectItem(row int) {
	b.at = max(min(row, len(b.rows)-1), 0)
	b.scrollToCursor()
}

// scrollToCursor scrolls as little as possible to show the row under the cursor, with the line above it if that is not part
// of another row, and below the last row the foot.
func (b *lines[T]) scrollToCursor() {
	if len(b.rows) == 0 {
		return
	}
	from := b.first[b.at]
	to := from + max(b.rowHeight(b.at)-1, 0)
	if from > 0 && b.text[from-1].row < 0 {
		from--
	}
	if b.at == len(b.rows)-1 {
		b.window.Select(len(b.text) - 1)
	}
	b.window.Select(to)
	b.window.Select(from)
}

// Update handles the keys that move the cursor and reports whether msg was one of them.
func (b *lines[T]) Update(msg tea.KeyMsg) bool {
	switch msg.String() {
	case "up", "k":
		b.SelectItem(b.at - 1)
	case "down", "j":
		b.SelectItem(b.at + 1)
	case "pgup", "ctrl+b", "ctrl+u":
		b.page(-1)
	case "pgdown", "ctrl+f", "ctrl+d":
		b.page(1)
	case "home", "g":
		b.SelectItem(0)
	case "end", "G":
		b.SelectItem(len(b.rows) - 1)
	default:
		return false
	}
	return true
}

// page moves the cursor by as many rows as fit.
func (b *lines[T]) page(by int) {
	to, room := b.at, b.height
	for next := b.at + by; next >= 0 && next < len(b.rows) && (room > 0 || to == b.at); next += by {
		to, room = next, room-b.rowHeight(next)
	}
	b.SelectItem(to)
}

// RowAt returns the row on a line; false if there is none.
func (b *lines[T]) RowAt(y int) (int, bool) {
	i, ok := b.window.At(y)
	if !ok || b.text[i].row < 0 {
		return 0, false
	}
	return b.text[i].row, true
}

// Mouse handles the wheel and a click on line y, which selects the row there.
func (b *lines[T]) Mouse(msg tea.MouseMsg, y int) bool {
	if b.window.Wheel(msg) {
		return true
	}
	row, ok := b.RowAt(y)
	if !ok || !widget.Pressed(msg) {
		return false
	}
	b.at = row
	return true
}

// SetSize sets the size of the list.
func (b *lines[T]) SetSize(width, height int) {
	if width == b.width && height == b.height {
		return
	}
	b.width, b.height = width, height
	b.layout()
	b.scrollToCursor()
}

// Overflows reports whether the lines do not all fit.
func (b *lines[T]) Overflows() bool { return b.window.Overflows() }

func (b *lines[T]) view(focused bool, empty string) string {
	if len(b.rows) == 0 {
		return widget.Fit(strings.Join(widget.Wrap(widget.CleanLines(empty), max(b.width, 1)), "\n"), b.width, b.height)
	}
	selected := b.draw(b.rows[b.at], focused, b.width).Lines
	from, to := b.window.Visible()
	out := make([]string, 0, b.height)
	for i := from; i < to; i++ {
		text := b.text[i].text
		if n := i - b.first[b.at]; b.text[i].row == b.at && n < len(selected) {
			text = selected[n]
		}
		out = append(out, text)
	}
	return widget.Fit(strings.Join(out, "\n"), b.width, b.height)
}
