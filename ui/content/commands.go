package content

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

func bind(label, help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(label, help))
}

// The keys of the grid.
var (
	keyMove         = bind("←↑↓→", "move", "left", "right", "up", "down", "h", "j", "k", "l", "tab", "shift+tab")
	keyPage         = bind("pgup/pgdn", "page", "pgup", "pgdown")
	keyEnds         = bind("home/end", "first, last", "home", "end", "g", "G")
	keyOpen         = bind("enter", "open", "enter")
	keyType         = bind("0…9", "type a percentage")
	keyPercent      = bind("%", "percentages", "%")
	keyRename       = bind("f2", "rename the locale", "f2")
	keyAddLocale    = bind("a", "add locale", "a")
	keyAddVariation = bind("A", "add variation", "A")
	keyRemove       = bind("x", "delete", "x", "delete")
	keyCompare      = bind("d", "compare", "d")
	keyEven         = bind("=", "split evenly", "=")
	keyRest         = bind("+", "use what is left", "+")
)

// mostHints is how many keys of the grid are in the status bar.
const mostHints = 6

// Hints returns the most important keys.
func (g *Grid) Hints() []key.Binding {
	all := g.Bindings()
	return all[:min(len(all), mostHints)]
}

// Bindings returns the keys that work now, the most important ones first.
func (g *Grid) Bindings() []key.Binding {
	f, onField := g.onField()
	var out []key.Binding
	switch {
	case g.locked() != "":
		return []key.Binding{keyOpen, keyCompare, keyMove, keyPage, keyEnds}
	case onField && f.Node == nil:
		out = []key.Binding{keyRemove, keyAddLocale, keyAddVariation}
	case onField:
		out = []key.Binding{keyOpen, keyAddLocale, keyAddVariation}
	case g.onVariation():
		out = []key.Binding{keyType, keyEven, keyRemove, keyAddVariation, keyRest, keyAddLocale}
	case g.onLocale():
		out = []key.Binding{keyAddLocale, keyRemove, keyRename, keyOpen, keyAddVariation, keyPercent, keyEven}
	default:
		out = []key.Binding{keyOpen, keyAddLocale, keyAddVariation, keyCompare, keyRemove, keyPercent, keyEven}
	}
	return append(out, keyMove, keyPage, keyEnds)
}

// command handles a key of the grid while nothing is open.
func (g *Grid) command(msg tea.KeyMsg) tea.Cmd {
	switch {
	case msg.String() == "?":
		return screen.Send(screen.HelpMsg{})
	case g.moveKey(msg):
		return nil
	case key.Matches(msg, keyOpen):
		return g.open()
	case key.Matches(msg, keyCompare):
		return g.compare()
	}
	if g.failure = g.locked(); g.failure != "" {
		return nil
	}
	switch {
	case key.Matches(msg, keyPercent):
		g.moveTo(-1, max(g.col, 0))
		g.failure = g.shareLocked(g.col)
	case key.Matches(msg, keyEven):
		g.splitEvenly()
	case key.Matches(msg, keyRest) && g.onVariation():
		g.setShare(strconv.Itoa(grid.RemainingShare(g.root, g.grid.Variations[g.col].Name)))
	case key.Matches(msg, keyAddLocale):
		return g.askLocales()
	case key.Matches(msg, keyAddVariation):
		g.addVariation()
	case key.Matches(msg, keyRemove):
		return g.remove()
	case key.Matches(msg, keyRename):
		return g.rename()
	}
	return nil
}

func (g *Grid) moveKey(msg tea.KeyMsg) bool {
	row, col := g.row, g.col
	page := max(g.win.Height-1, 1)
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
		if col++; col == len(g.grid.Variations) {
			row, col = row+1, 0
		}
	case "shift+tab":
		if col--; col < 0 {
			row, col = row-1, len(g.grid.Variations)-1
		}
	case "pgup":
		row -= page
	case "pgdown":
		row += page
	case "home", "g":
		row = 0
	case "end", "G":
		row = len(g.grid.Locales) + len(g.fields) - 1
	default:
		return false
	}
	g.moveTo(row, col)
	return true
}

// open opens what is under the cursor.
func (g *Grid) open() tea.Cmd {
	switch f, ok := g.onField(); {
	case ok && f.Node == nil:
		g.failure = "This field is unknown. It is kept as it is. Press x to remove it."
	case ok:
		g.cfg.Host.Open(f.Path)
	default:
		g.cfg.Host.Open(g.grid.Form(g.cell(max(g.row, 0), max(g.col, 0))))
	}
	return nil
}

func (g *Grid) addVariation() {
	root, name, err := grid.AddVariation(g.cfg.Head.Channel, g.root)
	if g.setRoot(root, err) {
		g.moveTo(g.row, g.column(name))
		g.notice = "Added variation " + grid.VariationName(name) + " with a copy of the first one's messages."
	}
}

// remove removes what is under the cursor, and asks first if messages are removed with it.
func (g *Grid) remove() tea.Cmd {
	f, onField := g.onField()
	root, err, more, n := g.root, error(nil), "", g.selectedMessages()
	switch {
	case onField && f.Node != nil:
		g.failure = "This is part of the message. Press enter to open it."
		return nil
	case onField:
		g.setRoot(g.root.Delete(f.Path), nil)
		return nil
	case g.onVariation():
		v := g.grid.Variations[g.col]
		root, err = grid.RemoveVariation(g.root, v.Name)
		if g.col < len(g.grid.Variations)-1 && !v.Unlisted {
			more = " The variations after it move up by one."
		}
	case g.onLocale():
		root, err = grid.RemoveLocale(g.root, g.grid.Locales[g.row].Name)
	case n == 0:
		g.failure = "This cell is empty. To remove a locale or variation, press x on its name."
		return nil
	default:
		c := g.cell(g.row, g.col)
		root, err = grid.SetMessage(g.cfg.Head.Channel, g.root, c.Locale, c.Variation, doc.Value{})
		more = " To remove a locale or variation, press x on its name."
	}
	name := g.selectedName()
	apply := func() {
		if g.setRoot(root, err) {
			g.notice = "Removed " + name + ". Press ctrl+z to undo."
		}
	}
	if n == 0 || err != nil {
		apply()
		return nil
	}
	switch {
	case n > 1:
		more = "Its " + phrase.Count(n, "message") + " are removed too." + more
	case !g.inCell():
		more = "Its message is removed too." + more
	}
	return screen.Ask(screen.Question{
		Title: "Remove " + name + "?", Body: strings.TrimSpace(more + " You can undo this with ctrl+z."),
		Buttons: []widget.Option{{Label: "Remove", Key: "y"}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return g.afterAnswer(apply)
		},
	})
}

// rename asks for another name of the locale under the cursor.
func (g *Grid) rename() tea.Cmd {
	if !g.onLocale() || g.row == 0 {
		g.failure = "The default locale and variations cannot be renamed."
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
			return g.afterAnswer(func() { g.setRoot(grid.RenameLocale(g.root, old, to)) })
		},
	})
}
