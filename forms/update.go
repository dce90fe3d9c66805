package forms

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
)

// Update takes a key, a mouse event whose place is relative to the form's upper left corner, or
// a message that a command of the form gave.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
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
	if f.picking != nil {
		f.pickingKey(msg)
		return nil
	}
	if msg.String() == "enter" && f.naming == nil {
		f.settleTime()
	}
	if in, ok := f.ed.(*input); ok && f.naming == nil && !in.expr.open() && accepts(msg, in) && in.accept() {
		f.absorb() // and on to the next field, as the key does
	}
	switch {
	case msg.Paste:
		f.paste(string(msg.Runes))
		return nil
	case msg.String() == "ctrl+v" && f.Typing():
		return f.readClipboard
	case f.naming != nil:
		return f.namingKey(msg)
	case f.ed != nil && f.ed.key(msg):
		f.absorb()
		if f.list && f.ed != nil && !f.ed.typing() {
			f.focus(f.at) // a choice is made
		}
		return nil
	case f.list && f.ed != nil:
		return f.elementKey(msg)
	}
	return f.command(msg)
}

// accepts reports the keys that leave a field with what is highlighted in its list: Enter, and Tab
// once something is typed.
func accepts(msg tea.KeyMsg, in *input) bool {
	switch msg.String() {
	case "enter":
		return !in.many
	case "tab":
		return in.text != in.start
	}
	return false
}

// command takes the keys that the focused field has no use for.
func (f *Form) command(msg tea.KeyMsg) tea.Cmd {
	r, ok := f.focusedRow()
	if ok && r.locked != "" {
		return f.lockedKey(msg, r)
	}
	if ok {
		if key.Matches(msg, f.keys.Open) && key.Matches(msg, f.activate(r)) {
			return f.open(r)
		}
		if key.Matches(msg, f.keys.Calendar) && f.pickable(r) {
			f.pick(r)
			return nil
		}
		if key.Matches(msg, f.keys.Editor) && f.rowIsText(r) && (msg.String() != "e" || !f.Typing()) {
			return f.external(r)
		}
		if f.list && f.listKey(msg, r) {
			return f.opened()
		}
	}
	switch {
	case f.moveKey(msg):
	case ok && f.removable(r) && key.Matches(msg, f.keys.RemoveOne):
		f.remove(r)
	case ok && f.removable(r) && key.Matches(msg, f.keys.RemoveAll):
		f.RemoveHidden()
	case key.Matches(msg, f.keys.Remove) && ok && r.group != adder:
		f.remove(r)
	case key.Matches(msg, f.keys.Rename) && r.free && !f.list:
		f.askName(&naming{rename: r.Path}, r.Path.Last().Name)
	}
	return nil
}

// lockedKey takes the keys of a row that may not be changed: letters move there, as in a list.
func (f *Form) lockedKey(msg tea.KeyMsg, r row) tea.Cmd {
	switch {
	case key.Matches(msg, f.keys.Open) && r.shape == entry:
		return f.open(r)
	case msg.String() == "j":
		f.move(f.at + 1)
	case msg.String() == "k":
		f.move(f.at - 1)
	default:
		f.moveKey(msg)
	}
	return nil
}

// moveKey takes the keys that go to another row.
func (f *Form) moveKey(msg tea.KeyMsg) bool {
	switch {
	case key.Matches(msg, f.keys.Next):
		f.move(f.at + 1)
	case key.Matches(msg, f.keys.Prev):
		f.move(f.at - 1)
	case key.Matches(msg, f.keys.PageDown):
		f.move(f.at + f.page())
	case key.Matches(msg, f.keys.PageUp):
		f.move(f.at - f.page())
	case key.Matches(msg, f.keys.First):
		f.move(0)
	case key.Matches(msg, f.keys.Last):
		f.move(len(f.rows) - 1)
	default:
		return false
	}
	return true
}

func (f *Form) page() int { return max(f.cfg.Height-3, 1) }

