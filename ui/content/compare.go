package content

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/ui/list"
	"bugle/ui/widget"
)

// comparison shows the differences of two messages side by side.
type comparison struct {
	left, right grid.Cell
	list        *list.List[doc.Change]
}

// openCompare compares the message under the cursor with that of the default locale, or else with its neighbor.
func (g *Grid) openCompare() {
	if !g.inCell() {
		g.failure = "Go to a message to compare it."
		return
	}
	c := &comparison{left: g.cell(0, g.col), right: g.cell(g.row, g.col)}
	switch {
	case g.row > 0:
	case g.col > 0:
		c.left = g.cell(0, 0)
	case len(g.grid.Variations) > 1:
		c.right = g.cell(0, 1)
	case len(g.grid.Locales) > 1:
		c.right = g.cell(1, 0)
	default:
		g.failure = "There is only this message."
		return
	}
	c.list = list.Lines(g.cfg.Theme, "field", g.drawDifference)
	c.list.Focused, c.list.Empty = true, "No differences."
	g.comparing = c
	c.list.Set(doc.ByField(doc.Diff(g.grid.Value(c.left), g.grid.Value(c.right))))
	g.SetSize(g.cfg.Width, g.cfg.Height)
}

// comparisonHeader is the number of lines above the list.
const comparisonHeader = 3

func (g *Grid) compareKey(msg tea.KeyMsg) {
	switch {
	case msg.String() == "q", key.Matches(msg, keyClose):
		g.comparing = nil
	case key.Matches(msg, keyOpen):
		g.openCompared()
	default:
		g.comparing.list.Key(msg)
	}
}

// openCompared opens the field under the cursor in the message at the right.
func (g *Grid) openCompared() {
	c := g.comparing
	if d, ok := c.list.Selected(); ok {
		g.comparing = nil
		g.cfg.Host.Open(c.right.Path.Join(d.Path...))
	}
}

func (g *Grid) compareMouse(msg tea.MouseMsg) {
	msg.Y -= comparisonHeader
	if _, again := g.comparing.list.Mouse(msg); again {
		g.openCompared()
	}
}

// beside draws two texts of one line in the columns of a comparison.
func (g *Grid) beside(left, right string) string {
	w := max((g.cfg.Width-3)/2, 1)
	return widget.PadRight(left, w) + g.cfg.Theme.Border.Render(" │ ") + widget.PadRight(right, w)
}

// compareView draws the number of differences, the names of both messages, and the differences.
func (g *Grid) compareView() []string {
	t, c := g.cfg.Theme, g.comparing
	return []string{
		t.Muted.Render(widget.Truncate(phrase.Count(c.list.Len(), "difference"), g.cfg.Width)),
		g.beside(t.Strong.Render("  "+widget.Clean(g.grid.Name(c.left))), t.Strong.Render(widget.Clean(g.grid.Name(c.right)))),
		t.Border.Render(strings.Repeat("─", g.cfg.Width)),
		c.list.View(),
	}
}

// drawDifference draws a field that differs: its name and, below it, its value in both messages.
func (g *Grid) drawDifference(d doc.Change, selected bool, width int) list.Drawn {
	t, sign, style := g.cfg.Theme, "≠ ", g.cfg.Theme.Marked
	if selected {
		style = t.Selected
	}
	if selected && t.IsPlain() {
		sign = "▸" + sign
	}
	lines := []string{style.Render(widget.Truncate(sign+g.placeName(d.Path), width))}
	w := max((g.cfg.Width-3)/2-2, 1)
	left, right := valueLines(d.Before, w), valueLines(d.After, w)
	for i := range max(len(left), len(right)) {
		var l, r string
		if i < len(left) {
			l = "  " + left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		lines = append(lines, g.beside(t.Text.Render(l), t.Text.Render(r)))
	}
	return list.Drawn{Lines: lines}
}

// maxValueLines is how many lines of one value are shown, enough to tell texts apart.
const maxValueLines = 8

func valueLines(v doc.Value, w int) []string {
	lines := widget.WrapLines(valueText(v), w)
	if len(lines) > maxValueLines {
		lines = append(lines[:maxValueLines-1], "…")
	}
	return lines
}

// valueText returns a value as it is read; an em dash if there is none.
func valueText(v doc.Value) string {
	switch {
	case !v.Exists():
		return "—"
	case v.Kind() != doc.String:
		return string(v.Indent())
	}
	return cmp.Or(v.Text(), `""`)
}

// placeName names a place in a message by the titles of its forms.
func (g *Grid) placeName(p doc.Path) string {
	message := g.comparing.right.Path
	trail := g.cfg.Schema.Trail(message.Join(p...))[len(message):]
	if len(trail) > 1 {
		trail = trail[1:] // without the channel
	}
	return widget.Clean(strings.Join(trail, " › "))
}
