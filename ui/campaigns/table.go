package campaigns

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/themes"
	"bugle/ui/widget"
)

// grid is the table of a search result. It holds only the visible rows.
type grid struct {
	widget.Table
	theme   *themes.Theme
	columns []column
	sorted  order
	now     time.Time // current time for the rows, in the display zone
	width   int
	result  *index.Result
	headers []headerSpan
	// missing is why the cursor is on no row: the campaign that it belongs to is not in the result. It is empty if the
	// cursor is on a row.
	missing string
	longest int // the widest visible name so far, up to maxNameWidth; it only grows, so that columns do not move

	// The visible rows, and the matches in their names.
	from    int
	rows    []engine.Summary
	matches [][]index.Range
}

// headerSpan is the position of a column's header.
type headerSpan struct{ from, to, column int }

func newGrid(t *themes.Theme) *grid {
	g := &grid{Table: widget.NewTable(t), theme: t}
	g.SetRows(g)
	return g
}

// show shows a result in its order.
func (g *grid) show(r *index.Result, o order) {
	g.result, g.sorted, g.rows = r, o, nil
	g.measure(r.Rows(0, min(r.Len(), presorted)))
	g.Sync()
}

// setColumns sets the columns.
func (g *grid) setColumns(columns []column) {
	g.columns = columns
	g.updateHeaders()
}

// measure widens the name column for rows.
func (g *grid) measure(rows []engine.Summary) {
	for _, r := range rows {
		name, _ := displayName(r)
		g.longest = max(g.longest, min(widget.Width(widget.Clean(name)), maxNameWidth))
	}
	g.updateHeaders()
}

// SetSize sets the size of the table.
func (g *grid) SetSize(width, height int) {
	if width != g.width {
		g.width = width
		g.updateHeaders()
	}
	g.Table.SetSize(width, height)
}

// nameWidth returns the minimum width of the names: what they need, as long as the main columns fit too.
func (g *grid) nameWidth(columns []widget.Column) int {
	const marks, scrollBar, gap = 3, 2, 2
	for worth := 2; worth >= 0; worth-- {
		room := g.width - marks - scrollBar
		for i, c := range columns {
			if c.Priority <= worth && g.columns[i].id != nameColumn {
				room -= c.Min + gap
			}
		}
		if room >= min(g.longest, normalNameWidth) {
			return max(min(g.longest, room), minNameWidth)
		}
	}
	return minNameWidth
}

// updateHeaders sets the headers, with an icon at the sort column.
func (g *grid) updateHeaders() {
	g.Columns = g.Columns[:0]
	for _, c := range g.columns {
		h := c.head
		if c.sort != "" && c.sort == g.sorted.Key {
			sign := " ↑"
			if g.sorted.Desc {
				sign = " ↓"
			}
			h.Title += sign
			h.Min = max(h.Min, widget.Width(h.Title))
			h.Priority = min(h.Priority, 1)
		}
		g.Columns = append(g.Columns, h)
	}
	for i, c := range g.columns {
		if c.id == nameColumn {
			g.Columns[i].Min = g.nameWidth(g.Columns)
		}
	}
}

// Len returns the number of rows.
func (g *grid) Len() int {
	if g.result == nil {
		return 0
	}
	return g.result.Len()
}

// Row returns the cells of a row.
func (g *grid) Row(i int) widget.Cells {
	row, ok := g.at(i)
	if !ok {
		return nil
	}
	cells := make(widget.Cells, len(g.columns))
	for n, c := range g.columns {
		cells[n] = c.cell(row, g.now)
	}
	return cells
}

// at returns a row, fetching all visible rows at once.
func (g *grid) at(i int) (engine.Summary, bool) {
	if i < 0 || i >= g.Len() {
		return engine.Summary{}, false
	}
	if i < g.from || i >= g.from+len(g.rows) {
		g.fetch(i)
	}
	return g.rows[i-g.from], true
}

