package list

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Drawn is a row of one or more lines that are styled already.
type Drawn struct {
	Above []string // lines above the row on which the cursor is never, such as a heading
	Lines []string
}

// Lines returns a list of rows of one or more lines, drawn for a width. noun names a row: "problem".
func Lines[T any](t *themes.Theme, noun string, draw func(row T, selected bool, width int) Drawn) *List[T] {
	b := &lines[T]{theme: t, draw: func(row T, at position, width int) Drawn { return draw(row, at == focused, width) }}
	return newList(t, noun, b, func(row T) (text, state string, heading bool) {
		return strings.TrimLeft(Spoken(strings.Join(draw(row, false, screen.Wide).Lines, " ")), signs), "", false
	})
}

// position is what the cursor has to do with a row.
type position uint8

const (
	elsewhere position = iota
	selected           // the cursor is on the row, and something else has the keyboard
	focused
)

// mark returns the sign before a row.
func (p position) mark() string { return [...]string{" ", "▏", "▌"}[p] }

// lines shows rows of several lines. A row without lines is a heading, which the cursor skips.
type lines[T any] struct {
	theme         *themes.Theme
	items         bool           // the rows are items, with a scroll bar if they do not all fit
	styles        *themes.Styles // with which the rows were drawn
	draw          func(row T, at position, width int) Drawn
	rows          []T
	at            int           // the row under the cursor
	window        widget.Window // over all lines
	text          []line        // as drawn without the cursor
	first         []int         // the line at which each row begins
	width, height int
	inner         int // the width of the rows
}

// line is a line of a row, or of none.
type line struct {
	text string
	row  int // -1 for a line above a row
}

func (b *lines[T]) set(rows []T) {
	changed := len(rows) != len(b.rows)
	b.layout(rows)
	at := b.at
	if b.place(at, 1); changed || b.at != at {
		b.scrollToCursor()
	}
}

// layout draws the rows, beside the scroll bar if they do not all fit.
func (b *lines[T]) layout(rows []T) {
	b.inner = b.width
	if b.drawAll(rows); b.items && b.window.Overflows() {
		b.inner = max(b.width-2, 0)
		b.drawAll(rows)
	}
}

// drawAll draws the rows. They replace the old ones at the end, because drawing one may ask for the row under the cursor.
func (b *lines[T]) drawAll(rows []T) {
	text, first := make([]line, 0, len(rows)), make([]int, 0, len(rows))
	for i, row := range rows {
		d := b.draw(row, elsewhere, b.inner)
		for _, l := range d.Above {
			text = append(text, line{l, -1})
		}
		first = append(first, len(text))
		for _, l := range d.Lines {
			text = append(text, line{l, i})
		}
	}
	b.rows, b.text, b.first = rows, text, first
	b.styles = b.theme.Styles
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
	if b.at < len(b.rows) && b.rowHeight(b.at) > 0 {
		return b.at
	}
	return -1
}

// SelectItem moves the cursor to a row.
func (b *lines[T]) SelectItem(row int) { b.moveTo(row, 1) }

// moveTo moves the cursor to a row or, if that is a heading, to the next one in the direction by.
func (b *lines[T]) moveTo(row, by int) {
	b.place(row, by)
	b.scrollToCursor()
}

func (b *lines[T]) place(row, by int) {
	b.at = max(min(row, len(b.rows)-1), 0)
	by /= max(by, -by)
	for _, by := range []int{by, -by} {
		for i := b.at; i >= 0 && i < len(b.rows); i += by {
			if b.rowHeight(i) > 0 {
				b.at = i
				return
			}
		}
	}
}

// scrollToCursor scrolls as little as possible to show the row under the cursor, with the line above it if that fits and is not part
// of another row, and with all that is above the first row or below the last one as far as it fits.
func (b *lines[T]) scrollToCursor() {
	if len(b.rows) == 0 {
		return
	}
	from := b.first[b.at]
	to := from + max(b.rowHeight(b.at)-1, 0)
	if from > 0 && b.text[from-1].row < 0 && to-from+2 <= b.height {
		from--
	}
	isRow := func(l line) bool { return l.row >= 0 }
	if !slices.ContainsFunc(b.text[min(to+1, len(b.text)):], isRow) {
		b.window.Select(len(b.text) - 1)
	}
	if !slices.ContainsFunc(b.text[:from], isRow) {
		b.window.Select(0)
	}
	b.window.Select(to)
	b.window.Select(from)
}

// Update handles the keys that move the cursor and reports whether msg was one of them.
func (b *lines[T]) Update(msg tea.KeyMsg) bool {
	switch msg.String() {
	case "up", "k":
		b.moveTo(b.at-1, -1)
	case "down", "j":
		b.moveTo(b.at+1, 1)
	case "pgup", "ctrl+b", "ctrl+u":
		b.page(-1)
	case "pgdown", "ctrl+f", "ctrl+d":
		b.page(1)
	case "home", "g":
		b.SelectItem(0)
	case "end", "G":
		b.moveTo(len(b.rows)-1, -1)
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
	b.moveTo(to, by)
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
		b.follow()
		return true
	}
	row, ok := b.RowAt(y)
	if !ok || !widget.Pressed(msg) {
		return false
	}
	b.at = row
	return true
}

// follow moves the cursor to the nearest row of which a line is visible.
func (b *lines[T]) follow() {
	from, to := b.window.Visible()
	at := b.at
	for at+1 < len(b.rows) && b.first[at]+b.rowHeight(at) <= from {
		at++
	}
	for at > 0 && b.first[at] >= to {
		at--
	}
	if at != b.at {
		b.place(at, at-b.at)
	}
}

// SetSize sets the size of the list.
func (b *lines[T]) SetSize(width, height int) {
	if width == b.width && height == b.height {
		return
	}
	b.width, b.height = width, height
	b.layout(b.rows)
	b.scrollToCursor()
}

// Overflows reports whether the lines do not all fit.
func (b *lines[T]) Overflows() bool { return b.window.Overflows() }

func (b *lines[T]) view(keyboard bool, empty string) string {
	switch {
	case len(b.rows) > 0:
	case !b.items:
		return widget.Fit(strings.Join(widget.Wrap(widget.CleanLines(empty), max(b.width, 1)), "\n"), b.width, b.height)
	default:
		return widget.Fit("  "+strings.Join(widget.WrapStyled(b.theme.Faint, empty, max(b.width-2, 1)), "\n  "), b.width, b.height)
	}
	if b.styles != b.theme.Styles {
		b.layout(b.rows)
	}
	at := selected
	if keyboard {
		at = focused
	}
	current := b.draw(b.rows[b.at], at, b.inner).Lines
	var bar []string
	if b.inner < b.width {
		bar = widget.ScrollBar(b.theme, &b.window, b.height)
	}
	from, to := b.window.Visible()
	out := make([]string, 0, b.height)
	for i := from; i < to; i++ {
		text := b.text[i].text
		if n := i - b.first[b.at]; b.text[i].row == b.at && n < len(current) {
			text = current[n]
		}
		if bar != nil {
			text = widget.Fit(text, b.inner, 1) + " " + bar[i-from]
		}
		out = append(out, text)
	}
	return widget.Fit(strings.Join(out, "\n"), b.width, b.height)
}
