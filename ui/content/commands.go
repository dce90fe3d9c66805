package content

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// command handles a key of the grid while nothing is open.
func (g *Grid) command(msg tea.KeyMsg) tea.Cmd {
	k := g.keys
	switch {
	case msg.String() == "esc":
		g.mem.marks = nil
		return nil
	case msg.String() == "?":
		return screen.Send(screen.HelpMsg{})
	case g.moveKey(msg):
		return nil
	case key.Matches(msg, k.Open) && !g.onVariation():
		return g.open()
	case key.Matches(msg, k.Copy):
		return clipboard{g.table}.copy()
	case key.Matches(msg, k.Compare):
		g.openCompare()
		return nil
	}
	if why := g.locked(); why != "" {
		g.failure = why
		return nil
	}
	switch {
	case key.Matches(msg, k.Percent):
		g.moveTo(-1, max(g.col, 0))
		g.shareEditor().open(msg)
	case key.Matches(msg, k.Open), g.onVariation() && isDigit(msg):
		g.shareEditor().open(msg)
	case key.Matches(msg, k.Even):
		g.shareEditor().splitEvenly()
	case key.Matches(msg, k.Rest) && g.onVariation():
		g.shareEditor().setToRemainder()
	case key.Matches(msg, k.AddLocale):
		g.openAdd()
	case key.Matches(msg, k.AddVariation):
		g.addVariation()
	case key.Matches(msg, k.Paste):
		clipboard{g.table}.paste()
	case key.Matches(msg, k.Mark):
		clipboard{g.table}.mark()
	case key.Matches(msg, k.Editor):
		return g.editText()
	case key.Matches(msg, k.Remove):
		return g.remove()
	case key.Matches(msg, k.Rename):
		return g.rename()
	}
	return nil
}

func (t *table) moveKey(msg tea.KeyMsg) bool {
	row, col := t.row, t.col
	page := max(t.win.Height-1, 1)
	switch msg.String() {
	case "up", "k":
		row--
	case "down", "j":
		row++
	case "left", "h":
		col--
	case "right", "l":
		col++
	case "tab":
		if col++; col == len(t.grid.Variations) {
			row, col = row+1, 0
		}
	case "shift+tab":
		if col--; col < 0 {
			row, col = row-1, len(t.grid.Variations)-1
		}
	case "pgup":
		row -= page
	case "pgdown":
		row += page
	case "home", "g":
		row = 0
	case "end", "G":
		row = len(t.grid.Locales) + len(t.fields) - 1
	default:
		return false
	}
	t.moveTo(row, col)
	return true
}

// setRoot adopts a changed document.
func (t *table) setRoot(root doc.Value) {
	t.root = root
	t.refresh()
}

func (t *table) notify(text string) { t.notice = text }

// open opens what is under the cursor.
func (g *Grid) open() tea.Cmd {
	if f, ok := g.onField(); ok {
		if f.Node == nil {
			g.failure = "This field is unknown. It is kept as it is. Press x to remove it, e to see it as JSON."
			return nil
		}
		g.cfg.Host.Open(f.Path)
		return nil
	}
	g.cfg.Host.Open(g.grid.Form(g.cell(g.row, max(g.col, 0))))
	return nil
}

func (g *Grid) addVariation() {
	root, name, err := grid.AddVariation(g.cfg.Head.Channel, g.root)
	if err != nil {
		g.failure = phrase.Sentence(err.Error())
		return
	}
	g.setRoot(root)
	g.moveTo(g.row, g.column(name))
	g.notify("Added variation " + grid.VariationName(name) + " with a copy of the first one's messages.")
}

// remove removes what is under the cursor, and asks first if messages are removed with it.
func (g *Grid) remove() tea.Cmd {
	switch f, ok := g.onField(); {
	case ok && f.Node != nil:
		g.failure = "This is part of the message. Press enter to open it."
		return nil
	case ok:
		g.setRoot(g.root.Delete(f.Path))
		return nil
	case g.onVariation():
		v := g.grid.Variations[g.col]
		root, err := grid.RemoveVariation(g.root, v.Name)
		body := ""
		if g.col < len(g.grid.Variations)-1 && !v.Unlisted {
			body = " The variations after it move up by one."
		}
		return g.confirm(verbRemove, "variation "+g.variation(g.col), g.messageCount(func(_, j int) bool { return j == g.col }), body, root, err)
	case g.onLocale():
		l := g.grid.Locales[g.row].Name
		root, err := grid.RemoveLocale(g.root, l)
		return g.confirm(verbRemove, grid.LocaleName(l), g.messageCount(func(i, _ int) bool { return i == g.row }), "", root, err)
	}
	c := g.cell(g.row, g.col)
	if !g.grid.Value(c).Exists() {
		g.failure = "This cell is empty. To remove a locale or variation, press x on its name."
		return nil
	}
	root, err := grid.SetMessage(g.cfg.Head.Channel, g.root, c.Locale, c.Variation, doc.Value{})
	return g.confirm(verbEmpty, g.grid.Name(c), 1, " To remove a locale or variation, press x on its name.", root, err)
}

// messageCount counts the messages in the cells for which in returns true.
func (t *table) messageCount(in func(row, col int) bool) int {
	n := 0
	for i := range t.grid.Locales {
		for j := range t.grid.Variations {
			if in(i, j) && t.grid.Value(t.cell(i, j)).Exists() {
				n++
			}
		}
	}
	return n
}

// The verbs for a locale or variation, and for a cell.
const (
	verbRemove = "Remove"
	verbEmpty  = "Empty"
)

var done = map[string]string{verbRemove: "Removed", verbEmpty: "Emptied"}

// confirm applies a removal, at once if no message is removed with it.
func (g *Grid) confirm(verb, name string, gone int, more string, root doc.Value, err error) tea.Cmd {
	if err != nil {
		g.failure = phrase.Sentence(err.Error())
		return nil
	}
	take := func() tea.Cmd {
		g.setRoot(root)
		g.mem.marks = nil
		g.notify(done[verb] + " " + name + ". Press ctrl+z to undo.")
		return nil
	}
	if gone == 0 {
		return take()
	}
	what := "The message is removed."
	switch {
	case verb == verbRemove && gone == 1:
		what = "Its message is removed too."
	case gone > 1:
		what = fmt.Sprintf("Its %d messages are removed too.", gone)
	}
	return screen.Ask(screen.Question{
		Title: verb + " " + name + "?", Body: what + more + " You can undo this with ctrl+z.",
		Buttons: []widget.Button{{Label: verb, Key: "y", Danger: true}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return g.afterAnswer(take)
		},
	})
}

// rename asks for another name of the locale under the cursor.
func (g *Grid) rename() tea.Cmd {
	if !g.onLocale() || g.row == 0 {
		g.failure = "The default locale and variations cannot be renamed."
		return nil
	}
	if why := g.locked(); why != "" {
		g.failure = why
		return nil
	}
	old := g.grid.Locales[g.row].Name
	return screen.Send(screen.InputMsg{
		Title: "Rename " + old, Value: old,
		Validate: func(to string) string {
			if to == old {
				return ""
			}
			return grid.CheckLocale(g.root, to)
		},
		Then: func(to string) tea.Cmd {
			return g.afterAnswer(func() tea.Cmd {
				root, err := grid.RenameLocale(g.root, old, to)
				if err != nil {
					g.failure = phrase.Sentence(err.Error())
					return nil
				}
				g.setRoot(root)
				return nil
			})
		},
	})
}
