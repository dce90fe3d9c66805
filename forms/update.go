package forms

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/forms/textfield"
)

// Update handles a key, or a mouse event relative to the form's upper left corner.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return f.key(msg)
	case tea.MouseMsg:
		return f.mouse(msg)
	}
	return nil
}

// enterKey is the key that accepts.
var enterKey = tea.KeyMsg{Type: tea.KeyEnter}

func (f *Form) key(msg tea.KeyMsg) tea.Cmd {
	pressed := msg.String()
	if f.calendar != nil {
		f.calendarKey(pressed)
		return nil
	}
	if in, ok := f.editor.(*textEditor); ok && in.acceptsOn(pressed) && in.accept() {
		f.commit() // and on to the next field, as the key does
	}
	switch {
	case msg.Paste:
		f.paste(string(msg.Runes))
		return nil
	case pressed == "ctrl+v" && f.Typing():
		return textfield.ReadClipboard
	case f.name != nil:
		f.nameKey(msg)
		return nil
	case f.editor != nil && f.editor.key(msg):
		f.commit()
		return nil
	}
	for _, a := range f.actions() {
		if a.run != nil && slices.Contains(a.keys, pressed) {
			return a.run(pressed)
		}
	}
	return nil
}

func (f *Form) nameKey(msg tea.KeyMsg) {
	switch msg.String() {
	case "esc":
		f.failure = ""
		f.focus(f.cursor)
	case "enter", "tab":
		f.acceptName()
	default:
		f.name.key(msg)
		f.failure = ""
	}
}

// mouse focuses the clicked row, and handles clicks in the focused one. The wheel moves the focus, or the
// highlight of an open list.
func (f *Form) mouse(msg tea.MouseMsg) tea.Cmd {
	if f.calendar != nil {
		msg.X, msg.Y = msg.X-calendarIndent, msg.Y-1
		if f.calendar.Mouse(msg) {
			f.calendarKey("enter")
		}
		return nil
	}
	wheel := map[tea.MouseButton]int{tea.MouseButtonWheelUp: -1, tea.MouseButtonWheelDown: 1}[msg.Button]
	menu, _ := f.editor.(*choice)
	if in, ok := f.editor.(*textEditor); ok && f.page {
		in.scroll(wheel * wheelLines)
		return nil
	}
	f.arrange()
	switch {
	case wheel != 0 && menu != nil && menu.modal():
		menu.wheel(wheel)
		return nil
	case wheel != 0 && !f.Modal():
		f.move(f.cursor + wheel)
		return nil
	case msg.Button != tea.MouseButtonLeft || msg.Action != tea.MouseActionPress:
		return nil
	}
	i, y, ok := f.rowAt(msg.Y)
	switch {
	case !ok, f.name != nil && i == f.cursor:
	case f.name != nil:
		f.acceptName()
	case i == f.cursor:
		return f.press(msg.X, y)
	default:
		if menu != nil && menu.modal() {
			f.key(tea.KeyMsg{Type: tea.KeyEsc})
		}
		f.inactive = false
		f.move(i)
	}
	return nil
}

// press handles a click in the focused row: it moves the cursor, chooses from a list, or opens the row.
func (f *Form) press(x, y int) tea.Cmd {
	if f.inactive { // the first click focuses the form
		f.inactive = false
		if r, _ := f.focused(); r.Shape != shapeSubform {
			return nil
		}
	}
	switch ed := f.editor.(type) {
	case *textEditor:
		completed := ed.press(x-(f.layout.width-f.layout.valueWidth()), y)
		f.commit()
		if !completed {
			return nil
		}
	case *choice:
		if ed.modal() {
			ed.chooseAt(y)
			f.commit()
			return nil
		}
	}
	return f.key(enterKey)
}
