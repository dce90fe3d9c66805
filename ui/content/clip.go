package content

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/content"
	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// kind is what a clip was copied from.
type kind uint8

const (
	oneCell kind = iota
	aLocale
	aVariation
)

// clip is what was copied: the messages of a cell, of a locale by variation, or of a variation by
// locale.
type clip struct {
	kind  kind
	names []string
	cells map[string]doc.Value // by name of the other axis; of one cell under ""
	from  string               // where it is from, for people
}

func (c clip) empty() bool { return len(c.cells) == 0 }

// copy takes what is under the cursor: a cell, or all of a locale or a variation.
func (g *Grid) copy() tea.Cmd {
	c := clip{cells: map[string]doc.Value{}}
	take := func(name string, cell content.Cell) {
		if v := g.grid.Value(cell); v.Exists() {
			c.cells[name] = v
			c.names = append(c.names, name)
		}
	}
	switch {
	case g.onLocale():
		c.kind, c.from = aLocale, content.LocaleName(g.grid.Locales[g.row].Name)
		for i, v := range g.grid.Variations {
			take(v.Name, g.cell(g.row, i))
		}
	case g.onVariation():
		c.kind, c.from = aVariation, "variation "+g.variation(g.col)
		for i, l := range g.grid.Locales {
			take(l.Name, g.cell(i, g.col))
		}
	case g.inCell():
		cell := g.cell(g.row, g.col)
		c.from = g.grid.Name(cell)
		take("", cell)
	default:
		return nil
	}
	if c.empty() {
		g.failure = "There is no message to copy here."
		return nil
	}
	g.mem.clip = c
	g.notify("Copied " + c.words() + ". Press p to paste.")
	return nil
}

func (c clip) words() string {
	if c.kind == oneCell {
		return "the message of " + c.from
	}
	return phrase.Count(len(c.cells), "message") + " of " + c.from
}

// paste puts what was copied into the marked cells, or where the cursor is.
func (g *Grid) paste() {
	c := g.mem.clip
	if c.empty() {
		g.failure = "Nothing copied yet. Press y on a message to copy it, or on a locale or variation to copy all its messages."
		return
	}
	root, done, replaced := g.root, 0, 0
	for _, to := range g.targets() {
		v := c.cells[""]
		switch c.kind {
		case aLocale:
			v = c.cells[to.Variation]
		case aVariation:
			v = c.cells[to.Locale]
		}
		old := g.grid.Value(to)
		if !v.Exists() || old.Exists() && len(doc.Diff(old, v)) == 0 {
			continue
		}
		out, err := content.SetMessage(g.cfg.Head.Channel, root, to.Locale, to.Variation, v)
		if err != nil {
			g.failure = sentence(err)
			return
		}
		root = out
		if done++; old.Exists() {
			replaced++
		}
	}
	if done == 0 {
		g.failure = "The message here is already the same."
		return
	}
	text := "Pasted into " + phrase.Count(done, "cell") + "."
	if replaced > 0 {
		text = fmt.Sprintf("Pasted into %s, replacing %s. Press ctrl+z to undo.", phrase.Count(done, "cell"), phrase.Count(replaced, "message"))
	}
	g.mem.marks = nil
	g.take(root)
	g.notify(text)
}

// targets are the cells that a paste goes to.
func (g *Grid) targets() []content.Cell {
	var out []content.Cell
	k := g.mem.clip.kind
	for i, l := range g.grid.Locales {
		for j, v := range g.grid.Variations {
			var hit bool
			switch marked := g.mem.marks[keyOf(l.Name, v.Name)]; {
			case len(g.mem.marks) > 0:
				hit = marked
			case k == aLocale, k == oneCell && g.onLocale():
				hit = i == g.row
			case k == aVariation, k == oneCell && g.onVariation():
				hit = j == g.col
			default:
				hit = i == g.row && j == g.col
			}
			if hit {
				out = append(out, g.cell(i, j))
			}
		}
	}
	return out
}

// mark marks the cell under the cursor, or all of a locale or a variation; marked ones are unmarked.
func (g *Grid) mark() {
	var list []string
	for i, l := range g.grid.Locales {
		for j, v := range g.grid.Variations {
			if (g.onVariation() || i == g.row) && (g.onLocale() || j == g.col) {
				list = append(list, keyOf(l.Name, v.Name))
			}
		}
	}
	all := true
	for _, k := range list {
		all = all && g.mem.marks[k]
	}
	if g.mem.marks == nil {
		g.mem.marks = map[string]bool{}
	}
	for _, k := range list {
		if all {
			delete(g.mem.marks, k)
		} else {
			g.mem.marks[k] = true
		}
	}
}

// variation names the variation of a column for people.
func (g *Grid) variation(col int) string {
	if len(g.grid.Variations) == 1 {
		return "Message"
	}
	return content.VariationName(g.grid.Variations[col].Name)
}
