package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/themes"
)

// Cell is the text of one column in one row. The table cleans and truncates it.
type Cell struct {
	Text string
	Tone themes.Tone
	// Matches are parts of the text that a search has found, in order.
	Matches []Span
}

// Span is a part of a text, in runes: From is the first one, and To the one after the last.
type Span struct{ From, To int }

// Cells are one row, with a cell per column; missing ones are empty.
type Cells []Cell

// Rows is the data source of a table, which reads only the visible rows.
type Rows interface {
	// Len is the number of rows.
	Len() int
	// Row returns row i, 0 to Len-1.
	Row(i int) Cells
}

// Table shows rows in columns under a header, with a cursor. It drops columns if it is narrow; the cost of
// drawing does not depend on the number of rows.
type Table struct {
	Window // the visible rows and the selected one

	// Columns are the columns from left to right.
	Columns []Column
	// Focused reports whether the table has the keyboard; it affects how the selected row is drawn.
	Focused bool
	// NoCursor draws no row as the selected one.
	NoCursor bool
	// Marked reports whether row i is marked; nil if rows cannot be marked.
	Marked func(i int) bool
	// Empty is shown instead of the rows if there are none. It may have several lines.
	Empty string

	theme         *themes.Theme
	rows          Rows
	width, height int
	shown         []shownColumn // as last drawn
}

// NewTable returns a table without rows.
func NewTable(t *themes.Theme, columns ...Column) Table {
	return Table{Columns: columns, theme: t}
}

// SetSize sets the size of the table, including header and scroll bar.
func (t *Table) SetSize(width, height int) {
	t.width, t.height = max(width, 0), max(height, 0)
	t.Sync()
}

// SetRows sets the rows. The cursor keeps its index, or moves to the last row. Call SetRows or Sync when the
// number of rows changes.
func (t *Table) SetRows(rows Rows) {
	t.rows = rows
	t.Sync()
}

// Sync clamps the cursor after the number of rows has changed.
func (t *Table) Sync() {
	n := 0
	if t.rows != nil {
		n = t.rows.Len()
	}
	t.Resize(n, t.height-1)
}

// RowAt returns the row on line y of the table, whose line 0 is the header; false if there is none.
func (t *Table) RowAt(y int) (int, bool) { return t.At(y - 1) }

// Mouse handles the wheel and a click on line y of the table, which selects the row there. It reports whether
// it handled msg.
func (t *Table) Mouse(msg tea.MouseMsg, y int) bool {
	if t.Wheel(msg) {
		return true
	}
	return Pressed(msg) && t.Click(y-1)
}

// View draws exactly the size set by SetSize.
func (t *Table) View() string {
	if t.width == 0 || t.height == 0 {
		return ""
	}
	gutter := t.gutter()
	bar := ScrollBar(t.theme, &t.Window, t.Height)
	body := t.width - gutter
	if bar != nil {
		body -= 2
	}
	shown := layout(t.Columns, body)
	t.shown = shown

	lines := make([]string, 0, t.height)
	lines = append(lines, fitLine(t.head(gutter, shown), t.width))
	if t.Len == 0 {
		lines = append(lines, t.empty()...)
	}
	from, to := t.Visible()
	for i := from; i < to; i++ {
		line := t.row(i, max(body, 0), shown)
		if bar != nil {
			line += " " + bar[i-from]
		}
		if body <= 0 {
			line = fitLine(line, t.width)
		}
		lines = append(lines, line)
	}
	for len(lines) < t.height {
		lines = append(lines, spaces(t.width))
	}
	return strings.Join(lines[:t.height], "\n")
}

// HeaderAt returns the index of the column whose header was drawn at column x of the table; false if there is none.
func (t *Table) HeaderAt(x int) (column int, ok bool) {
	from := t.gutter()
	for _, s := range t.shown {
		if x >= from && x < from+s.width {
			return s.index, true
		}
		from += s.width + columnGap
	}
	return 0, false
}

// gutter returns the width before the columns: the cursor, and the mark if rows can be marked.
func (t *Table) gutter() int {
	if t.Marked != nil {
		return 3
	}
	return 2
}

