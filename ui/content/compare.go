package content

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/ui/widget"
)

// comparison shows two messages side by side.
type comparison struct {
	*table
	left, right grid.Cell
	pairs       []grid.Pair
	only        bool // show only differences
	lines       []string
	linePaths   []doc.Path // for each line, the path in the messages that it shows
	diffLines   []int      // the lines at which differences begin
	win         widget.Window
}

// maxValueLines is how many lines of one value are shown, enough to tell texts apart.
const maxValueLines = 8

// openCompare compares the cell under the cursor with a marked one, or with the one that it was most likely
// copied from.
func (g *Grid) openCompare() {
	left, right, why := g.pair()
	if why != "" {
		g.failure = why
		return
	}
	c := &comparison{table: g.table, left: left, right: right, pairs: grid.Compare(g.grid.Value(left), g.grid.Value(right))}
	c.only = differenceCount(c.pairs) > 0
	g.compare = c
	c.layout()
}

func differenceCount(pairs []grid.Pair) int {
	n := 0
	for _, p := range pairs {
		if p.Differ {
			n++
		}
	}
	return n
}

func (t *table) pair() (left, right grid.Cell, why string) {
	var marked []grid.Cell
	for i, l := range t.grid.Locales {
		for j, v := range t.grid.Variations {
			if t.mem.marks[cellKey(l.Name, v.Name)] {
				marked = append(marked, t.cell(i, j))
			}
		}
	}
	switch {
	case len(marked) == 2:
		return marked[0], marked[1], ""
	case len(marked) > 2:
		return left, right, "More than two messages are marked. Mark two, or mark one and go to the other."
	case !t.inCell():
		return left, right, "Go to a message to compare it."
	}
	here := t.cell(t.row, t.col)
	switch {
	case len(marked) == 1 && !marked[0].Is(here):
		return marked[0], here, ""
	case t.row > 0:
		return t.cell(0, t.col), here, ""
	case t.col > 0:
		return t.cell(0, 0), here, ""
	case len(t.grid.Variations) > 1:
		return here, t.cell(0, 1), ""
	case len(t.grid.Locales) > 1:
		return here, t.cell(1, 0), ""
	}
	return left, right, "There is only this message."
}

// key handles a key and reports whether the comparison is done.
func (c *comparison) key(msg tea.KeyMsg, k keyMap) bool {
	switch {
	case msg.String() == "q", key.Matches(msg, k.Close):
		return true
	case key.Matches(msg, k.Only):
		c.only = !c.only
		c.layout()
	case msg.String() == "n":
		for _, at := range c.diffLines {
			if at > c.win.Offset {
				c.win.Scroll(at - c.win.Offset)
				return false
			}
		}
	case msg.String() == "N":
		for i := len(c.diffLines) - 1; i >= 0; i-- {
			if at := c.diffLines[i]; at < c.win.Offset {
				c.win.Scroll(at - c.win.Offset)
				return false
			}
		}
	default:
		c.win.UpdateScroll(msg)
	}
	return false
}

// comparisonHeader is the number of lines above the differences.
const comparisonHeader = 3

// at returns the document path shown at (x, y); false if there is none.
func (c *comparison) at(x, y int) (doc.Path, bool) {
	line, ok := c.win.At(y - comparisonHeader)
	if !ok || line >= len(c.linePaths) {
		return nil, false
	}
	cell := c.left
	if x >= c.columnWidth() {
		cell = c.right
	}
	return cell.Path.Join(c.linePaths[line]...), true
}

// columnWidth returns the width of one message.
func (c *comparison) columnWidth() int { return max((c.cfg.Width-3)/2, 1) }

// layout renders the lines for the current width.
func (c *comparison) layout() {
	t := c.cfg.Theme
	c.lines, c.linePaths, c.diffLines = c.lines[:0], c.linePaths[:0], c.diffLines[:0]
	w := c.columnWidth()
	for _, p := range c.pairs {
		if c.only && !p.Differ {
			continue
		}
		head := "  " + c.placeName(p.Path)
		style := t.Muted
		if p.Differ {
			head, style = "≠ "+c.placeName(p.Path), t.Marked
			c.diffLines = append(c.diffLines, len(c.lines))
		}
		c.lines = append(c.lines, style.Render(widget.Truncate(head, c.cfg.Width)))
		left, right := valueLines(p.Left, w-2), valueLines(p.Right, w-2)
		for range max(len(left), len(right)) + 1 {
			c.linePaths = append(c.linePaths, p.Path)
		}
		for i := range max(len(left), len(right)) {
			c.lines = append(c.lines, t.Text.Render("  "+widget.PadRight(lineAt(left, i), w-2))+t.Border.Render(" │ ")+t.Text.Render(widget.PadRight(lineAt(right, i), w)))
		}
	}
	if len(c.lines) == 0 {
		c.lines = append(c.lines, t.Muted.Render(widget.Truncate("  Both are the same.", c.cfg.Width)))
	}
	c.win.Resize(len(c.lines), max(c.cfg.Height-comparisonHeader, 1))
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
	if len(lines) > maxValueLines {
		lines = append(lines[:maxValueLines-1], "…")
	}
	return lines
}

// placeName names a place in a message by the titles of its forms.
func (c *comparison) placeName(p doc.Path) string {
	at := c.right.Path
	var out []string
	for i, step := range p {
		n := c.cfg.Schema.At(at.Join(p[:i+1]...))
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

// view draws both messages below their names.
func (c *comparison) view(w, h int) string {
	t := c.cfg.Theme
	half := max((w-3)/2, 1)
	text := phrase.Count(differenceCount(c.pairs), "difference")
	if c.only {
		text += " · rest hidden"
	}
	lines := []string{
		t.Muted.Render(widget.Truncate(text, w)),
		t.Strong.Render("  "+widget.PadRight(widget.Clean(c.grid.Name(c.left)), half-2)) + t.Border.Render(" │ ") + t.Strong.Render(widget.PadRight(widget.Clean(c.grid.Name(c.right)), half)),
		t.Border.Render(strings.Repeat("─", w)),
	}
	from, to := c.win.Visible()
	return widget.Fit(strings.Join(append(lines, c.lines[from:to]...), "\n"), w, h)
}
