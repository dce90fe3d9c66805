package forms

import (
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/forms/calendar"
)

// Update handles a key, a mouse event relative to the form's upper left corner, or a message of one of the
// form's commands.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	defer f.arrange()
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return f.key(msg)
	case tea.MouseMsg:
		return f.mouse(msg)
	case pastedMsg:
		if msg.to == f {
			f.paste(msg.text)
		}
	}
	return nil
}

// enterKey is the key that accepts.
var enterKey = tea.KeyMsg{Type: tea.KeyEnter}

func (f *Form) key(msg tea.KeyMsg) tea.Cmd {
	s := &f.model
	if f.datePicker != nil {
		f.handleDatePicker(f.datePicker.picker.Key(msg))
		return nil
	}
	if msg.String() == "enter" && f.nameInput == nil {
		s.normalizeTime()
	}
	if s.field.accept(msg) {
		s.commit() // and on to the next field, as the key does
	}
	switch {
	case msg.Paste:
		f.paste(string(msg.Runes))
		return nil
	case msg.String() == "ctrl+v" && f.Typing():
		return f.readClipboard
	case f.nameInput != nil:
		f.namingKey(msg)
		return nil
	case s.field.editor != nil && s.field.editor.key(msg):
		s.commit()
		if s.builder.list && s.field.editor != nil && !s.field.editor.typing() {
			s.focus(s.cursor) // a choice was made
		}
		return nil
	case s.builder.list && s.field.editor != nil && (key.Matches(msg, f.keys.Open) || msg.String() == "esc"):
		s.endEdit()
		s.focus(s.cursor)
		return nil
	}
	return f.command(msg)
}

// command handles the keys that the focused field does not use.
func (f *Form) command(msg tea.KeyMsg) tea.Cmd {
	r, ok := f.model.focused()
	to, moves := f.keys.target(msg, f.model.cursor, len(f.model.rows), f.layout.step())
	acts := f.actions()
	if ok && r.locked != "" { // letters move in a locked form, as in a list
		down := map[string]int{"j": 1, "k": -1}[msg.String()]
		switch {
		case key.Matches(msg, f.keys.Open) && r.shape == shapeSubform:
			return f.open(r)
		case moves || down != 0:
			f.model.move(to + down)
		}
		return nil
	}
	switch {
	case ok && key.Matches(msg, f.keys.Open) && key.Matches(msg, acts.enterBinding()):
		return f.open(r)
	case ok && key.Matches(msg, f.keys.Calendar) && acts.canPickDate():
		f.openDatePicker(r)
	case ok && key.Matches(msg, f.keys.Editor) && r.isText() && (msg.String() != "e" || !f.Typing()):
		return external(r)
	case ok && f.model.builder.list && f.listKey(msg, r):
		return f.focusAdded()
	case moves:
		f.model.move(to)
	case ok && acts.removable && key.Matches(msg, f.keys.RemoveOne):
		f.model.remove(r)
	case ok && acts.removable && key.Matches(msg, f.keys.RemoveAll):
		f.model.removeHidden()
	case key.Matches(msg, f.keys.Remove) && ok && r.group != groupAdder:
		f.model.remove(r)
	case key.Matches(msg, f.keys.Rename) && r.custom && !f.model.builder.list:
		f.askName(r.Path, r.Path.Last().Name)
	}
	return nil
}

// open runs enter at a row: it opens a subform, asks for a name, or edits an element.
func (f *Form) open(r row) tea.Cmd {
	switch {
	case r.group == groupAdder && f.model.builder.list:
		f.model.insert(f.model.draft.root.Lookup(f.cfg.Path).Len(), zero(r.Node))
		return f.focusAdded()
	case r.group == groupAdder:
		f.askName(nil, "")
	case r.shape == shapeSubform, !f.model.builder.list && r.isPage():
		return func() tea.Msg { return OpenMsg{Path: r.Path} }
	case f.model.builder.list:
		f.model.editElement(r)
	}
	return nil
}

func external(r row) tea.Cmd {
	m := OpenEditorMsg{Path: r.Path, Text: r.Value.Text()}
	if r.shape == shapeExternalJSON || r.Value.Exists() && r.Value.Kind() != doc.String {
		m.JSON, m.Text = true, string(r.Value.Indent())
	}
	return func() tea.Msg { return m }
}

// askName opens the name input in place of the row's value.
func (f *Form) askName(rename doc.Path, name string) {
	n, ok := newNameInput(f.cfg.Theme, rename, name)
	if !ok {
		f.model.failure = "This name is too long to edit here. Edit the object as JSON."
		return
	}
	f.nameInput, f.model.field.editor = n, nil
}

func (f *Form) namingKey(msg tea.KeyMsg) {
	switch msg.String() {
	case "esc":
		f.model.failure = ""
		f.focus(f.model.cursor)
	case "enter", "tab":
		f.acceptName(f.nameInput.name())
	default:
		f.nameInput.in.key(msg)
		f.model.failure = ""
	}
}

