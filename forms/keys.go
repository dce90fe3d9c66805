package forms

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/forms/calendar"
)

// keyMap are the form's own keys. What a text field takes is text.
type keyMap struct {
	Next, Prev, PageDown, PageUp, First, Last           key.Binding
	Open, Change, Remove, Rename, Editor                key.Binding
	NewLine, Suggest, Calendar                          key.Binding
	RemoveOne, RemoveAll                                key.Binding
	Add, Duplicate, Delete, MoveUp, MoveDown, EditValue key.Binding
}

func bind(label string, help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(label, help))
}

func newKeyMap() keyMap {
	return keyMap{
		Next:     bind("tab/↓", "next field", "tab", "down", "enter"),
		Prev:     bind("⇧tab/↑", "previous field", "shift+tab", "up"),
		PageDown: bind("pgdn", "page down", "pgdown"),
		PageUp:   bind("pgup", "page up", "pgup"),
		First:    bind("ctrl+home", "first field", "ctrl+home"),
		Last:     bind("ctrl+end", "last field", "ctrl+end"),

		Open:    bind("enter", "open", "enter"),
		Change:  bind("←/→", "change", "left", "right", " "),
		Remove:  bind("ctrl+x", "remove value", "ctrl+x"),
		Rename:  bind("f2", "rename", "f2"),
		Editor:  bind("e", "open editor", "e", "ctrl+e"),
		NewLine: bind("alt+enter", "new line", "alt+enter", "ctrl+j"),
		Suggest: bind("ctrl+n/p", "suggestions", "ctrl+n", "ctrl+p"),

		Calendar:  bind("f4", "calendar", "f4", "ctrl+o"),
		RemoveOne: bind("x", "remove", "x", "delete", "ctrl+x"),
		RemoveAll: bind("X", "remove all unused", "X"),

		Add:       bind("a", "add", "a"),
		Duplicate: bind("d", "duplicate", "d"),
		Delete:    bind("x", "delete", "x", "delete"),
		MoveUp:    bind("K", "move up", "K", "alt+up"),
		MoveDown:  bind("J", "move down", "J", "alt+down"),
		EditValue: bind("enter", "edit", "enter"),
	}
}

// target returns the row that a key leads to from row at of n, where a page has step of them; false for keys
// that do not move.
func (k keyMap) target(msg tea.KeyMsg, at, n, step int) (int, bool) {
	switch {
	case key.Matches(msg, k.Next):
		return at + 1, true
	case key.Matches(msg, k.Prev):
		return at - 1, true
	case key.Matches(msg, k.PageDown):
		return at + step, true
	case key.Matches(msg, k.PageUp):
		return at - step, true
	case key.Matches(msg, k.First):
		return 0, true
	case key.Matches(msg, k.Last):
		return n - 1, true
	}
	return at, false
}

// actions are the keys that do something at a row, and what they do there.
type actions struct {
	keys    keyMap
	row     row
	ok      bool   // there is a row
	ed      editor // of the row; nil where none is open
	list    bool   // the rows are the elements of a list
	removes bool   // the value of the row is kept, not used, and may be changed
	hidden  int    // how many rows can be removed at once
	modal   bool   // a list, a calendar or a question for a name is open
	picks   bool   // it is a calendar
	names   bool   // it is a question for a name
}

// all returns all of the keys.
func (a *actions) all() []key.Binding {
	if a.modal {
		return a.modalBindings()
	}
	return append(a.rowBindings(), a.next(), a.keys.Prev, a.keys.PageDown, a.keys.PageUp, a.keys.First, a.keys.Last)
}

// few returns the keys that a person wants most, the most wanted first.
func (a *actions) few() []key.Binding {
	if a.modal {
		return a.modalBindings()
	}
	if !a.ok {
		return nil
	}
	r := a.row
	var out []key.Binding
	if b := a.activate(); b.Enabled() {
		out = append(out, b)
	}
	out = append(out, a.next())
	for _, b := range a.rowBindings() {
		switch b.Help().Desc {
		case a.keys.Suggest.Help().Desc, a.keys.Delete.Help().Desc, a.keys.Rename.Help().Desc, a.keys.Calendar.Help().Desc,
			a.keys.RemoveOne.Help().Desc, a.keys.RemoveAll.Help().Desc, a.keys.MoveUp.Help().Desc, a.keys.MoveDown.Help().Desc,
			a.keys.Duplicate.Help().Desc:
			out = append(out, b)
		case a.keys.Editor.Help().Desc:
			if r.shape == long || r.shape == raw || r.shape == many {
				out = append(out, b)
			}
		case a.keys.Add.Help().Desc:
			if r.group != adder {
				out = append(out, b)
			}
		}
	}
	return out
}

