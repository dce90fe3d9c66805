package filters

import (
	"github.com/charmbracelet/bubbles/key"

	"bugle/engine/audience"
)

// keyMap has the keys of the tree, an open filter, and the menu.
type keyMap struct {
	Move, Page, Ends                                     key.Binding
	Open, Add, AddOther, Join, Negate, Duplicate, Remove key.Binding
	Up, Down, Indent, Outdent, Other, Editor, Why        key.Binding

	Close, Pick, FormEditor key.Binding
}

func bind(label, help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(label, help))
}

func newKeyMap() keyMap {
	return keyMap{
		Move: bind("↑/↓", "move", "up", "down", "k", "j"),
		Page: bind("pgup/pgdn", "page", "pgup", "pgdown"),
		Ends: bind("home/end", "first, last", "home", "end", "g", "G"),

		Open:      bind("enter", "edit", "enter"),
		Add:       bind("a", "add", "a"),
		AddOther:  bind("A", "add to the other group", "A"),
		Join:      bind("space", "and/or", " "),
		Negate:    bind("!", "not", "!"),
		Duplicate: bind("d", "duplicate", "d"),
		Remove:    bind("x", "remove", "x", "delete"),
		Up:        bind("K", "move up", "K", "alt+up"),
		Down:      bind("J", "move down", "J", "alt+down"),
		Indent:    bind(">", "move into the action above", ">", "tab"),
		Outdent:   bind("<", "move out of the action", "<", "shift+tab"),
		Other:     bind("m", "move to the other group", "m"),
		Editor:    bind("e", "as JSON in your editor", "e"),
		Why:       bind("w", "who matches", "w"),

		Close:      bind("esc", "done", "esc"),
		Pick:       bind("↑/↓", "choose", "up", "down", "ctrl+p", "ctrl+n"),
		FormEditor: bind("ctrl+e", "as JSON in your editor", "ctrl+e"),
	}
}

// Bindings returns the keys that work now.
func (t *Tree) Bindings() []key.Binding {
	k := t.keys
	switch {
	case t.menu != nil:
		return []key.Binding{bind("enter", "add", "enter"), k.Close, k.Pick}
	case t.open != nil:
		return append(t.open.bindings(t.open.Bindings()), k.FormEditor)
	}
	n := t.node()
	var out []key.Binding
	if t.locked(n.Path) != "" {
		if n.Kind != audience.Group {
			out = append(out, bind("enter", "view", "enter"))
		}
		return append(out, k.Move, k.Page, k.Ends, k.Why)
	}
	if n.Kind != audience.Group {
		out = append(out, k.Open)
	}
	out = append(out, k.Add)
	other, others := t.otherGroup()
	if others {
		out = append(out, bind("A", "add to "+other.Title, k.AddOther.Keys()...))
	}
	if n.Kind != audience.Group || n.Count > 0 {
		out = append(out, k.Join)
	}
	if n.Kind != audience.Group || n.Count > 0 {
		out = append(out, k.Remove)
	}
	if n.Depth > 0 {
		out = append(out, k.Negate, k.Duplicate, k.Up, k.Down, k.Indent, k.Outdent)
		if others {
			out = append(out, bind("m", "move to "+other.Title, k.Other.Keys()...))
		}
	}
	return append(out, k.Editor, k.Why, k.Move, k.Page, k.Ends)
}

// Hints returns the most important keys.
func (t *Tree) Hints() []key.Binding {
	k := t.keys
	switch {
	case t.open != nil:
		return t.open.bindings(t.open.Hints())
	case t.menu != nil, t.locked(t.node().Path) != "":
		return t.Bindings()
	case t.node().Kind == audience.Group && t.node().Count == 0:
		return []key.Binding{k.Add, k.Why}
	case t.node().Kind == audience.Group:
		return []key.Binding{k.Add, k.Join, k.Why}
	}
	return []key.Binding{k.Open, k.Add, k.Join, k.Negate, k.Duplicate, bind("K/J", "move", "K", "J"), k.Remove}
}
