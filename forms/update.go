package forms

import (
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/forms/calendar"
)

// Update takes a key, a mouse event whose place is relative to the form's upper left corner, or
// a message of one of the form's commands.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	defer f.arrange()
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return f.key(msg)
	case tea.MouseMsg:
		return f.mouse(msg)
	case pasted:
		if msg.to == f {
			f.paste(msg.text)
		}
	}
	return nil
}

func (f *Form) key(msg tea.KeyMsg) tea.Cmd {
	s := &f.sheet
	if f.picking != nil {
		f.picked(f.picking.picker.Key(msg))
		return nil
	}
	if msg.String() == "enter" && f.naming == nil {
		s.settleTime()
	}
	if s.field.accept(msg) {
		s.absorb() // and on to the next field, as the key does
	}
	switch {
	case msg.Paste:
		f.paste(string(msg.Runes))
		return nil
	case msg.String() == "ctrl+v" && f.Typing():
		return f.readClipboard
	case f.naming != nil:
		f.namingKey(msg)
		return nil
	case s.field.ed != nil && s.field.ed.key(msg):
		s.absorb()
		if s.source.list && s.field.ed != nil && !s.field.ed.typing() {
			s.focus(s.at) // a choice is made
		}
		return nil
	case s.source.list && s.field.ed != nil && (key.Matches(msg, f.keys.Open) || msg.String() == "esc"):
		s.leave()
		s.focus(s.at)
		return nil
	}
	return f.command(msg)
}

// command takes the keys that the focused field has no use for.
func (f *Form) command(msg tea.KeyMsg) tea.Cmd {
	r, ok := f.sheet.focused()
	to, moves := f.keys.target(msg, f.sheet.at, len(f.sheet.rows), f.layout.step())
	acts := f.actions()
	if ok && r.locked != "" { // letters move there, as in a list
		down := map[string]int{"j": 1, "k": -1}[msg.String()]
		switch {
		case key.Matches(msg, f.keys.Open) && r.shape == entry:
			return f.open(r)
		case moves || down != 0:
			f.sheet.move(to + down)
		}
		return nil
	}
	switch {
	case ok && key.Matches(msg, f.keys.Open) && key.Matches(msg, acts.activate()):
		return f.open(r)
	case ok && key.Matches(msg, f.keys.Calendar) && acts.pickable():
		f.pick(r)
	case ok && key.Matches(msg, f.keys.Editor) && r.isText() && (msg.String() != "e" || !f.Typing()):
		return external(r)
	case ok && f.sheet.source.list && f.listKey(msg, r):
		return f.opened()
	case moves:
		f.sheet.move(to)
	case ok && acts.removes && key.Matches(msg, f.keys.RemoveOne):
		f.sheet.remove(r)
	case ok && acts.removes && key.Matches(msg, f.keys.RemoveAll):
		f.sheet.removeHidden()
	case key.Matches(msg, f.keys.Remove) && ok && r.group != adder:
		f.sheet.remove(r)
	case key.Matches(msg, f.keys.Rename) && r.free && !f.sheet.source.list:
		f.askName(r.Path, r.Path.Last().Name)
	}
	return nil
}

// open does what Enter does at a row: it opens an entry, asks for a name, edits an element.
func (f *Form) open(r row) tea.Cmd {
	switch {
	case r.group == adder && f.sheet.source.list:
		f.sheet.insert(f.sheet.draft.root.Lookup(f.cfg.Path).Len(), zero(r.Node))
		return f.opened()
	case r.group == adder:
		f.askName(nil, "")
	case r.shape == entry:
		return func() tea.Msg { return OpenMsg{Path: r.Path} }
	case f.sheet.source.list:
		f.sheet.editElement(r)
	}
	return nil
}

func external(r row) tea.Cmd {
	m := OpenEditorMsg{Path: r.Path, Text: r.Value.Text()}
	if r.shape == raw || r.Value.Exists() && r.Value.Kind() != doc.String {
		m.JSON, m.Text = true, string(r.Value.Indent())
	}
	return func() tea.Msg { return m }
}

// askName opens an input for a name in the place of the row's value.
func (f *Form) askName(rename doc.Path, name string) {
	n, ok := newNaming(f.sheet.look, rename, name)
	if !ok {
		f.sheet.failure = "This name is too long to edit here. Edit the object as JSON."
		return
	}
	f.naming, f.sheet.field.ed = n, nil
}

func (f *Form) namingKey(msg tea.KeyMsg) {
	switch msg.String() {
	case "esc":
		f.sheet.failure = ""
		f.focus(f.sheet.at)
	case "enter", "tab":
		f.takeName(f.naming.name())
	default:
		f.naming.in.key(msg)
		f.sheet.failure = ""
	}
}

