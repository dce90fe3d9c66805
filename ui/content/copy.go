package content

import (
	"fmt"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
)

// Clipboard has the messages that were copied in a grid. The zero value is empty.
type Clipboard struct {
	cells map[string]doc.Value // by [Grid.cellKey]
}

func (c *Clipboard) empty() bool { return len(c.cells) == 0 }

// selected returns the cells under the cursor: one, or those of a locale or of a variation.
func (g *Grid) selected() (out []grid.Cell) {
	if _, ok := g.onField(); ok {
		return nil
	}
	for i := range g.grid.Locales {
		for j := range g.grid.Variations {
			if (g.row < 0 || i == g.row) && (g.col < 0 || j == g.col) {
				out = append(out, g.cell(i, j))
			}
		}
	}
	return out
}

// selectedMessages counts the messages under the cursor.
func (g *Grid) selectedMessages() (n int) {
	for _, c := range g.selected() {
		if g.grid.Value(c).Exists() {
			n++
		}
	}
	return n
}

// cellKey distinguishes the cells under the cursor: the variation of a cell in a locale, the locale of one in a variation,
// and "" if there is only one.
func (g *Grid) cellKey(c grid.Cell) string {
	switch {
	case g.onLocale():
		return c.Variation
	case g.onVariation():
		return c.Locale
	}
	return ""
}

// selectedName names what is under the cursor.
func (g *Grid) selectedName() string {
	switch {
	case g.onLocale():
		return grid.LocaleName(g.grid.Locales[g.row].Name)
	case g.onVariation():
		return "variation " + g.variation(g.col)
	}
	return "the message of " + g.grid.Name(g.cell(g.row, g.col))
}

// copy copies what is under the cursor: a message, or those of a locale or variation.
func (g *Grid) copy() {
	copied := map[string]doc.Value{}
	for _, c := range g.selected() {
		if v := g.grid.Value(c); v.Exists() {
			copied[g.cellKey(c)] = v
		}
	}
	if len(copied) == 0 {
		g.failure = "There is no message to copy here."
		return
	}
	g.clipboard.cells = copied
	what := g.selectedName()
	if !g.inCell() {
		what = phrase.Count(len(copied), "message") + " of " + what
	}
	g.notice = "Copied " + what + ". Press P to paste."
}

// paste pastes at the cursor: a message into the cells there, and those of a locale or variation into another one.
func (g *Grid) paste() {
	if g.clipboard.empty() {
		g.failure = "Nothing copied yet. Press y on a message to copy it, or on a locale or variation to copy all its messages."
		return
	}
	found := false // a message for one of the cells
	root, done, replaced := g.root, 0, 0
	for _, to := range g.selected() {
		v, single := g.clipboard.cells[""]
		if !single {
			v = g.clipboard.cells[g.cellKey(to)]
		}
		old := g.grid.Value(to)
		found = found || v.Exists()
		if !v.Exists() || old.Exists() && len(doc.Diff(old, v)) == 0 {
			continue
		}
		var err error
		if root, err = grid.SetMessage(g.cfg.Head.Channel, root, to.Locale, to.Variation, v); err != nil {
			g.setRoot(root, err)
			return
		}
		if done++; old.Exists() {
			replaced++
		}
	}
	switch {
	case !found:
		g.failure = "What you copied has no message for this."
	case done == 0:
		g.failure = "The message here is already the same."
	default:
		g.setRoot(root, nil)
		g.notice = "Pasted into " + phrase.Count(done, "cell") + "."
	}
	if replaced > 0 {
		g.notice = fmt.Sprintf("Pasted into %s, replacing %s. Press ctrl+z to undo.", phrase.Count(done, "cell"), phrase.Count(replaced, "message"))
	}
}