// move focuses another row; past either end it stays.
func (f *Form) move(i int) {
	i = max(min(i, len(f.rows)-1), 0)
	if i == f.at {
		return
	}
	n := len(f.rows)
	f.leave()
	if len(f.rows) < n && i > f.at {
		i--
	}
	f.focus(i)
}

func (f *Form) remove(r row) {
	root := f.without(f.root, r.Path)
	for _, p := range r.parts {
		root = f.without(root, p)
	}
	f.setRoot(root)
	if now, ok := f.focusedRow(); ok && now.group == adder && f.at > 0 {
		f.at-- // the last element or member went: stay among them
	}
	f.focus(f.at)
}

// open does what Enter does at a row: it opens an entry, asks for a name, edits an element.
func (f *Form) open(r row) tea.Cmd {
	switch {
	case r.group == adder && f.list:
		f.insert(f.root.Lookup(f.cfg.Path).Len(), zero(r.Node))
		return f.opened()
	case r.group == adder:
		f.askName(&naming{}, "")
	case r.shape == entry:
		return func() tea.Msg { return OpenMsg{Path: r.Path} }
	case f.list:
		f.editElement(r)
	}
	return nil
}

// editElement edits an element of a list in its place; what is chosen from a list opens at once.
func (f *Form) editElement(r row) {
	f.ed, f.before = f.newEditor(r), f.root
	if f.ed != nil && !f.ed.typing() {
		f.ed.key(tea.KeyMsg{Type: tea.KeyEnter})
	}
	f.arrange()
}

func (f *Form) external(r row) tea.Cmd {
	m := EditMsg{Path: r.Path, Text: r.Value.Text()}
	if r.shape == raw || r.Value.Exists() && r.Value.Kind() != doc.String {
		m.JSON, m.Text = true, string(r.Value.Indent())
	}
	return func() tea.Msg { return m }
}

// askName opens an input for a name in the place of the row's value.
func (f *Form) askName(n *naming, name string) {
	ed, ok := newInput(f.look, name, "name", nil, doc.NewString)
	if !ok {
		f.failure = "This name is too long to edit here. Edit the object as JSON."
		f.arrange()
		return
	}
	f.naming, f.ed = n, ed
	f.arrange()
}

func (f *Form) namingKey(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		f.failure = ""
		f.focus(f.at)
	case "enter", "tab":
		f.takeName(unpack(f.ed.(*input).text))
	default:
		f.ed.key(msg)
		f.failure = ""
		f.arrange()
	}
	return nil
}

func (f *Form) takeName(name string) {
	var root doc.Value
	var err error
	p := f.cfg.Path.Child(name)
	switch {
	case name == "" && f.naming.rename == nil:
		f.focus(f.at)
		return
	case f.naming.rename != nil:
		root, err = f.root.Rename(f.naming.rename, name)
	case f.root.Lookup(p).Exists():
		err = fmt.Errorf("a field named %q already exists", name)
	default:
		child := f.node.Child(name)
		root, err = f.root.Set(p, zero(child))
	}
	if err != nil {
		f.failure = "Cannot use this name: " + err.Error() + "."
		f.arrange()
		return
	}
	f.naming, f.ed = nil, nil
	f.setRoot(root)
	if !f.FocusPath(p) {
		f.focus(f.at)
	}
}

// elementKey takes the keys that end the editing of a list's element.
func (f *Form) elementKey(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, f.keys.Open), msg.String() == "esc":
		f.leave()
		f.focus(f.at)
		return nil
	}
	return f.command(msg)
}

// listKey takes the keys that change a list.
func (f *Form) listKey(msg tea.KeyMsg, r row) bool {
	if f.ed != nil || r.group == unknown {
		return false
	}
	isElement := r.group == shown
	switch {
	case key.Matches(msg, f.keys.Add):
		at := f.at + 1
		if !isElement {
			at = f.root.Lookup(f.cfg.Path).Len()
		}
		f.insert(at, zero(r.Node))
	case !isElement:
		return false
	case key.Matches(msg, f.keys.Duplicate):
		f.insert(f.at+1, r.Value)
		f.added = false
	case key.Matches(msg, f.keys.Delete):
		f.remove(r)
	case key.Matches(msg, f.keys.MoveUp):
		f.shift(r, f.at-1)
	case key.Matches(msg, f.keys.MoveDown):
		f.shift(r, f.at+1)
	default:
		return false
	}
	return true
}