func (t *Table) head(gutter int, shown []shownColumn) string {
	var b strings.Builder
	b.WriteString(spaces(gutter))
	for i, s := range shown {
		if i > 0 {
			b.WriteString(spaces(columnGap))
		}
		c := t.Columns[s.index]
		b.WriteString(alignCell(Clean(c.Title), s.width, c.Align))
	}
	return t.theme.Header.Render(b.String())
}

// row draws row i: its gutter, its cells, and blanks up to the body's width. It is gutter+body wide.
func (t *Table) row(i, body int, shown []shownColumn) string {
	cells := t.rows.Row(i)
	selected := i == t.Cursor && !t.NoCursor
	style, whole := t.rowStyle(i, selected)

	var line, pending strings.Builder // pending is text in the style of the whole row
	b := &line
	if whole {
		b = &pending
	}
	b.WriteString(t.rowStart(i, selected, whole))
	used := 0
	for n, s := range shown {
		if n > 0 {
			b.WriteString(spaces(columnGap))
			used += columnGap
		}
		used += s.width
		var cell Cell
		if s.index < len(cells) {
			cell = cells[s.index]
		}
		text := alignCell(Clean(cell.Text), s.width, t.Columns[s.index].Align)
		if t.theme.IsPlain() {
			cell.Matches = nil
		}
		for _, part := range cell.parts(text) {
			switch {
			case part.match && whole:
				line.WriteString(style.Render(pending.String()) + underline(style, part.text))
				pending.Reset()
			case part.match:
				b.WriteString(underline(t.theme.Match, part.text))
			case whole:
				b.WriteString(part.text)
			default:
				b.WriteString(t.theme.Paint(cell.Tone, part.text))
			}
		}
	}
	b.WriteString(spaces(body - used))
	if whole {
		line.WriteString(style.Render(pending.String()))
	}
	return line.String()
}

// underline draws a text underlined in one piece. Lipgloss underlines letter by letter, with forty bytes for each.
func underline(style lipgloss.Style, text string) string {
	on, off, _ := strings.Cut(style.Underline(true).Render("x"), "x")
	return on + text + off
}

// cellPart is a part of a drawn cell.
type cellPart struct {
	text  string
	match bool
}

// parts divides the text that is drawn for a cell at its matches, as far as they are visible.
func (c Cell) parts(drawn string) (out []cellPart) {
	visible := 0 // how many runes begin the cell's text
	text, runes := []rune(c.Text), []rune(drawn)
	if len(c.Matches) > 0 {
		for visible < min(len(text), len(runes)) && text[visible] == runes[visible] {
			visible++
		}
	}
	at := 0
	for _, m := range c.Matches {
		if from, to := max(m.From, at), min(m.To, visible); from < to {
			out = append(out, cellPart{string(runes[at:from]), false}, cellPart{string(runes[from:to]), true})
			at = to
		}
	}
	return append(out, cellPart{string(runes[at:]), false})
}

// rowStyle returns the style of the whole row, if it has one; otherwise each cell has its own.
func (t *Table) rowStyle(i int, selected bool) (style lipgloss.Style, whole bool) {
	switch {
	case selected && t.Focused:
		return t.theme.Selected, true
	case selected:
		return t.theme.SelectedBlur, true
	default:
		return style, false
	}
}

func (t *Table) rowStart(i int, selected, whole bool) string {
	cursor := cursorMark(selected, t.Focused)
	if t.Marked == nil {
		return cursor + " "
	}
	mark := " "
	if t.Marked(i) {
		mark = "✓"
		if !whole {
			mark = t.theme.Paint(themes.ToneAccent, mark)
		}
	}
	return cursor + mark + " "
}

// empty returns the lines to show if there are no rows.
func (t *Table) empty() []string {
	var lines []string
	for _, line := range strings.Split(CleanLines(t.Empty), "\n") {
		for _, l := range Wrap(line, max(t.width-4, 1)) {
			lines = append(lines, fitLine("  "+t.theme.Faint.Render(l), t.width))
		}
	}
	return lines
}

// cursorMark returns the sign before the selected entry, solid if the list has the keyboard.
func cursorMark(selected, focused bool) string {
	switch {
	case selected && focused:
		return "▌"
	case selected:
		return "▏"
	default:
		return " "
	}
}

func alignCell(s string, w int, a Align) string {
	if a == AlignRight {
		return PadLeft(s, w)
	}
	return PadRight(s, w)
}