func (f *Form) takeName(name string) {
	if name == "" && f.naming.rename == nil {
		f.focus(f.sheet.at)
		return
	}
	p := f.cfg.Path.Child(name)
	root, err := f.naming.write(f.sheet.draft.root, p, f.sheet.source.node)
	if err != nil {
		f.sheet.refuse("use this name", err)
		return
	}
	f.naming = nil
	f.sheet.setRoot(root)
	if !f.sheet.focusPath(p) {
		f.focus(f.sheet.at)
	}
}

// listKey takes the keys that change a list.
func (f *Form) listKey(msg tea.KeyMsg, r row) bool {
	if f.sheet.field.ed != nil || r.group == unknown {
		return false
	}
	isElement := r.group == shown
	switch {
	case key.Matches(msg, f.keys.Add):
		at := f.sheet.at + 1
		if !isElement {
			at = f.sheet.draft.root.Lookup(f.cfg.Path).Len()
		}
		f.sheet.insert(at, zero(r.Node))
	case !isElement:
		return false
	case key.Matches(msg, f.keys.Duplicate):
		f.sheet.insert(f.sheet.at+1, r.Value)
		f.sheet.field.added = false
	case key.Matches(msg, f.keys.Delete):
		f.sheet.remove(r)
	case key.Matches(msg, f.keys.MoveUp):
		f.sheet.shift(r, f.sheet.at-1)
	case key.Matches(msg, f.keys.MoveDown):
		f.sheet.shift(r, f.sheet.at+1)
	default:
		return false
	}
	return true
}

// opened goes on after an element was added: an object is opened by the screen, a value is edited
// in its place.
func (f *Form) opened() tea.Cmd {
	r, ok := f.sheet.focused()
	if !ok || !f.sheet.field.added {
		return nil
	}
	if r.shape == entry {
		f.sheet.field.added = false
		return func() tea.Msg { return OpenMsg{Path: r.Path} }
	}
	f.sheet.editElement(r)
	return nil
}

// mouse focuses the row that is pressed, and does what is pressed in the focused one. The wheel
// moves the focus, or the highlight of an open list.
func (f *Form) mouse(msg tea.MouseMsg) tea.Cmd {
	if f.picking != nil {
		f.picked(f.picking.mouse(msg))
		return nil
	}
	press := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	wheel := map[tea.MouseButton]int{tea.MouseButtonWheelUp: -1, tea.MouseButtonWheelDown: 1}[msg.Button]
	open, isMenu := f.sheet.field.menu()
	switch {
	case f.naming != nil:
	case wheel != 0 && isMenu:
		open.step(wheel)
	case wheel != 0 && !f.Modal():
		f.sheet.move(f.sheet.at + wheel)
	case press:
		i, y, ok := f.painter().rowAt(msg.Y)
		if !ok {
			return nil
		}
		if i == f.sheet.at {
			return f.press(msg.X, y)
		}
		if isMenu {
			f.key(tea.KeyMsg{Type: tea.KeyEsc})
		}
		f.resting = false
		f.sheet.move(i)
	}
	return nil
}

// press does what is pressed in the focused row: it puts the cursor there, chooses from a list, or
// opens the row.
func (f *Form) press(x, y int) tea.Cmd {
	if f.resting { // the first press focuses the form
		f.resting = false
		if r, _ := f.sheet.focused(); r.shape != entry {
			return nil
		}
	}
	taken, done := f.sheet.field.press(x-(f.layout.width-f.layout.valueWidth()), y, f.layout.valueWidth())
	if taken {
		f.sheet.absorb()
	}
	if taken && !done {
		return nil
	}
	return f.key(tea.KeyMsg{Type: tea.KeyEnter})
}

// pick opens the calendar at the time that the row holds.
func (f *Form) pick(r row) {
	s, of := &f.sheet, ""
	if s.source.list {
		of = s.source.node.Label()
	}
	f.picking = newPicking(s.clock, f.cfg.Theme, s.field.before, r, s.field.text(r), of)
}

// picked goes on after a key or click in the calendar.
func (f *Form) picked(o calendar.Outcome) {
	if o == calendar.Open {
		return
	}
	p := f.picking
	f.picking = nil
	if t, err := p.reading(); err == nil && o == calendar.Taken {
		f.sheet.take(p.row, doc.NewString(t.Wire))
		return
	}
}

// pasted is what the clipboard held when the person asked for it.
type pasted struct {
	to   *Form
	text string
}

func (f *Form) readClipboard() tea.Msg {
	text, err := clipboard.ReadAll()
	if err != nil {
		text = ""
	}
	return pasted{to: f, text: text}
}

func (f *Form) paste(text string) {
	switch {
	case f.naming == nil:
		f.sheet.paste(text)
	case text != "" && len(text) <= maxPaste:
		f.naming.in.paste(text)
	}
}