func (f *Form) insert(i int, v doc.Value) {
	root, err := f.root.Insert(f.cfg.Path.Elem(i), v)
	if err != nil {
		f.failure = "Cannot add an entry: " + err.Error() + "."
		f.arrange()
		return
	}
	f.setRoot(root)
	f.focus(i)
	f.added = true
}

func (f *Form) shift(r row, to int) {
	root, err := f.root.Move(r.Path, to)
	if err != nil {
		return // it is the first or last already
	}
	f.setRoot(root)
	f.focus(to)
}

// opened goes on after an element was added: an object is opened by the screen, a value is edited
// in its place.
func (f *Form) opened() tea.Cmd {
	r, ok := f.focusedRow()
	if !ok || !f.added {
		return nil
	}
	if r.shape == entry {
		f.added = false
		return func() tea.Msg { return OpenMsg{Path: r.Path} }
	}
	f.editElement(r)
	return nil
}

// mouse focuses the row that is pressed, and does what is pressed in the focused one. The wheel
// moves the focus, or the highlight of an open list.
func (f *Form) mouse(msg tea.MouseMsg) tea.Cmd {
	if f.picking != nil {
		f.pickingMouse(msg)
		return nil
	}
	press := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	wheel := map[tea.MouseButton]int{tea.MouseButtonWheelUp: -1, tea.MouseButtonWheelDown: 1}[msg.Button]
	open, isMenu := f.ed.(menuEditor)
	isMenu = isMenu && f.ed.modal()
	switch {
	case f.naming != nil:
	case wheel != 0 && isMenu:
		open.step(wheel)
	case wheel != 0 && !f.Modal():
		f.move(f.at + wheel)
	case press:
		i, y, ok := f.rowAt(msg.Y)
		if !ok {
			return nil
		}
		if i == f.at {
			return f.press(msg.X, y)
		}
		if isMenu {
			f.key(tea.KeyMsg{Type: tea.KeyEsc})
		}
		f.resting = false
		f.move(i)
	}
	return nil
}

// rowAt returns the row on line y of the form as it was drawn last, and the line within the row,
// from the first line of its value on.
func (f *Form) rowAt(y int) (i, within int, ok bool) {
	total := 0
	if n := len(f.spans); n > 0 {
		total = f.spans[n-1].to
	}
	y -= len(f.head())
	if y < 0 || y >= f.body(total) {
		return 0, 0, false
	}
	line := f.top + y
	i = slices.IndexFunc(f.spans, func(s span) bool { return line >= s.from && line < s.to })
	if i < 0 {
		return 0, 0, false
	}
	line -= f.spans[i].from
	if f.heading(i) != "" {
		line--
	}
	if f.isNarrow() && f.rows[i].group != adder {
		line--
	}
	return i, line, true
}

// press does what is pressed in the focused row: it puts the cursor there, chooses from a list, or
// opens the row.
func (f *Form) press(x, y int) tea.Cmd {
	if f.resting { // the first press focuses the form
		f.resting = false
		if r, _ := f.focusedRow(); r.shape != entry {
			f.arrange()
			return nil
		}
	}
	x -= f.cfg.Width - f.valueWidth()
	switch ed := f.ed.(type) {
	case *input:
		if ed.press(x, y, f.valueWidth()) {
			f.absorb()
			f.key(tea.KeyMsg{Type: tea.KeyEnter})
			return nil
		}
		f.absorb()
		return nil
	case *area:
		if i, ok := ed.expr.list.RowAt(y - ed.height); ok && ed.expr.open() && ed.expr.list.Highlight(i) {
			ed.expr.take(&ed.buffer)
			f.absorb()
		}
		return nil
	case menuEditor:
		if !f.ed.modal() {
			break
		}
		if ed.hit(y) {
			f.absorb()
		}
		f.arrange()
		return nil
	}
	return f.key(tea.KeyMsg{Type: tea.KeyEnter})
}
