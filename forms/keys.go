package forms

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/schema"
	"bugle/forms/calendar"
)

// keyMap has the form's own keys, apart from text input.
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
		Change:  bind("space", "change", " "),
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

// target returns the row that a key leads to from row at of n, where a page has step rows; false for keys that
// do not move.
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

// actions describes the keys that work at a row.
type actions struct {
	keys        keyMap
	row         row
	ok          bool   // there is a row
	editor      editor // of the row; nil if there is none
	list        bool   // the rows are the elements of a list
	removable   bool   // the value of the row is unused, and can be removed
	hidden      int    // number of rows that can be removed at once
	modal       bool   // a list, the date picker or the name input is open
	pickingDate bool   // the date picker is open
	naming      bool   // the name input is open
}

// rowKey is a key of a row, and whether it is among the most important ones.
type rowKey struct {
	key.Binding
	important bool
}

// all returns all of the keys.
func (a *actions) all() []key.Binding {
	if a.modal {
		return a.modalBindings()
	}
	var out []key.Binding
	if b := a.enterBinding(); b.Enabled() {
		out = append(out, b)
	}
	for _, k := range a.rowKeys() {
		out = append(out, k.Binding)
	}
	return append(out, a.next(), a.keys.Prev, a.keys.PageDown, a.keys.PageUp, a.keys.First, a.keys.Last)
}

// important returns the most important keys, in order of importance.
func (a *actions) important() []key.Binding {
	switch {
	case a.modal:
		return a.modalBindings()
	case !a.ok:
		return nil
	}
	var out []key.Binding
	if b := a.enterBinding(); b.Enabled() {
		out = append(out, b)
	}
	out = append(out, a.next())
	for _, k := range a.rowKeys() {
		if k.important {
			out = append(out, k.Binding)
		}
	}
	return out
}

// hasSuggestions reports whether suggestions are listed below the row, which down moves into.
func (a *actions) hasSuggestions() bool {
	in, ok := a.editor.(*textEditor)
	return ok && in.list.Len() > 0
}

// next returns the key that leads to the next row.
func (a *actions) next() key.Binding {
	if a.hasSuggestions() {
		return bind("tab", a.keys.Next.Help().Desc, a.keys.Next.Keys()...)
	}
	return a.keys.Next
}

// rowKeys returns the keys of the focused row other than enter, the most important first.
func (a *actions) rowKeys() []rowKey {
	r := a.row
	if !a.ok || r.locked != "" {
		return nil
	}
	var out []rowKey
	add := func(important bool, bs ...key.Binding) {
		for _, b := range bs {
			out = append(out, rowKey{b, important})
		}
	}
	in, text := a.editor.(*textEditor)
	switch {
	case a.hasSuggestions():
		add(true, bind("↓", a.keys.Suggest.Help().Desc, a.keys.Suggest.Keys()...))
	case text && len(in.suggest) > 0:
		add(true, a.keys.Suggest)
	}
	if a.canPickDate() {
		add(true, a.keys.Calendar)
	}
	if a.removable {
		add(true, a.keys.RemoveOne)
		if a.hidden > 1 {
			add(true, a.keys.RemoveAll)
		}
	}
	if a.list && a.editor == nil {
		add(r.group != groupAdder, a.keys.Add)
		if r.group == groupFields {
			add(true, a.keys.Delete, a.keys.Duplicate, a.keys.MoveUp, a.keys.MoveDown)
		}
	}
	switch {
	case r.isText():
		editor := a.keys.Editor
		if a.editor != nil && a.editor.typing() {
			editor = bind("ctrl+e", "open editor", "ctrl+e") // e alone is text
		}
		add(r.shape == shapeExternalText || r.shape == shapeExternalJSON || r.shape == shapeTextArea, editor)
		if !a.removable {
			add(false, a.keys.Remove)
		}
	case r.shape == shapeChoice && a.editor != nil && r.Node.Kind == schema.Bool:
		add(false, a.keys.Change, a.keys.Remove)
	case r.group != groupAdder && !a.list && !a.removable:
		add(false, a.keys.Remove)
	}
	if text && in.area {
		add(false, a.keys.NewLine)
	}
	if r.custom && !a.list {
		add(true, a.keys.Rename)
	}
	return out
}

// modalBindings returns the keys of an open list, the name input, or an element's text.
func (a *actions) modalBindings() []key.Binding {
	if a.pickingDate {
		return calendar.Bindings()
	}
	if openCompletion(a.editor) != nil {
		return []key.Binding{bind("enter", "insert", "enter"), bind("esc", "close", "esc"), bind("↑/↓", "move", "up", "down", "ctrl+n", "ctrl+p")}
	}
	out := []key.Binding{bind("enter", "done", "enter"), bind("esc", "close", "esc")}
	switch c, ok := a.editor.(*choice); {
	case ok && c.many:
		return append([]key.Binding{bind("space", "select", " ", "x")}, append(out, bind("↑/↓", "move", "up", "down", "j", "k"))...)
	case ok:
		return append(out, bind("↑/↓", "move", "up", "down"))
	}
	return out
}

// enterBinding returns what enter does at the row, other than moving to the next one.
func (a *actions) enterBinding() key.Binding {
	switch r := a.row; {
	case r.shape == shapeSubform, !a.list && r.isPage():
		return a.keys.Open
	case r.locked != "":
		return key.NewBinding(key.WithDisabled())
	case r.shape == shapeChoice && a.editor != nil, r.shape == shapeChecklist && a.editor != nil:
		return bind("enter", "choose", "enter")
	case r.group == groupAdder:
		return bind("enter", "add", "enter")
	case a.list && a.editor == nil && r.group == groupFields:
		return a.keys.EditValue
	}
	return key.NewBinding(key.WithDisabled())
}

// isPage reports whether the value of the row is a document, which has a page of its own.
func (r row) isPage() bool {
	return (r.shape == shapeTextArea || r.shape == shapeExternalText) && r.locked == "" && IsPage(r.Node)
}

// IsPage reports whether the text of a field is a document, which is edited on a page of its own.
func IsPage(n *schema.Node) bool { return n != nil && n.Long && n.Links == schema.LinksInHTML }

// isText reports whether the value of the row can be edited externally.
func (r row) isText() bool {
	switch r.shape {
	case shapeExternalText, shapeExternalJSON, shapeTextArea:
		return true
	case shapeSubform, shapeAnyValue, shapeInput, shapeCommaList:
		return r.Value.Exists()
	}
	return false
}

// canPickDate reports whether the date picker can be opened for the row.
func (a *actions) canPickDate() bool {
	return isTime(a.row) && a.row.locked == "" && (a.editor != nil || a.list) && !a.naming
}
