package content

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
)

// clipKind is what a clip was copied from.
type clipKind uint8

const (
	clipCell clipKind = iota
	clipLocale
	clipVariation
)

// clip is the clipboard's content: the messages of a cell, of a locale by variation, or of a variation by
// locale.
type clip struct {
	kind   clipKind
	names  []string
	cells  map[string]doc.Value // by name on the other axis; "" for a single cell
	source string               // display name of its source
}

func (c clip) empty() bool { return len(c.cells) == 0 }

// clipboard copies, pastes and marks the messages of a table.
type clipboard struct{ *table }

// copy copies what is under the cursor: a cell, a locale or a variation.
func (b clipboard) copy() tea.Cmd {
	c := clip{cells: map[string]doc.Value{}}
	take := func(name string, cell grid.Cell) {
		if v := b.grid.Value(cell); v.Exists() {
			c.cells[name] = v
			c.names = append(c.names, name)
		}
	}
	switch {
	case b.onLocale():
		c.kind, c.source = clipLocale, grid.LocaleName(b.grid.Locales[b.row].Name)
		for i, v := range b.grid.Variations {
			take(v.Name, b.cell(b.row, i))
		}
	case b.onVariation():
		c.kind, c.source = clipVariation, "variation "+b.variation(b.col)
		for i, l := range b.grid.Locales {
			take(l.Name, b.cell(i, b.col))
		}
	case b.inCell():
		cell := b.cell(b.row, b.col)
		c.source = b.grid.Name(cell)
		take("", cell)
	default:
		return nil
	}
	if c.empty() {
		b.failure = "There is no message to copy here."
		return nil
	}
	b.mem.clip = c
	b.notify("Copied " + c.describe() + ". Press p to paste.")
	return nil
}

func (c clip) describe() string {
	if c.kind == clipCell {
		return "the message of " + c.source
	}
	return phrase.Count(len(c.cells), "message") + " of " + c.source
}

// paste pastes into the marked cells, or at the cursor.
func (b clipboard) paste() {
	c := b.mem.clip
	if c.empty() {
		b.failure = "Nothing copied yet. Press y on a message to copy it, or on a locale or variation to copy all its messages."
		return
	}
	given := false // one of the cells has a message
	root, done, replaced := b.root, 0, 0
	for _, to := range b.targets() {
		v := c.cells[""]
		switch c.kind {
		case clipLocale:
			v = c.cells[to.Variation]
		case clipVariation:
			v = c.cells[to.Locale]
		}
		old := b.grid.Value(to)
		given = given || v.Exists()
		if !v.Exists() || old.Exists() && len(doc.Diff(old, v)) == 0 {
			continue
		}
		out, err := grid.SetMessage(b.cfg.Head.Channel, root, to.Locale, to.Variation, v)
		if err != nil {
			b.failure = phrase.Sentence(err.Error())
			return
		}
		root = out
		if done++; old.Exists() {
			replaced++
		}
	}
	if done == 0 {
		b.failure = "The message here is already the same."
		if !given {
			b.failure = "What you copied has no message for this."
		}
		return
	}
	text := "Pasted into " + phrase.Count(done, "cell") + "."
	if replaced > 0 {
		text = fmt.Sprintf("Pasted into %s, replacing %s. Press ctrl+z to undo.", phrase.Count(done, "cell"), phrase.Count(replaced, "message"))
	}
	b.mem.marks = nil
	b.setRoot(root)
	b.notify(text)
}

// targets returns the cells to paste into.
func (b clipboard) targets() []grid.Cell {
	var out []grid.Cell
	k := b.mem.clip.kind
	for i, l := range b.grid.Locales {
		for j, v := range b.grid.Variations {
			var hit bool
			switch marked := b.mem.marks[cellKey(l.Name, v.Name)]; {
			case len(b.mem.marks) > 0:
				hit = marked
			case k == clipLocale, k == clipCell && b.onLocale():
				hit = i == b.row
			case k == clipVariation, k == clipCell && b.onVariation():
				hit = j == b.col
			default:
				hit = i == b.row && j == b.col
			}
			if hit {
				out = append(out, b.cell(i, j))
			}
		}
	}
	return out
}

// mark toggles the mark of the cell under the cursor, or of a whole locale or variation.
func (b clipboard) mark() {
	var list []string
	for i, l := range b.grid.Locales {
		for j, v := range b.grid.Variations {
			if (b.onVariation() || i == b.row) && (b.onLocale() || j == b.col) {
				list = append(list, cellKey(l.Name, v.Name))
			}
		}
	}
	all := true
	for _, k := range list {
		all = all && b.mem.marks[k]
	}
	if b.mem.marks == nil {
		b.mem.marks = map[string]bool{}
	}
	for _, k := range list {
		if all {
			delete(b.mem.marks, k)
		} else {
			b.mem.marks[k] = true
		}
	}
}

// variation returns the display name of a column's variation.
func (t *table) variation(col int) string {
	if len(t.grid.Variations) == 1 {
		return "Message"
	}
	return grid.VariationName(t.grid.Variations[col].Name)
}
