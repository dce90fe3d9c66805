package forms

import (
	"slices"

	"bugle/engine/doc"
	"bugle/forms/textfield"
)

// focused returns the focused row.
func (f *Form) focused() (row, bool) {
	if f.cursor < 0 || f.cursor >= len(f.rows) {
		return row{}, false
	}
	return f.rows[f.cursor], true
}

// focus moves to a row and creates its editor. It closes the calendar and the input of a name.
func (f *Form) focus(i int) {
	f.buildRows() // a row that was edited has the shape of its value again
	f.cursor = max(min(i, len(f.rows)-1), 0)
	f.name, f.calendar, f.editor, f.before = nil, nil, nil, f.root
	if r, ok := f.focused(); ok && !f.list {
		f.editor = f.newEditor(r)
	}
}

// move focuses another row, stopping at either end.
func (f *Form) move(i int) {
	i = max(min(i, len(f.rows)-1), 0)
	if r, _ := f.focused(); i == f.cursor {
		if isTime(r) {
			f.focus(i) // shows a typed time in the document's format
		}
		return
	}
	f.focus(i)
}

// commit writes the value of the focused row's editor to the document.
func (f *Form) commit() {
	r, ok := f.focused()
	if !ok || f.editor == nil {
		return
	}
	v, changed := f.editor.value()
	if !changed {
		f.setRoot(f.before)
		return
	}
	if _, typed := f.editor.(*textEditor); typed {
		v = f.typedValue(f.before, r, v.Text())
	}
	f.apply("change this field", func() (doc.Value, error) { return f.write(f.before, r, v) })
}

// apply sets the document that a change results in, or shows why it failed. It reports whether it succeeded.
func (f *Form) apply(what string, change func() (doc.Value, error)) bool {
	root, err := change()
	if err != nil {
		f.failure = "Cannot " + what + ": " + err.Error() + "."
		return false
	}
	f.setRoot(root)
	return true
}

// setRoot sets a new document and rebuilds the rows, because a change may show and hide fields.
func (f *Form) setRoot(root doc.Value) {
	f.failure = ""
	if root.Same(f.root) {
		return
	}
	f.root = root
	f.refresh()
}

// refresh rebuilds the rows and keeps the focus on its field with its editor.
func (f *Form) refresh() {
	old, had := f.focused()
	f.buildRows()
	at := slices.IndexFunc(f.rows, func(r row) bool {
		return had && r.Path.Equal(old.Path) && (r.group == groupAdder) == (old.group == groupAdder)
	})
	switch {
	case at >= 0:
		if f.cursor = at; f.editor != nil { // which stays, whatever its text is now
			in := &f.rows[at].Input
			in.Shape, in.Write, in.Read, in.Offers = old.Shape, old.Write, old.Read, old.Offers
		}
	case had:
		f.cursor = max(min(f.cursor, len(f.rows)-1), 0)
		f.editor = nil
	}
}

// keepsText keeps the field of several lines in the focused row after the document was replaced, with its cursor, and
// reports whether it could: if its text is that of the new document.
func (f *Form) keepsText() bool {
	r, ok := f.focused()
	in, is := f.editor.(*textEditor)
	if !ok || !is || !in.area || in.Text() != r.Value.Text() || r.Shape != shapePage && shapeOf(r.FieldState) != shapeTextArea {
		return false
	}
	in.start = in.Text()
	f.before = f.root
	return true
}

// setValue writes a value that was not chosen in the row's editor.
func (f *Form) setValue(r row, v doc.Value) {
	if f.apply("change this field", func() (doc.Value, error) { return f.set(f.root, r.Path, v) }) {
		f.focus(f.cursor)
	}
}

// remove removes the value of a row.
func (f *Form) remove(r row) {
	if !f.apply("remove this value", func() (doc.Value, error) {
		if r.group == groupFields {
			return f.write(f.root, r, doc.Value{})
		}
		return f.without(f.root, r.Path), nil
	}) {
		return
	}
	if now, ok := f.focused(); ok && now.group == groupAdder && f.cursor > 0 {
		f.cursor-- // the last element or field was removed: stay among the others
	}
	f.focus(f.cursor)
}

// insert inserts an element into a list before the one at i.
func (f *Form) insert(i int, v doc.Value) {
	if f.apply("add an entry", func() (doc.Value, error) { return f.root.Insert(f.cfg.Path.Elem(i), v) }) {
		f.focus(i)
	}
}

// moveElement moves an element of a list; the first one stays first, and the last one last.
func (f *Form) moveElement(r row, to int) {
	if root, err := f.root.Move(r.Path, to); err == nil {
		f.setRoot(root)
		f.focus(to)
	}
}

// paste inserts a text into the field being edited. What becomes too long for it is edited externally from then on.
func (f *Form) paste(text string) {
	if f.name != nil {
		if len(text) > maxName {
			f.failure = "This text is too long for a name."
			return
		}
		f.name.paste(text)
		return
	}
	r, _ := f.focused()
	in, ok := f.editor.(*textEditor)
	if !ok || text == "" {
		return
	}
	if before, after := in.Split(); in.area && tooLong(before+text+after, r.Shape) {
		f.setValue(r, doc.NewString(before+textfield.Lines(text)+after))
		return
	}
	in.paste(text)
	f.commit()
	if tooLong(in.Text(), r.Shape) {
		f.focus(f.cursor)
	}
}

// hiddenPaths returns the paths of unused values: fields of other templates, and fields that are not in the
// schema.
func (f *Form) hiddenPaths() []doc.Path {
	var out []doc.Path
	for _, r := range f.rows {
		if f.removable(r) {
			out = append(out, r.Path)
		}
	}
	return out
}

// removeHidden removes every unused value and returns how many there were.
func (f *Form) removeHidden() int {
	root, hidden := f.root, f.hiddenPaths()
	for _, p := range hidden {
		root = f.without(root, p)
	}
	f.setRoot(root)
	f.focus(f.cursor)
	return len(hidden)
}

// changedText returns the text of a text field, and whether the user changed it.
func (f *Form) changedText() (string, bool) {
	in, ok := f.editor.(*textEditor)
	if !ok || in.area || !in.changed() {
		return "", false
	}
	return in.Text(), true
}

// text returns the current text of a row.
func (f *Form) text(r row) string {
	if text, ok := f.changedText(); ok {
		return text
	}
	return r.Text
}
