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

// Read says the messages by locale and variation, and the other fields; or asks for a locale, or compares messages.
func (g *Grid) Read(do editor.Hands) screen.Page {
	switch {
	case g.addDialog != nil:
		return g.readAdd(do)
	case g.compare != nil:
		return screen.Page{Place: "Comparison",
			Parts: []screen.Part{{Lines: list.SpokenLines(g.compare.view(screen.Wide, screen.Wide))}}}
	}
	page := screen.Page{Warning: cmp.Or(g.failure, g.notice), Summary: fmt.Sprintf("%s, %s.",
		phrase.Count(len(g.grid.Locales), "locale"), phrase.Count(len(g.grid.Variations), "variation"))}
	var cells, places, fields screen.RowSlice
	at := func(row, col int) func() tea.Cmd {
		return func() tea.Cmd { g.moveTo(row, col); return nil }
	}
	d := renderer{g.table}
	for i, l := range g.grid.Locales {
		for j := range g.grid.Variations {
			c := g.cell(i, j)
			sign, _, text := d.state(c)
			row := screen.Row{Text: widget.Clean(g.grid.Name(c)), State: widget.Clean(text), Select: at(i, j)}
			if strings.HasPrefix(sign, iconProblem) {
				row.Problem = phrase.Count(g.problemCounts[cellKey(c.Locale, c.Variation)], "problem")
			}
			cells = append(cells, row)
		}
		places = append(places, screen.Row{Text: "Locale " + widget.Clean(grid.LocaleName(l.Name)), Select: at(i, -1)})
	}
	for j, v := range g.grid.Variations {
		row := screen.Row{Text: "Variation " + widget.Clean(d.variation(j)), State: d.shareText(v), Select: at(-1, j)}
		if g.shareLockedReason() == "" && !v.Unlisted {
			row.Field = g.readShare(j, do)
		}
		places = append(places, row)
	}
	for i, f := range g.fields {
		fields = append(fields, screen.Row{Text: fieldName(f), State: list.Spoken(f.summary),
			Select: at(len(g.grid.Locales)+i, 0)})
	}
	page.Parts = []screen.Part{{Name: "Messages", Rows: cells}, {Name: "Locales and variations", Rows: places},
		{Name: "Other fields", Rows: fields}}
	page.Cursor = g.rowNumber(len(cells), len(places))
	return page
}

// rowNumber returns the number of the row under the cursor.
func (g *Grid) rowNumber(cells, places int) int {
	locales, variations := len(g.grid.Locales), len(g.grid.Variations)
	switch {
	case g.onVariation():
		return cells + locales + g.col + 1
	case g.onLocale():
		return cells + g.row + 1
	case g.inCell():
		return g.row*variations + g.col + 1
	}
	return cells + places + g.row - locales + 1
}

// readShare is the percentage of a variation.
func (g *Grid) readShare(j int, do editor.Hands) *screen.FormField {
	return &screen.FormField{Value: g.grid.Variations[j].Share, Set: func(text string) (string, tea.Cmd, error) {
		g.moveTo(-1, j)
		g.failure = ""
		g.shareEditor().set(strings.TrimSuffix(strings.TrimSpace(text), "%"))
		if why := g.failure; why != "" {
			g.failure = ""
			return "", nil, screen.Refused(why)
		}
		return "", do.Adopt(), nil
	}}
}

// readAdd asks for a locale.
func (g *Grid) readAdd(do editor.Hands) screen.Page {
	field := &screen.FormField{Required: true, Example: "de, fr", Set: func(text string) (string, tea.Cmd, error) {
		g.addDialog.prompt.SetValue(text)
		g.addDialog.find()
		cmd := do.Press(tea.KeyMsg{Type: tea.KeyEnter})
		if g.addDialog != nil {
			return "", cmd, screen.Refused(g.failure)
		}
		return "", cmd, nil
	}}
	cancel := func() tea.Cmd { return do.Press(tea.KeyMsg{Type: tea.KeyEsc}) }
	return screen.Page{Place: "Add a locale", Form: true, Cursor: 1, Done: cancel,
		Parts: []screen.Part{{Rows: screen.RowSlice{{Text: "Locale", Field: field}}}}}
}
