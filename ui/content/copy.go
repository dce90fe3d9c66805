package content

import (
	"fmt"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
)

// Clipboard has the messages that were copied in a grid. The zero value is empty.
type Clipboard struct {
	from   copied
	cells  map[string]doc.Value // by name on the other axis; by "" for a single cell
	source string               // display name of its source
}

// copied is what messages were copied from.
type copied uint8

const (
	copiedCell copied = iota
	copiedLocale
	copiedVariation
)

func (c *Clipboard) empty() bool { return len(c.cells) == 0 }

// copy copies what is under the cursor: a cell, a locale or a variation.
func (g *Grid) copy() {
	c := Clipboard{cells: map[string]doc.Value{}}
	take := func(name string, cell grid.Cell) {
		if v := g.grid.Value(cell); v.Exists() {
			c.cells[name] = v
		}
	}
	switch {
	case g.onLocale():
		c.from, c.source = copiedLocale, grid.LocaleName(g.grid.Locales[g.row].Name)
		for i, v := range g.grid.Variations {
			take(v.Name, g.cell(g.row, i))
		}
	case g.onVariation():
		c.from, c.source = copiedVariation, "variation "+g.variation(g.col)
		for i, l := range g.grid.Locales {
			take(l.Name, g.cell(i, g.col))
		}
	case g.inCell():
		cell := g.cell(g.row, g.col)
		c.source = g.grid.Name(cell)
		take("", cell)
	default:
		return
	}
	if c.empty() {
		g.failure = "There is no message to copy here."
		return
	}
	*g.clipboard = c
	what := "the message"
	if c.from != copiedCell {
		what = phrase.Count(len(c.cells), "message")
	}
	g.notice = "Copied " + what + " of " + c.source + ". Press P to paste."
}

// paste pastes at the cursor: a message into a cell or all cells of a locale or variation, and those of a locale or variation
// into another one.
func (g *Grid) paste() {
	if g.clipboard.empty() {
		g.failure = "Nothing copied yet. Press y on a message to copy it, or on a locale or variation to copy all its messages."
		return
	}
	found := false // a message for one of the cells
	root, done, replaced := g.root, 0, 0
	for _, to := range g.targets() {
		v := g.clipboard.cells[map[copied]string{copiedLocale: to.Variation, copiedVariation: to.Locale}[g.clipboard.from]]
		old := g.grid.Value(to)
		found = found || v.Exists()
		if !v.Exists() || old.Exists() && len(doc.Diff(old, v)) == 0 {
			continue
		}
		var err error
		if root, err = grid.SetMessage(g.cfg.Head.Channel, root, to.Locale, to.Variation, v); err != nil {
			g.failure = phrase.Sentence(err.Error())
			return
		}
		if done++; old.Exists() {
			replaced++
		}
	}
	switch {
	case !found:
		g.failure = "What you copied has no message for this."
		return
	case done == 0:
		g.failure = "The message here is already the same."
		return
	}
	g.setRoot(root, nil)
	g.notice = "Pasted into " + phrase.Count(done, "cell") + "."
	if replaced > 0 {
		g.notice = fmt.Sprintf("Pasted into %s, replacing %s. Press ctrl+z to undo.", phrase.Count(done, "cell"), phrase.Count(replaced, "message"))
	}
}

// targets returns the cells to paste into.
func (g *Grid) targets() (out []grid.Cell) {
	wholeRow := g.clipboard.from == copiedLocale || g.clipboard.from == copiedCell && g.onLocale()
	wholeColumn := g.clipboard.from == copiedVariation || g.clipboard.from == copiedCell && g.onVariation()
	for i := range g.grid.Locales {
		for j := range g.grid.Variations {
			if (wholeColumn || i == g.row) && (wholeRow || j == g.col) {
				out = append(out, g.cell(i, j))
			}
		}
	}
	return out
}
