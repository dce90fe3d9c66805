package campaigns

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/themes"
	"bugle/ui/widget"
)

// grid is the table of a search result. It holds only the visible rows.
type grid struct {
	widget.Table
	columns []column
	sorted  order
	now     time.Time // current time for the rows, in the display zone
	width   int
	result  *index.Result
	// missing is why the cursor is on no row: the campaign that it belongs to is not in the result. It is empty if the
	// cursor is on a row.
	missing string

	// The visible rows.
	from int
	rows []engine.Summary
}

func newGrid(t *themes.Theme) *grid {
	g := &grid{Table: widget.NewTable(t)}
	g.SetRows(g)
	return g
}

// show shows a result in its order.
func (g *grid) show(r *index.Result, o order) {
	g.result, g.sorted, g.rows = r, o, nil
	g.updateHeaders()
	g.Sync()
}

// setColumns sets the columns.
func (g *grid) setColumns(columns []column) {
	g.columns = columns
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
			g.Columns[i].Min = max(min(g.width-mainColumnsWidth, normalNameWidth), minNameWidth)
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

// Row returns the cells of a row, with the matches in its name.
func (g *grid) Row(i int) widget.Cells {
	row, ok := g.at(i)
	if !ok {
		return nil
	}
	cells := make(widget.Cells, len(g.columns))
	for n, c := range g.columns {
		cells[n] = c.cell(row, g.now)
		if c.id == nameColumn && row.Name != "" {
			for _, m := range g.result.Matches(i) {
				cells[n].Matches = append(cells[n].Matches, widget.Span(m))
			}
		}
	}
	return cells
}

// at returns a row, fetching all visible rows at once.
func (g *grid) at(i int) (engine.Summary, bool) {
	if i < 0 || i >= g.Len() {
		return engine.Summary{}, false
	}
	if i < g.from || i >= g.from+len(g.rows) {
		from, to := g.Visible()
		if i < from || i >= to {
			from, to = i, i+1
		}
		g.from, g.rows = from, g.result.Rows(from, to)
	}
	return g.rows[i-g.from], true
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
