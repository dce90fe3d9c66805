package filters

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/phrase"
	"bugle/ui/editor"
	"bugle/ui/list"
	"bugle/ui/screen"
)

// Read says the audience in a sentence, and its groups and filters; or asks for what the open filter needs.
func (t *Tree) Read(do editor.Hands) screen.Page {
	if t.open != nil {
		return t.readFilter(do)
	}
	page := screen.Page{Summary: phrase.Sentence(t.sentenceText()), Warning: t.failure, Cursor: t.cursor + 1}
	var rows screen.RowSlice
	for i, n := range t.nodes {
		row := screen.Row{Text: n.Text, Select: func() tea.Cmd {
			t.cursor = i
			t.rebuild()
			return nil
		}}
		if n.Kind == audience.Group {
			row.Text = strings.TrimSpace(n.Title + " group")
			row.State = phrase.Count(n.Count, "filter")
		}
		if n.Depth > 1 {
			row.Text = "inside, " + row.Text
		}
		if n.Problems > 0 {
			row.Problem = phrase.Count(n.Problems, "problem")
		}
		rows = append(rows, row)
	}
	page.Parts = []screen.Part{{Rows: rows}}
	return page
}

// readFilter asks for the inputs of the open filter.
func (t *Tree) readFilter(do editor.Hands) screen.Page {
	page := editor.Read(t.open.Form, func(msg tea.Msg) tea.Cmd {
		t.adopt() // what the form of the filter has changed
		return do(msg)
	})
	page.Place, page.After = "Filter", []string{phrase.Sentence(t.node().Text)}
	return page
}

// Read says how many users match, and some of them.
func (a *audiencePanel) Read() []string {
	a.SetSize(screen.Wide, screen.Wide)
	var out []string
	for _, line := range list.SpokenLines(strings.Join(a.lines, "\n")) {
		if strings.Trim(line, "━╌─ ") != "" {
			out = append(out, line)
		}
	}
	return out
}
