package forms

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// action is what keys do at the focused row.
type action struct {
	keys        []string
	label, help string
	hint        bool                         // it is among the most important ones
	run         func(pressed string) tea.Cmd // nil if the row's editor handles the keys
}

// actions returns what can be done at the focused row, without what is typed. The first action of a key counts.
func (f *Form) actions() []action {
	menu, isMenu := f.editor.(*choice)
	in, typed := f.editor.(*textEditor)
	switch {
	case f.calendar != nil:
		return []action{
			{label: "enter", help: "choose the day", hint: true}, {label: "esc", help: "close", hint: true},
			{label: "arrows", help: "day, week", hint: true}, {label: "pgup/pgdn", help: "month", hint: true},
			{label: "home/end", help: "first, last of month"}, {label: "t", help: "today"},
		}
	case typed && in.completing:
		return []action{{label: "enter", help: "insert", hint: true}, {label: "esc", help: "close", hint: true}, {label: "↑/↓", help: "move", hint: true}}
	case f.name != nil, f.editor != nil && f.editor.modal():
		out := []action{{label: "enter", help: "done", hint: true}, {label: "esc", help: "close", hint: true}}
		if isMenu {
			out = append(out, action{label: "↑/↓", help: "move", hint: true})
		}
		if isMenu && menu.many {
			out = append([]action{{label: "space", help: "select", hint: true}}, out...)
		}
		return out
	}
	r, ok := f.focused()
	switch {
	case f.page:
		return pageActions(r)
	case !ok:
		return f.moves()
	}
	var out []action
	add := func(hint bool, label, help string, run func(), keys ...string) {
		out = append(out, action{keys: keys, label: label, help: help, hint: hint, run: func(string) tea.Cmd { run(); return nil }})
	}
	handled := func(hint bool, label, help string, keys ...string) {
		out = append(out, action{keys: keys, label: label, help: help, hint: hint})
	}
	if help := f.enterHelp(r); help != "" {
		out = append(out, action{keys: []string{"enter"}, label: "enter", help: help, hint: true, run: f.open})
	}
	out = append(out, f.moves()...)
	if r.locked != "" {
		return out
	}
	switch {
	case typed && in.list.Len() > 0:
		handled(true, "↓", "suggestions", "ctrl+n", "ctrl+p")
	case typed && len(in.suggest) > 0:
		handled(true, "ctrl+n/p", "suggestions", "ctrl+n", "ctrl+p")
	}
	if f.canPickDate(r) {
		add(true, "f4", "calendar", f.openCalendar, "f4", "ctrl+o")
	}
	removable := f.removable(r)
	if removable {
		add(true, "x", "delete", func() { f.remove(r) }, "x", "delete", "ctrl+x")
		if len(f.hiddenPaths()) > 1 {
			add(true, "U", "delete all unused", func() { f.removeHidden() }, "U")
		}
	}
	if f.list && r.group != groupUnknown {
		out = append(out, action{keys: []string{"a"}, label: "a", help: "add", hint: r.group != groupAdder, run: func(string) tea.Cmd { return f.addElement(r) }})
	}
	if f.list && r.group == groupFields {
		add(true, "x", "delete", func() { f.remove(r) }, "x", "delete")
		add(true, "c", "clone", func() { f.insert(f.cursor+1, r.Value) }, "c")
		add(true, "K", "move up", func() { f.moveElement(r, f.cursor-1) }, "K", "alt+up")
		add(true, "J", "move down", func() { f.moveElement(r, f.cursor+1) }, "J", "alt+down")
	}
	if r.isText() {
		edit := action{keys: []string{"ctrl+e"}, label: "ctrl+e", help: "open editor", run: func(string) tea.Cmd { return external(r) }}
		edit.hint = r.Shape == shapeExternalText || r.Shape == shapeExternalJSON || r.Shape == shapeTextArea
		out = append(out, edit)
	}
	if r.Shape == ShapeChoice && f.editor != nil && r.Node.Kind == schema.Bool {
		handled(false, "space", "change", " ")
	}
	if r.group != groupAdder && !removable {
		add(false, "ctrl+x", "remove value", func() { f.remove(r) }, "ctrl+x")
	}
	if typed && in.area {
		handled(false, "alt+enter", "new line", "alt+enter", "ctrl+j")
	}
	return out
}

