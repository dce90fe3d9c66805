package content

import (
	"cmp"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/ui/editor"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Read says the messages by locale and variation, and the other fields.
func (g *Grid) Read(do editor.Hands) screen.Page {
	page := screen.Page{Warning: cmp.Or(g.failure, g.notice), Summary: fmt.Sprintf("%s, %s.",
		phrase.Count(len(g.grid.Locales), "locale"), phrase.Count(len(g.grid.Variations), "variation"))}
	var cells, places, fields screen.RowSlice
	count := 0
	add := func(part *screen.RowSlice, row, col int, r screen.Row) {
		if count++; row == g.row && (col == g.col || row >= len(g.grid.Locales)) {
			page.Cursor = count
		}
		r.Select = func() tea.Cmd { g.moveTo(row, col); return nil }
		*part = append(*part, r)
	}
	for i := range g.grid.Locales {
		for j := range g.grid.Variations {
			c := g.cell(i, j)
			_, _, text := g.state(c)
			row := screen.Row{Text: widget.Clean(g.grid.Name(c)), State: widget.Clean(text)}
			if n := len(g.wrong[idOf(c)]); n > 0 && g.grid.Value(c).Exists() {
				row.Problem = phrase.Count(n, "problem")
			}
			add(&cells, i, j, row)
		}
	}
	for i, l := range g.grid.Locales {
		add(&places, i, -1, screen.Row{Text: "Locale " + widget.Clean(grid.LocaleName(l.Name))})
	}
	for j, v := range g.grid.Variations {
		row := screen.Row{Text: "Variation " + widget.Clean(g.variation(j)), State: g.shareText(v)}
		if g.shareLocked(j) == "" {
			row.Field = g.readShare(j, do)
		}
		add(&places, -1, j, row)
	}
	for i, f := range g.fields {
		add(&fields, len(g.grid.Locales)+i, 0, screen.Row{Text: fieldName(f), State: list.Spoken(fieldSummary(f))})
	}
	page.Parts = []screen.Part{{Name: "Messages", Rows: cells}, {Name: "Locales and variations", Rows: places},
		{Name: "Other fields", Rows: fields}}
	return page
}

// readShare is the percentage of a variation.
func (g *Grid) readShare(j int, do editor.Hands) *screen.FormField {
	return &screen.FormField{Value: g.grid.Variations[j].Share, Set: func(text string) (string, tea.Cmd, error) {
		g.moveTo(-1, j)
		g.failure = ""
		g.setShare(strings.TrimSuffix(strings.TrimSpace(text), "%"))
		if why := g.failure; why != "" {
			g.failure = ""
			return "", nil, screen.Refused(why)
		}
		return "", do.Adopt(), nil
	}}
}
