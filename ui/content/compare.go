package content

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/list"
	"bugle/ui/widget"
)

// comparison shows two messages side by side.
type comparison struct {
	left, right         grid.Cell
	leftName, rightName string
	pairs               []grid.Pair
	differences         int
	only                bool // show only differences
	list                *list.List[grid.Pair]
}

// openCompare compares the message under the cursor with that of the default locale, or else with its neighbor.
func (g *Grid) openCompare() {
	if !g.inCell() {
		g.failure = "Go to a message to compare it."
		return
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
		return
	}
	c := &comparison{left: left, right: right, leftName: g.grid.Name(left), rightName: g.grid.Name(right),
		pairs: grid.Compare(g.grid.Value(left), g.grid.Value(right))}
	for _, p := range c.pairs {
		if p.Differ {
			c.differences++
		}
	}
	c.list = list.Lines(g.cfg.Theme, "field", func(p grid.Pair, selected bool, width int) list.Drawn {
		return list.Drawn{Lines: drawPair(g.cfg.Theme, placeName(g.cfg, c.right.Path, p.Path), p, selected, width)}
	})
	c.list.Focused, c.list.Empty = true, "Neither has a message."
	c.setSize(g.cfg.Width, g.cfg.Height)
	c.show(c.differences > 0)
	g.comparing = c
}

// show lists all fields, or only differences.
func (c *comparison) show(only bool) {
	var rows []grid.Pair
	for _, p := range c.pairs {
		if p.Differ || !only {
			rows = append(rows, p)
		}
	}
	c.only = only
	c.list.Set(rows)
}

// comparisonHeader is the number of lines above the list.
const comparisonHeader = 3

func (c *comparison) setSize(w, h int) { c.list.SetSize(w, h-comparisonHeader) }

func (g *Grid) compareKey(msg tea.KeyMsg) {
	c := g.comparing
	switch {
	case msg.String() == "q", key.Matches(msg, keyClose):
		g.comparing = nil
	case key.Matches(msg, keyAll):
		c.show(!c.only)
	case key.Matches(msg, keyOpen):
		g.openCompared(c.right)
	default:
		c.list.Key(msg)
	}
}

// openCompared opens the field under the cursor in one of the messages.
func (g *Grid) openCompared(in grid.Cell) {
	if p, ok := g.comparing.list.Selected(); ok {
		g.comparing = nil
		g.cfg.Host.Open(in.Path.Join(p.Path...))
	}
}

// compareMouse handles the wheel and clicks: on the line that counts hidden rows, which shows them, and on a side of a field,
// which opens it.
func (g *Grid) compareMouse(msg tea.MouseMsg) {
	c := g.comparing
	if widget.Pressed(msg) && msg.Y == 0 {
		c.show(!c.only)
		return
	}
	msg.Y -= comparisonHeader
	if hit, _ := c.list.Mouse(msg); !hit || !widget.Pressed(msg) {
		return
	}
	if msg.X < columnWidth(g.cfg.Width) {
		g.openCompared(c.left)
	} else {
		g.openCompared(c.right)
	}
}

// columnWidth returns the width of one message in a comparison.
func columnWidth(width int) int { return max((width-3)/2, 1) }

// head draws the number of differences and the names of both messages.
func (c *comparison) head(t *themes.Theme, w int) []string {
	text := "No differences"
	switch {
	case c.only:
		text = phrase.Count(c.differences, "difference") + " · rest hidden"
	case c.differences > 0:
		text = phrase.Count(c.differences, "difference")
	}
	return []string{
		t.Muted.Render(widget.Truncate(text, w)),
		beside(t, t.Strong.Render("  "+widget.Clean(c.leftName)), t.Strong.Render(widget.Clean(c.rightName)), w),
		t.Border.Render(strings.Repeat("─", w)),
	}
}

func beside(t *themes.Theme, left, right string, w int) string {
	return widget.PadRight(left, columnWidth(w)) + t.Border.Render(" │ ") + widget.PadRight(right, columnWidth(w))
}

// drawPair draws a field: its name and, below it, its value in both messages.
func drawPair(t *themes.Theme, name string, p grid.Pair, selected bool, w int) []string {
	sign, style := "  ", t.Muted
	if p.Differ {
		sign, style = "≠ ", t.Marked
	}
	if selected {
		style = t.Selected
	}
	if selected && t.IsPlain() {
		sign = "▸" + sign
	}
	lines := []string{style.Render(widget.Truncate(sign+name, w))}
	left, right := valueLines(p.Left, columnWidth(w)-2), valueLines(p.Right, columnWidth(w)-2)
	for i := range max(len(left), len(right)) {
		var l, r string
		if i < len(left) {
			l = "  " + left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		lines = append(lines, beside(t, t.Text.Render(l), t.Text.Render(r), w))
	}
	return lines
}

// maxValueLines is how many lines of one value are shown, enough to tell texts apart.
const maxValueLines = 8

func valueLines(v doc.Value, w int) []string {
	text := v.Text()
	switch {
	case !v.Exists():
		text = "—"
	case v.Kind() != doc.String:
		text = string(v.Indent())
	case text == "":
		text = `""`
	}
	lines := widget.Wrap(widget.CleanLines(text), max(w, 1))
	if len(lines) > maxValueLines {
		lines = append(lines[:maxValueLines-1], "…")
	}
	return lines
}

// placeName names a place in the message of a cell by the titles of its forms.
func placeName(cfg editor.Config, cell, p doc.Path) string {
	var out []string
	for i, step := range p {
		n := cfg.Schema.At(cell.Join(p[:i+1]...))
		switch {
		case i == 0 && len(p) > 1:
		case n != nil && n.Name != "":
			out = append(out, n.Label())
		case step.IsIndex:
			out = append(out, "Entry "+strconv.Itoa(step.Index+1))
		default:
			out = append(out, step.Name)
		}
	}
	return widget.Clean(strings.Join(out, " › "))
}