// moves returns the keys that move to another row. Letters move in a locked form, as in a list.
func (f *Form) moves() []action {
	to := func(by func() int) func(string) tea.Cmd {
		return func(string) tea.Cmd { f.move(by()); return nil }
	}
	next := action{keys: []string{"tab", "down", "enter"}, label: "tab/↓", help: "next field", hint: true, run: to(func() int { return f.cursor + 1 })}
	prev := action{keys: []string{"shift+tab", "up"}, label: "⇧tab/↑", help: "previous field", run: to(func() int { return f.cursor - 1 })}
	if in, ok := f.editor.(*textEditor); ok && in.list.Len() > 0 {
		next.label = "tab"
	}
	if r, ok := f.focused(); ok && r.locked != "" {
		next.keys, prev.keys = append(next.keys, "j"), append(prev.keys, "k")
	}
	pages := action{keys: []string{"pgdown", "pgup"}, label: "pgup/pgdn", help: "page", run: func(pressed string) tea.Cmd {
		step := f.layout.step()
		if pressed == "pgup" {
			step = -step
		}
		f.move(f.cursor + step)
		return nil
	}}
	ends := action{keys: []string{"ctrl+home", "ctrl+end"}, label: "ctrl+home/end", help: "first, last field", run: func(pressed string) tea.Cmd {
		if pressed == "ctrl+home" {
			f.move(0)
		} else {
			f.move(len(f.rows) - 1)
		}
		return nil
	}}
	return []action{next, prev, pages, ends}
}

// enterHelp returns what enter does at a row, other than moving to the next one; "" if it moves.
func (f *Form) enterHelp(r row) string {
	switch {
	case r.group == groupAdder:
		return "add"
	case r.Shape == shapeSubform, !f.list && r.isPage():
		return "open"
	case r.locked != "":
		return ""
	case (r.Shape == ShapeChoice || r.Shape == shapeChecklist) && f.editor != nil:
		return "choose"
	}
	return ""
}

// Bindings returns the keys that work at the focused field, for the screen's help and to avoid conflicts. Keys
// that are text are not included: see [Form.Typing].
func (f *Form) Bindings() []key.Binding {
	return bindings(f.actions(), func(action) bool { return true })
}

// Hints returns the most important Bindings at the focused field, in order of importance.
func (f *Form) Hints() []key.Binding {
	return bindings(f.actions(), func(a action) bool { return a.hint })
}

func bindings(all []action, has func(action) bool) []key.Binding {
	var out []key.Binding
	for _, a := range all {
		if has(a) {
			out = append(out, key.NewBinding(key.WithKeys(a.keys...), key.WithHelp(a.label, a.help)))
		}
	}
	return out
}

// isPage reports whether the value of the row is a document, which has a page of its own.
func (r row) isPage() bool {
	return (r.Shape == shapeTextArea || r.Shape == shapeExternalText) && r.locked == "" && IsPage(r.Node)
}

// IsPage reports whether the text of a field is a document, which is edited on a page of its own.
func IsPage(n *schema.Node) bool { return n != nil && n.Long && n.Links == schema.LinksInHTML }

// isText reports whether the value of the row can be edited externally.
func (r row) isText() bool {
	switch r.Shape {
	case shapeExternalText, shapeExternalJSON, shapeTextArea:
		return true
	case shapeSubform, shapeAnyValue, ShapeText, ShapeList:
		return r.Value.Exists()
	}
	return false
}

// canPickDate reports whether the calendar can be opened for a row.
func (f *Form) canPickDate(r row) bool {
	return isTime(r) && r.locked == "" && f.editor != nil && f.name == nil
}

// open runs enter at the focused row: it opens a subform, or asks for a name.
func (f *Form) open(string) tea.Cmd {
	r, _ := f.focused()
	switch {
	case r.group == groupAdder && f.list:
		return f.addElement(r)
	case r.group == groupAdder:
		f.askName()
	case r.Shape == shapeSubform, !f.list && r.isPage():
		return func() tea.Msg { return OpenMsg{Path: r.Path} }
	}
	return nil
}

// addElement adds an element after the focused one, which the screen opens.
func (f *Form) addElement(r row) tea.Cmd {
	at := f.cursor + 1
	if r.group == groupAdder {
		at = f.root.Lookup(f.cfg.Path).Len()
	}
	f.insert(at, zero(r.Node))
	r, _ = f.focused()
	return func() tea.Msg { return OpenMsg{Path: r.Path} }
}

func external(r row) tea.Cmd {
	m := OpenEditorMsg{Path: r.Path, Text: r.Value.Text()}
	if r.Shape == shapeExternalJSON || r.Value.Exists() && r.Value.Kind() != doc.String {
		m.JSON, m.Text = true, string(r.Value.Indent())
	}
	return func() tea.Msg { return m }
}

// askName asks for the name of a new field, in place of the row's value.
func (f *Form) askName() {
	f.name, f.editor = newTextEditor(f.cfg.Theme, ShapeText, "", "name"), nil
}

// acceptName gives the field the name that was typed; an empty one adds nothing.
func (f *Form) acceptName() {
	name := f.name.Text()
	if name == "" {
		f.focus(f.cursor)
		return
	}
	if f.apply("use this name", func() (doc.Value, error) { return f.addNamed(f.root, name) }) && !f.FocusPath(f.cfg.Path.Child(name)) {
		f.focus(f.cursor)
	}
}
