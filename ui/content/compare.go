package content

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/content"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/ui/widget"
)

// comparison is two messages side by side.
type comparison struct {
	left, right content.Cell
	pairs       []content.Pair
	only        bool // differences alone
	lines       []string
	goals       []int // the lines that differences begin at
	win         widget.Window
}

// most is how many lines of one value are shown: the first ones tell texts apart, the editor shows all.
const most = 8

// openCompare puts the cell under the cursor beside a marked one, or beside the one that it was most
// likely made from.
func (g *Grid) openCompare() {
	left, right, why := g.pair()
	if why != "" {
		g.failure = why
		return
	}
	c := &comparison{left: left, right: right, pairs: content.Compare(g.grid.Value(left), g.grid.Value(right))}
	c.only = differing(c.pairs) > 0
	g.compare = c
	g.layCompare()
}

func differing(pairs []content.Pair) int {
	n := 0
	for _, p := range pairs {
		if p.Differ {
			n++
		}
	}
	return n
}

func (g *Grid) pair() (left, right content.Cell, why string) {
	var marked []content.Cell
	for i, l := range g.grid.Locales {
		for j, v := range g.grid.Variations {
			if g.mem.marks[keyOf(l.Name, v.Name)] {
				marked = append(marked, g.cell(i, j))
			}
		}
	}
	switch {
	case len(marked) == 2:
		return marked[0], marked[1], ""
	case len(marked) > 2:
		return left, right, "More than two messages are marked. Mark two, or mark one and go to the other."
	case !g.inCell():
		return left, right, "Go to a message to compare it."
	}
	here := g.cell(g.row, g.col)
	switch {
	case len(marked) == 1 && !marked[0].Is(here):
		return marked[0], here, ""
	case g.row > 0:
		return g.cell(0, g.col), here, ""
	case g.col > 0:
		return g.cell(0, 0), here, ""
	case len(g.grid.Variations) > 1:
		return here, g.cell(0, 1), ""
	case len(g.grid.Locales) > 1:
		return here, g.cell(1, 0), ""
	}
	return left, right, "There is only this message."
}

func (g *Grid) compareKey(msg tea.KeyMsg) {
	c, k := g.compare, g.keys
	switch {
	case msg.String() == "q", key.Matches(msg, k.Close):
		g.compare = nil
	case key.Matches(msg, k.Only):
		c.only = !c.only
		g.layCompare()
	case msg.String() == "n":
		for _, at := range c.goals {
			if at > c.win.Offset {
				c.win.Scroll(at - c.win.Offset)
				return
			}
		}
	case msg.String() == "N":
		for i := len(c.goals) - 1; i >= 0; i-- {
			if at := c.goals[i]; at < c.win.Offset {
				c.win.Scroll(at - c.win.Offset)
				return
			}
		}
	default:
		c.win.UpdateScroll(msg)
	}
}

// layCompare makes the lines for the present width.
func (g *Grid) layCompare() {
	c, t := g.compare, g.cfg.Theme
	c.lines, c.goals = c.lines[:0], c.goals[:0]
	w := max((g.cfg.Width-3)/2, 1)
	for _, p := range c.pairs {
		if c.only && !p.Differ {
			continue
		}
		head := "  " + g.words(p.Path)
		style := t.Muted
		if p.Differ {
			head, style = "≠ "+g.words(p.Path), t.Marked
			c.goals = append(c.goals, len(c.lines))
		}
		c.lines = append(c.lines, style.Render(widget.Truncate(head, g.cfg.Width)))
		left, right := valueLines(p.Left, w-2), valueLines(p.Right, w-2)
		for i := range max(len(left), len(right)) {
			c.lines = append(c.lines, t.Text.Render("  "+widget.PadRight(lineAt(left, i), w-2))+t.Border.Render(" │ ")+t.Text.Render(widget.PadRight(lineAt(right, i), w)))
		}
	}
	if len(c.lines) == 0 {
		c.lines = append(c.lines, t.Muted.Render(widget.Truncate("  Both are the same.", g.cfg.Width)))
	}
	c.win.Resize(len(c.lines), max(g.cfg.Height-3, 1))
	c.win.Scroll(0)
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

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
	if len(lines) > most {
		lines = append(lines[:most-1], "…")
	}
	return lines
}

// words names a place in a message by the titles of its forms.
func (g *Grid) words(p doc.Path) string {
	at := g.compare.right.Path
	var out []string
	for i, step := range p {
		n := g.cfg.Schema.At(at.Join(p[:i+1]...))
		switch {
		case i == 0 && len(p) > 1:
		case n != nil && n.Name != "":
			out = append(out, n.Label())
		case step.IsIndex:
			out = append(out, "Entry "+itoa(step.Index+1))
		default:
			out = append(out, step.Name)
		}
	}
	return widget.Clean(strings.Join(out, " › "))
}

// compareView draws both messages, their names above.
func (g *Grid) compareView(w, h int) string {
	c, t := g.compare, g.cfg.Theme
	half := max((w-3)/2, 1)
	text := phrase.Count(differing(c.pairs), "difference")
	if c.only {
		text += "; the rest is hidden"
	}
	lines := []string{
		t.Muted.Render(widget.Truncate(text, w)),
		t.Strong.Render("  "+widget.PadRight(widget.Clean(g.grid.Name(c.left)), half-2)) + t.Border.Render(" │ ") + t.Strong.Render(widget.PadRight(widget.Clean(g.grid.Name(c.right)), half)),
		t.Border.Render(strings.Repeat("─", w)),
	}
	from, to := c.win.Visible()
	return widget.Fit(strings.Join(append(lines, c.lines[from:to]...), "\n"), w, h)
}