func (f *Form) acceptName(name string) {
	if name == "" && f.nameInput.rename == nil {
		f.focus(f.model.cursor)
		return
	}
	p := f.cfg.Path.Child(name)
	root, err := f.nameInput.write(f.model.draft.root, p, f.model.builder.node)
	if err != nil {
		f.model.showError("use this name", err)
		return
	}
	f.nameInput = nil
	f.model.setRoot(root)
	if !f.model.focusPath(p) {
		f.focus(f.model.cursor)
	}
}

// listKey handles the keys that change a list.
func (f *Form) listKey(msg tea.KeyMsg, r row) bool {
	if f.model.field.editor != nil || r.group == groupUnknown {
		return false
	}
	isElement := r.group == groupFields
	switch {
	case key.Matches(msg, f.keys.Add):
		at := f.model.cursor + 1
		if !isElement {
			at = f.model.draft.root.Lookup(f.cfg.Path).Len()
		}
		f.model.insert(at, zero(r.Node))
	case !isElement:
		return false
	case key.Matches(msg, f.keys.Duplicate):
		f.model.insert(f.model.cursor+1, r.Value)
		f.model.field.added = false
	case key.Matches(msg, f.keys.Delete):
		f.model.remove(r)
	case key.Matches(msg, f.keys.MoveUp):
		f.model.moveElement(r, f.model.cursor-1)
	case key.Matches(msg, f.keys.MoveDown):
		f.model.moveElement(r, f.model.cursor+1)
	default:
		return false
	}
	return true
}

// focusAdded continues after an element was added: the screen opens an object, a value is edited in place.
func (f *Form) focusAdded() tea.Cmd {
	r, ok := f.model.focused()
	if !ok || !f.model.field.added {
		return nil
	}
	if r.shape == shapeSubform {
		f.model.field.added = false
		return func() tea.Msg { return OpenMsg{Path: r.Path} }
	}
	f.model.editElement(r)
	return nil
}

// mouse focuses the clicked row, and handles clicks in the focused one. The wheel moves the focus, or the
// highlight of an open list.
func (f *Form) mouse(msg tea.MouseMsg) tea.Cmd {
	if f.datePicker != nil {
		f.handleDatePicker(f.datePicker.mouse(msg))
		return nil
	}
	press := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	wheel := map[tea.MouseButton]int{tea.MouseButtonWheelUp: -1, tea.MouseButtonWheelDown: 1}[msg.Button]
	open, isMenu := f.model.field.menu()
	switch {
	case f.nameInput != nil:
		if i, _, ok := f.renderer().rowAt(msg.Y); press && ok && i != f.model.cursor {
			f.acceptName(f.nameInput.name())
		}
	case wheel != 0 && isMenu:
		open.step(wheel)
	case wheel != 0 && !f.Modal():
		f.model.move(f.model.cursor + wheel)
	case press:
		i, y, ok := f.renderer().rowAt(msg.Y)
		if !ok {
			return nil
		}
		if i == f.model.cursor {
			return f.press(msg.X, y)
		}
		if isMenu {
			f.key(tea.KeyMsg{Type: tea.KeyEsc})
		}
		f.inactive = false
		f.model.move(i)
	}
	return nil
}

// press handles a click in the focused row: it moves the cursor, chooses from a list, or opens the row.
func (f *Form) press(x, y int) tea.Cmd {
	if f.inactive { // the first click focuses the form
		f.inactive = false
		if r, _ := f.model.focused(); r.shape != shapeSubform {
			return nil
		}
	}
	taken, done := f.model.field.press(x-(f.layout.width-f.layout.valueWidth()), y)
	if taken {
		f.model.commit()
	}
	if taken && !done {
		return nil
	}
	return f.key(enterKey)
}

// openDatePicker opens the date picker at the row's time.
func (f *Form) openDatePicker(r row) {
	s, of := &f.model, ""
	if s.builder.list {
		of = s.builder.node.Label()
	}
	f.datePicker = newDatePicker(s.clock, f.cfg.Theme, s.field.before, r, s.field.text(r), of)
}

// handleDatePicker continues after a key or click in the date picker.
func (f *Form) handleDatePicker(o calendar.Outcome) {
	if o == calendar.Open {
		return
	}
	p := f.datePicker
	f.datePicker = nil
	if t, err := p.reading(); err == nil && o == calendar.Accepted {
		f.model.setValue(p.row, doc.NewString(t.Wire))
		return
	}
}

// pastedMsg has the content of the clipboard.
type pastedMsg struct {
	to   *Form
	text string
}

func (f *Form) readClipboard() tea.Msg {
	text, err := clipboard.ReadAll()
	if err != nil {
		text = ""
	}
	return pastedMsg{to: f, text: text}
}

func (f *Form) paste(text string) {
	switch {
	case f.nameInput == nil:
		f.model.paste(text)
	case len(text) > maxName:
		f.model.failure = "This text is too long for a name."
	default:
		f.nameInput.in.paste(text)
	}
}
