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

func bind(label, help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(label, help))
}

// The keys of the grid, of a percentage that is typed, of the list of locales, and of a comparison.
var (
	keyMove         = bind("←↑↓→", "move", "left", "right", "up", "down", "h", "j", "k", "l", "tab", "shift+tab")
	keyPage         = bind("pgup/pgdn", "page", "pgup", "pgdown")
	keyEnds         = bind("home/end", "first, last", "home", "end", "g", "G")
	keyOpen         = bind("enter", "open", "enter")
	keyType         = bind("0…9", "type a percentage", "enter")
	keyPercent      = bind("%", "percentages", "%")
	keyRename       = bind("f2", "rename the locale", "f2")
	keyAddLocale    = bind("a", "add locale", "a")
	keyAddVariation = bind("A", "add variation", "A")
	keyRemove       = bind("x", "delete", "x", "delete")
	keyCopy         = bind("y", "copy", "y")
	keyPaste        = bind("P", "paste", "P")
	keyCompare      = bind("d", "compare", "d")
	keyEven         = bind("=", "split evenly", "=")
	keyRest         = bind("+", "use what is left", "+")
	keyClose        = bind("esc", "close", "esc")
	keyDone         = bind("enter", "done", "enter", "esc")
	keyNextShare    = bind("tab/→", "next variation", "tab", "right", "shift+tab", "left")
	keyErase        = bind("ctrl+x", "remove value", "ctrl+x")
	keyChoose       = bind("enter", "add", "enter")
	keyPick         = bind("↑/↓", "choose", "up", "down", "ctrl+p", "ctrl+n")
	keyDifferences  = bind("d", "compare differences only", "d")
	keyFields       = bind("↑/↓", "next field", "up", "down", "k", "j", "pgup", "pgdown", "home", "end")
	keyAll          = bind("d", "compare all fields", "d")
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
	case g.adding != nil:
		return []key.Binding{keyChoose, keyClose, keyPick}
	case g.share != nil:
		return []key.Binding{keyDone, keyNextShare, keyRest, keyEven, keyErase}
	case g.comparing != nil && g.comparing.only:
		return []key.Binding{keyOpen, keyAll, keyClose, keyFields}
	case g.comparing != nil:
		return []key.Binding{keyOpen, keyDifferences, keyClose, keyFields}
	case g.locked() != "":
		return []key.Binding{keyOpen, keyCopy, keyCompare, keyMove, keyPage, keyEnds}
	case onField && f.Node == nil:
		out = []key.Binding{keyRemove, keyAddLocale, keyAddVariation}
	case onField:
		out = []key.Binding{keyOpen, keyAddLocale, keyAddVariation}
	case g.onVariation():
		out = []key.Binding{keyType, keyEven, keyRemove, keyAddVariation, keyRest, keyAddLocale, keyCopy}
	case g.onLocale():
		out = []key.Binding{keyAddLocale, keyRemove, keyCopy, keyRename, keyOpen, keyAddVariation, keyPercent, keyEven}
	default:
		out = []key.Binding{keyOpen, keyAddLocale, keyAddVariation, keyCopy, keyCompare, keyRemove, keyPercent, keyEven}
	}
	if !g.clipboard.empty() && !onField {
		out = append(out[:1:1], append([]key.Binding{keyPaste}, out[1:]...)...)
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
	case key.Matches(msg, keyOpen) && !g.onVariation():
		return g.open()
	case key.Matches(msg, keyCopy):
		g.copy()
		return nil
	case key.Matches(msg, keyCompare):
		g.openCompare()
		return nil
	}
	if g.failure = g.locked(); g.failure != "" {
		return nil
	}
	switch {
	case key.Matches(msg, keyPercent):
		g.moveTo(-1, max(g.col, 0))
		g.openShare()
	case key.Matches(msg, keyOpen):
		g.openShare()
	case g.onVariation() && isDigits(msg):
		if g.openShare(); g.share != nil {
			g.shareKey(msg)
		}
	case key.Matches(msg, keyEven):
		g.splitEvenly()
	case key.Matches(msg, keyRest) && g.onVariation():
		g.setToRemainder()
	case key.Matches(msg, keyAddLocale):
		g.openAdd()
	case key.Matches(msg, keyAddVariation):
		g.addVariation()
	case key.Matches(msg, keyPaste):
		g.paste()
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
		g.cfg.Host.Open(g.grid.Form(g.cell(g.row, max(g.col, 0))))
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
	const atName = " To remove a locale or variation, press x on its name."
	f, onField := g.onField()
	switch {
	case onField && f.Node != nil:
		g.failure = "This is part of the message. Press enter to open it."
	case onField:
		g.setRoot(g.root.Delete(f.Path), nil)
	case g.onVariation():
		v, last := g.grid.Variations[g.col], len(g.grid.Variations)-1
		root, err := grid.RemoveVariation(g.root, v.Name)
		more := ""
		if g.col < last && !v.Unlisted {
			more = " The variations after it move up by one."
		}
		return g.confirm(removal{"Remove", "Removed", "variation " + g.variation(g.col), g.messageCount(-1, g.col), more}, root, err)
	case g.onLocale():
		l := g.grid.Locales[g.row].Name
		root, err := grid.RemoveLocale(g.root, l)
		return g.confirm(removal{"Remove", "Removed", grid.LocaleName(l), g.messageCount(g.row, -1), ""}, root, err)
	case !g.grid.Value(g.cell(g.row, g.col)).Exists():
		g.failure = "This cell is empty." + atName
	default:
		c := g.cell(g.row, g.col)
		root, err := grid.SetMessage(g.cfg.Head.Channel, g.root, c.Locale, c.Variation, doc.Value{})
		return g.confirm(removal{"Empty", "Emptied", g.grid.Name(c), 1, atName}, root, err)
	}
	return nil
}

// messageCount counts the messages of a row and column; -1 is any.
func (g *Grid) messageCount(row, col int) int {
	n := 0
	for i := range g.grid.Locales {
		for j := range g.grid.Variations {
			if (row < 0 || i == row) && (col < 0 || j == col) && g.grid.Value(g.cell(i, j)).Exists() {
				n++
			}
		}
	}
	return n
}

// removal is what is about to be removed.
type removal struct {
	verb, done, name string
	messages         int // that go with it
	more             string
}

// confirm applies a removal, at once if no message is removed with it.
func (g *Grid) confirm(r removal, root doc.Value, err error) tea.Cmd {
	apply := func() {
		if g.setRoot(root, err) {
			g.notice = r.done + " " + r.name + ". Press ctrl+z to undo."
		}
	}
	what := "The message is removed."
	switch {
	case r.messages == 0 || err != nil:
		apply()
		return nil
	case r.messages > 1:
		what = fmt.Sprintf("Its %s are removed too.", phrase.Count(r.messages, "message"))
	case r.verb == "Remove":
		what = "Its message is removed too."
	}
	return screen.Ask(screen.Question{
		Title: r.verb + " " + r.name + "?", Body: what + r.more + " You can undo this with ctrl+z.",
		Buttons: []widget.Button{{Label: r.verb, Key: "y", Danger: true}, {Label: "Keep", Key: "n"}},
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