func (g *grid) fetch(i int) {
	from, to := g.Visible()
	if i < from || i >= to {
		from, to = i, i+1
	}
	g.from, g.rows = from, g.result.Rows(from, to)
	g.measure(g.rows)
	g.matches = make([][]index.Range, len(g.rows))
	for n := range g.rows {
		g.matches[n] = g.result.Matches(from + n)
	}
}

// selected returns the campaign under the cursor; false if there is none.
func (g *grid) selected() (engine.Summary, bool) {
	if g.missing != "" {
		return engine.Summary{}, false
	}
	return g.at(g.Cursor)
}

// Update handles a key that moves the cursor. If it is on no row, a step brings it back to where it was.
func (g *grid) Update(msg tea.KeyMsg) bool {
	from := g.Cursor
	took := g.Table.Update(msg)
	if step := g.Cursor - from; took && g.missing != "" && (step == 1 || step == -1) {
		g.Select(from)
	}
	return took
}

// view draws the table with the matches in names highlighted.
func (g *grid) view(width int) string {
	g.NoCursor = g.missing != ""
	lines := strings.Split(g.Table.View(), "\n")
	if len(lines) == 0 {
		return ""
	}
	g.locateHeaders(ansi.Strip(lines[0]))
	x, ok := g.nameColumnX()
	from, to := g.Visible()
	if !ok || g.Len() == 0 {
		return strings.Join(lines, "\n")
	}
	for i := from; i < to && i-from+1 < len(lines); i++ {
		if row, there := g.at(i); there && i-g.from < len(g.matches) {
			line := &lines[i-from+1]
			*line = g.highlight(*line, row.Name, g.matches[i-g.from], x, width, i == g.Cursor && !g.NoCursor)
		}
	}
	return strings.Join(lines, "\n")
}

// locateHeaders finds the headers in the drawn line.
func (g *grid) locateHeaders(line string) {
	g.headers = g.headers[:0]
	at := 0
	for i, c := range g.Columns {
		k := strings.Index(line[at:], c.Title)
		if k < 0 {
			continue
		}
		from := widget.Width(line[:at+k])
		at += k + len(c.Title)
		g.headers = append(g.headers, headerSpan{from, from + widget.Width(c.Title), i})
	}
}

// columnVisible reports whether a column was drawn.
func (g *grid) columnVisible(id string) bool {
	return slices.ContainsFunc(g.headers, func(h headerSpan) bool { return g.columns[h.column].id == id })
}

func (g *grid) nameColumnX() (int, bool) {
	for _, h := range g.headers {
		if g.columns[h.column].id == nameColumn {
			return h.from, true
		}
	}
	return 0, false
}

// headerAt returns the column whose header is nearest to a column of the screen.
func (g *grid) headerAt(x int) (column, bool) {
	best, far := -1, 0
	for _, h := range g.headers {
		d := max(h.from-x, x-h.to+1, 0)
		if best < 0 || d < far {
			best, far = h.column, d
		}
	}
	if best < 0 || far > 12 {
		return column{}, false
	}
	return g.columns[best], true
}

// highlight draws the matches in a name over its line. Hidden parts of the name are ignored.
func (g *grid) highlight(line, name string, matches []index.Range, x, width int, cursor bool) string {
	if len(matches) == 0 || g.theme.IsPlain() || widget.Clean(name) != name {
		return line
	}
	runes, style := []rune(name), g.theme.Match
	if cursor && g.Focused {
		style = g.theme.Selected.Underline(true).Bold(true)
	}
	plain := ansi.Strip(line)
	for _, m := range matches {
		if m.From < 0 || m.To > len(runes) || m.From >= m.To {
			continue
		}
		text, at := string(runes[m.From:m.To]), x+widget.Width(string(runes[:m.From]))
		if got := ansi.Cut(plain, at, at+widget.Width(text)); got != text {
			continue
		}
		line = widget.Overlay(line, style.Render(text), at, 0, width, 1)
	}
	return line
}