// offering reports whether suggestions are listed below the row: down leads into them.
func (a *actions) offering() bool {
	in, ok := a.ed.(*input)
	return ok && in.list.Len() > 0
}

// next returns the key that leads to the next row.
func (a *actions) next() key.Binding {
	if a.offering() {
		return bind("tab", a.keys.Next.Help().Desc, a.keys.Next.Keys()...)
	}
	return a.keys.Next
}

// rowBindings returns the keys of the focused row, the one that matters most first.
func (a *actions) rowBindings() []key.Binding {
	if !a.ok {
		return nil
	}
	r := a.row
	var out []key.Binding
	if b := a.activate(); b.Enabled() {
		out = append(out, b)
	}
	if r.locked != "" {
		return out
	}
	if in, ok := a.ed.(*input); ok && len(in.suggest) > 0 {
		suggest := a.keys.Suggest
		if a.offering() {
			suggest = bind("↓", suggest.Help().Desc, suggest.Keys()...)
		}
		out = append(out, suggest)
	}
	if a.pickable() {
		out = append(out, a.keys.Calendar)
	}
	if a.removes {
		out = append(out, a.keys.RemoveOne)
		if a.hidden > 1 {
			out = append(out, a.keys.RemoveAll)
		}
	}
	if a.list && a.ed == nil {
		out = append(out, a.keys.Add)
		if r.group == shown {
			out = append(out, a.keys.Delete, a.keys.Duplicate, a.keys.MoveUp, a.keys.MoveDown)
		}
	}
	switch {
	case r.isText():
		editor := a.keys.Editor
		if a.ed != nil && a.ed.typing() {
			editor = bind("ctrl+e", "open editor", "ctrl+e") // e alone is text
		}
		out = append(out, editor)
		if !a.removes {
			out = append(out, a.keys.Remove)
		}
	case r.shape == chosen && a.ed != nil:
		out = append(out, a.keys.Change, a.keys.Remove)
	case r.group != adder && !a.list && !a.removes:
		out = append(out, a.keys.Remove)
	}
	if _, ok := a.ed.(*area); ok {
		out = append(out, a.keys.NewLine)
	}
	if r.free && !a.list {
		out = append(out, a.keys.Rename)
	}
	return out
}

// modalBindings are the keys of an open list, of a question for a name, of an element's text.
func (a *actions) modalBindings() []key.Binding {
	if a.picks {
		return calendar.Bindings()
	}
	if completing(a.ed) != nil {
		return []key.Binding{bind("enter", "insert", "enter"), bind("esc", "close", "esc"), bind("↑/↓", "move", "up", "down", "ctrl+n", "ctrl+p")}
	}
	out := []key.Binding{bind("enter", "done", "enter"), bind("esc", "close", "esc")}
	if _, ok := a.ed.(*checklist); ok {
		return append([]key.Binding{bind("space", "select", " ", "x")}, append(out, bind("↑/↓", "move", "up", "down", "j", "k"))...)
	}
	if _, ok := a.ed.(*choice); ok {
		return append(out, bind("↑/↓", "move", "up", "down"))
	}
	return out
}

// activate returns what Enter does at the row, beyond going to the next one.
func (a *actions) activate() key.Binding {
	switch r := a.row; {
	case r.shape == entry:
		return a.keys.Open
	case r.locked != "":
		return key.NewBinding(key.WithDisabled())
	case r.shape == chosen && a.ed != nil, r.shape == ticks && a.ed != nil:
		return bind("enter", "choose", "enter")
	case r.group == adder:
		return bind("enter", "add", "enter")
	case a.list && a.ed == nil && r.group == shown:
		return a.keys.EditValue
	}
	return key.NewBinding(key.WithDisabled())
}

// isText reports whether the editor outside can take the value of the row.
func (r row) isText() bool {
	switch r.shape {
	case long, raw, many:
		return true
	case entry, anyJSON, oneline, commas:
		return r.Value.Exists()
	}
	return false
}

// pickable reports whether a calendar can be opened for the row now.
func (a *actions) pickable() bool {
	return isTime(a.row) && a.row.locked == "" && (a.ed != nil || a.list) && !a.names
}
