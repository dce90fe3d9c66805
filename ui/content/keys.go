package content

import "github.com/charmbracelet/bubbles/key"

// keyMap has the keys of the grid, the percentage input, the list of locales, and the comparison.
type keyMap struct {
	Move, Page, Ends                                          key.Binding
	Open, Percent, Rename, AddLocale, AddVariation, Remove    key.Binding
	Copy, Paste, Mark, Compare, Even, Rest, Editor            key.Binding
	Unmark, Close, Done, NextShare, Pick, Choose, Erase, Next key.Binding
	Scroll, Only                                              key.Binding
}

func bind(label, help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(label, help))
}

func newKeyMap() keyMap {
	return keyMap{
		Move: bind("←↑↓→", "move", "left", "right", "up", "down", "h", "j", "k", "l", "tab", "shift+tab"),
		Page: bind("pgup/pgdn", "page", "pgup", "pgdown"),
		Ends: bind("home/end", "first, last", "home", "end", "g", "G"),

		Open:         bind("enter", "open", "enter"),
		Percent:      bind("%", "percentages", "%"),
		Rename:       bind("f2", "rename the locale", "f2"),
		AddLocale:    bind("a", "add locale", "a"),
		AddVariation: bind("A", "add variation", "A"),
		Remove:       bind("x", "remove", "x", "delete"),

		Copy:    bind("y", "copy", "y"),
		Paste:   bind("p", "paste", "p"),
		Mark:    bind("space", "mark", " "),
		Compare: bind("d", "compare", "d"),
		Even:    bind("=", "split evenly", "="),
		Rest:    bind("r", "use what is left", "r"),
		Editor:  bind("e", "edit as JSON", "e"),

		Unmark:    bind("esc", "unmark all", "esc"),
		Close:     bind("esc", "close", "esc"),
		Done:      bind("enter", "done", "enter", "esc"),
		NextShare: bind("tab/→", "next variation", "tab", "right", "shift+tab", "left"),
		Pick:      bind("↑/↓", "choose", "up", "down", "ctrl+p", "ctrl+n"),
		Choose:    bind("enter", "add", "enter"),
		Erase:     bind("ctrl+x", "remove value", "ctrl+x"),
		Next:      bind("n/N", "next difference", "n", "N"),
		Scroll:    bind("↑/↓", "scroll", "up", "down", "k", "j", "pgup", "pgdown", "home", "end"),
		Only:      bind("d", "show all", "d"),
	}
}

// Bindings returns the keys that work now.
func (g *Grid) Bindings() []key.Binding {
	k := g.keys
	switch {
	case g.addDialog != nil:
		return []key.Binding{k.Choose, k.Close, k.Pick}
	case g.share != nil:
		return []key.Binding{k.Done, k.NextShare, k.Rest, k.Even, k.Erase}
	case g.compare != nil:
		only := k.Only
		if !g.compare.only {
			only.SetHelp("d", "show differences only")
		}
		return []key.Binding{k.Next, only, k.Close, k.Scroll}
	}
	if g.locked() != "" {
		return []key.Binding{k.Open, k.Copy, k.Compare, k.Move, k.Page, k.Ends}
	}
	var out []key.Binding
	if f, ok := g.onField(); ok {
		if f.Node != nil {
			out = append(out, k.Open)
		} else {
			out = append(out, k.Remove)
		}
		return append(out, k.AddLocale, k.AddVariation, k.Editor, k.Move, k.Page, k.Ends)
	}
	switch {
	case g.onVariation():
		out = append(out, bind("0…9", "type a percentage", "enter"), k.Even, k.Rest)
	case g.onLocale():
		out = append(out, k.Open, k.Rename)
	default:
		out = append(out, k.Open)
	}
	out = append(out, k.AddLocale, k.AddVariation, k.Copy)
	if !g.mem.clip.empty() {
		out = append(out, k.Paste)
	}
	out = append(out, k.Mark, k.Compare, k.Remove)
	if !g.onVariation() {
		out = append(out, k.Percent, k.Even)
	}
	if g.inCell() {
		out = append(out, k.Editor)
	}
	if len(g.mem.marks) > 0 {
		out = append(out, k.Unmark)
	}
	return append(out, k.Move, k.Page, k.Ends)
}

// Hints returns the most important keys.
func (g *Grid) Hints() []key.Binding {
	k := g.keys
	switch {
	case g.Typing(), g.compare != nil, g.locked() != "":
		return g.Bindings()
	case g.onVariation():
		return []key.Binding{bind("0…9", "percentage", "enter"), k.Even, k.Remove, k.AddVariation}
	case g.onLocale():
		return []key.Binding{k.AddLocale, k.Remove, k.Copy, k.Rename}
	}
	if _, ok := g.onField(); ok {
		return g.Bindings()[:3]
	}
	out := []key.Binding{k.Open}
	if !g.mem.clip.empty() {
		out = append(out, k.Paste)
	}
	return append(out, k.AddLocale, k.AddVariation, k.Copy, k.Compare)
}
