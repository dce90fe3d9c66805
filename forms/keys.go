package forms

import (
	"github.com/charmbracelet/bubbles/key"

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

// Bindings returns the keys that do something at the focused field, for the screen's help and to
// tell the form's keys from its own. Keys that are text are not among them: see [Form.Typing].
func (f *Form) Bindings() []key.Binding {
	if f.Modal() {
		return f.modalBindings()
	}
	return append(f.rowBindings(), f.keys.Next, f.keys.Prev, f.keys.PageDown, f.keys.PageUp, f.keys.First, f.keys.Last)
}

// Hints returns the few of the Bindings that a person wants at the focused field, the most wanted
// first.
func (f *Form) Hints() []key.Binding {
	if f.Modal() {
		return f.modalBindings()
	}
	r, ok := f.focusedRow()
	if !ok {
		return nil
	}
	var out []key.Binding
	if b := f.activate(r); b.Enabled() {
		out = append(out, b)
	}
	out = append(out, f.keys.Next)
	for _, b := range f.rowBindings() {
		switch b.Help().Desc {
		case f.keys.Suggest.Help().Desc, f.keys.Delete.Help().Desc, f.keys.Rename.Help().Desc, f.keys.Calendar.Help().Desc,
			f.keys.RemoveOne.Help().Desc, f.keys.RemoveAll.Help().Desc, f.keys.MoveUp.Help().Desc, f.keys.MoveDown.Help().Desc,
			f.keys.Duplicate.Help().Desc:
			out = append(out, b)
		case f.keys.Editor.Help().Desc:
			if r.shape == long || r.shape == raw || r.shape == many {
				out = append(out, b)
			}
		case f.keys.Add.Help().Desc:
			if r.group != adder {
				out = append(out, b)
			}
		}
	}
	return out
}

// rowBindings returns the keys of the focused row, the one that matters most first.
func (f *Form) rowBindings() []key.Binding {
	var out []key.Binding
	r, ok := f.focusedRow()
	if !ok {
		return nil
	}
	if b := f.activate(r); b.Enabled() {
		out = append(out, b)
	}
	if r.locked != "" {
		return out
	}
	if in, ok := f.ed.(*input); ok && len(in.suggest) > 0 {
		out = append(out, f.keys.Suggest)
	}
	if f.pickable(r) {
		out = append(out, f.keys.Calendar)
	}
	if f.removable(r) {
		out = append(out, f.keys.RemoveOne)
		if f.Hidden() > 1 {
			out = append(out, f.keys.RemoveAll)
		}
	}
	if f.list && f.ed == nil {
		out = append(out, f.keys.Add)
		if r.group == shown {
			out = append(out, f.keys.Delete, f.keys.Duplicate, f.keys.MoveUp, f.keys.MoveDown)
		}
	}
	switch {
	case f.rowIsText(r):
		editor := f.keys.Editor
		if f.Typing() {
			editor = bind("ctrl+e", "open editor", "ctrl+e") // e alone is text
		}
		out = append(out, editor)
		if !f.removable(r) {
			out = append(out, f.keys.Remove)
		}
	case r.shape == chosen && f.ed != nil:
		out = append(out, f.keys.Change, f.keys.Remove)
	case r.group != adder && !f.list && !f.removable(r):
		out = append(out, f.keys.Remove)
	}
	if _, ok := f.ed.(*area); ok {
		out = append(out, f.keys.NewLine)
	}
	if r.free && !f.list {
		out = append(out, f.keys.Rename)
	}
	return out
}

// modalBindings are the keys of an open list, of a question for a name, of an element's text.
func (f *Form) modalBindings() []key.Binding {
	if f.picking != nil {
		return calendar.Bindings()
	}
	if f.completing() {
		return []key.Binding{bind("enter", "insert", "enter"), bind("esc", "close", "esc"), bind("↑/↓", "move", "up", "down", "ctrl+n", "ctrl+p")}
	}
	out := []key.Binding{bind("enter", "done", "enter"), bind("esc", "close", "esc")}
	if _, ok := f.ed.(*checklist); ok {
		return append([]key.Binding{bind("space", "select", " ", "x")}, append(out, bind("↑/↓", "move", "up", "down", "j", "k"))...)
	}
	if _, ok := f.ed.(*choice); ok {
		return append(out, bind("↑/↓", "move", "up", "down"))
	}
	return out
}

// activate returns what Enter does at a row, beyond going to the next one.
func (f *Form) activate(r row) key.Binding {
	switch {
	case r.shape == entry:
		return f.keys.Open
	case r.locked != "":
		return key.NewBinding(key.WithDisabled())
	case r.shape == chosen && f.ed != nil, r.shape == ticks && f.ed != nil:
		return bind("enter", "choose", "enter")
	case r.group == adder:
		return bind("enter", "add", "enter")
	case f.list && f.ed == nil && r.group == shown:
		return f.keys.EditValue
	}
	return key.NewBinding(key.WithDisabled())
}

// rowIsText reports whether the editor outside can take the value of a row.
func (f *Form) rowIsText(r row) bool {
	switch r.shape {
	case long, raw, many:
		return true
	case entry:
		return r.Value.Exists()
	case anyJSON, oneline, commas, fixed:
		return r.group != adder && r.Value.Exists() && r.shape != fixed
	}
	return false
}

// completing reports that a list of expressions is open.
func (f *Form) completing() bool {
	switch ed := f.ed.(type) {
	case *input:
		return ed.expr.open()
	case *area:
		return ed.expr.open()
	}
	return false
}
