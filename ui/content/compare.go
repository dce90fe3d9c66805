package content

import (
	"cmp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// compare lists the fields in which the message under the cursor differs from that of the default locale, or else from its
// neighbor, each with both values. The field that the user chooses is opened.
func (g *Grid) compare() tea.Cmd {
	if !g.inCell() {
		g.failure = "Go to a message to compare it."
		return nil
	}
	left, right := g.cell(0, g.col), g.cell(g.row, g.col)
	switch {
	case g.row > 0:
	case g.col > 0:
		left = g.cell(0, 0)
	case len(g.grid.Variations) > 1:
		right = g.cell(0, 1)
	case len(g.grid.Locales) > 1:
		right = g.cell(1, 0)
	default:
		g.failure = "There is only this message."
		return nil
	}
	changes := doc.ByField(doc.Diff(g.grid.Value(left), g.grid.Value(right)))
	title := g.grid.Name(left) + " and " + g.grid.Name(right)
	if len(changes) == 0 {
		g.notice = title + " are the same."
		return nil
	}
	options := make([]widget.Option, len(changes))
	for i, c := range changes {
		options[i] = widget.Option{Label: g.placeName(right.Path, c.Path), Help: valueText(c.Before) + "  →  " + valueText(c.After)}
	}
	return screen.Send(screen.ChooseMsg{
		Title: widget.Clean(title), Body: phrase.Count(len(changes), "difference") + ". Choose one to open it.", Options: options,
		Then: func(a widget.Answer) tea.Cmd {
			return g.afterAnswer(func() { g.cfg.Host.Open(right.Path.Join(changes[a.Index].Path...)) })
		},
	})
}

// maxValue is how much of a value is shown, in cells.
const maxValue = 400

// valueText returns a value as it is read; an em dash if there is none.
func valueText(v doc.Value) string {
	switch {
	case !v.Exists():
		return "—"
	case v.Kind() != doc.String:
		return widget.Truncate(string(v.Encode()), maxValue)
	}
	return cmp.Or(widget.Truncate(v.Text(), maxValue), `""`)
}

// placeName names a place in a message by the titles of its forms.
func (g *Grid) placeName(message, p doc.Path) string {
	trail := g.cfg.Schema.Trail(message.Join(p...))[len(message):]
	if len(trail) > 1 {
		trail = trail[1:] // without the channel
	}
	return widget.Clean(strings.Join(trail, " › "))
}
