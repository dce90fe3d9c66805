package forms

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/forms/textfield"
)

// rowModel is a document as rows, with a cursor and the field being edited.
type rowModel struct {
	builder  rowBuilder
	clock    timeFields
	style    widgetStyle
	draft    draft
	problems problems
	failure  string // why the last change failed

	rows    []row
	inlined []doc.Path // the inlined objects
	cursor  int        // the focused row
	field   field

	width, lines int // available size of an editor
}

// newRowModel returns a model without focus: see focus.
func newRowModel(cfg *Config) rowModel {
	s := rowModel{builder: newRowBuilder(cfg), clock: timeFields{cfg}, style: newWidgetStyle(cfg.Theme), problems: problems{cfg: cfg}}
	s.draft = draft{root: cfg.Root, base: cfg.Root, origin: cfg.Root}
	s.refresh()
	return s
}

// focused returns the focused row.
func (s *rowModel) focused() (row, bool) {
	if s.cursor < 0 || s.cursor >= len(s.rows) {
		return row{}, false
	}
	return s.rows[s.cursor], true
}

// focus moves to a row and creates its editor.
func (s *rowModel) focus(i int) {
	s.reshape(s.cursor)
	s.cursor = max(min(i, len(s.rows)-1), 0)
	s.reshape(s.cursor)
	s.field = field{before: s.draft.root}
	if r, ok := s.focused(); ok && !s.builder.list {
		s.field.editor = s.newEditor(r)
	}
}

// reshape sets the shape of a row that is no longer edited from its current value.
func (s *rowModel) reshape(i int) {
	if i < len(s.rows) && s.rows[i].group == groupFields && s.rows[i].shape != shapeTimespan && s.rows[i].input == nil {
		s.rows[i].shape = shapeOf(s.rows[i].FieldState)
	}
}

// endEdit ends the editing of the focused row, before the focus moves.
func (s *rowModel) endEdit() {
	r, ok := s.focused()
	if !ok || !s.field.added || r.Value.Text() != "" || r.Value.Kind() != doc.String {
		return
	}
	s.field.added = false
	s.setRoot(s.draft.root.Delete(r.Path)) // added and left empty
}

// focusPath focuses the field at p, or the one that contains p. It returns false if there is none.
func (s *rowModel) focusPath(p doc.Path) bool {
	s.endEdit()
	i := slices.IndexFunc(s.rows, func(r row) bool { return r.group != groupAdder && r.contains(p) })
	if i < 0 && slices.ContainsFunc(s.inlined, p.Equal) {
		i = slices.IndexFunc(s.rows, func(r row) bool { return r.Path.HasPrefix(p) })
	}
	if i >= 0 {
		s.focus(i)
	}
	return i >= 0
}

// move focuses another row, stopping at either end.
func (s *rowModel) move(i int) {
	i = max(min(i, len(s.rows)-1), 0)
	if i == s.cursor {
		return
	}
	n := len(s.rows)
	s.endEdit()
	if len(s.rows) < n && i > s.cursor {
		i--
	}
	s.focus(i)
}

// commit writes the value of the focused row's editor to the document.
func (s *rowModel) commit() {
	r, ok := s.focused()
	if !ok || s.field.editor == nil {
		return
	}
	v, changed := s.field.editor.value()
	if !changed {
		s.setRoot(s.field.before)
		return
	}
	if _, typed := s.field.editor.(*textEditor); typed && r.shape != shapeTimespan && r.input == nil {
		v = s.typedValue(r, v.Text())
	}
	var root doc.Value
	var err error
	switch {
	case r.input != nil:
		root, err = s.writeInput(r, v)
	case r.shape == shapeTimespan:
		root = s.draft.writeSpan(s.field.before, r, v.Text(), s.builder.names.timespanDates(r))
	case r.flags != nil:
		root, err = s.draft.writeFlag(s.field.before, r, v)
	default:
		root, err = s.draft.write(s.field.before, r.Path, v)
	}
	if err != nil {
		s.showError("change this field", err)
		return
	}
	s.setRoot(s.builder.names.writeDerived(root, r))
}

// setRoot sets a new document and rebuilds the rows, because a change may show and hide fields.
func (s *rowModel) setRoot(root doc.Value) {
	s.failure = ""
	if root.Same(s.draft.root) {
		return
	}
	s.draft.root = root
	s.refresh()
}

// refresh rebuilds the rows and keeps the focus on its field with its editor.
func (s *rowModel) refresh() {
	old, had := s.focused()
	s.rows, s.inlined = s.builder.rows(s.draft.root)
	if had {
		kept := false
		for i, r := range s.rows {
			if r.Path.Equal(old.Path) && r.sameInput(old) && (r.group == groupAdder) == (old.group == groupAdder) {
				s.cursor, kept = i, true
				if s.field.editor != nil {
					s.rows[i].shape = old.shape // whatever its text is now
				}
				break
			}
		}
		if !kept {
			s.cursor = max(min(s.cursor, len(s.rows)-1), 0)
			s.field.editor = nil
		}
	}
	s.problems.check(s.draft.root)
}

// keepsText keeps the field of several lines in the focused row after the document was replaced, with its cursor, and
// reports whether it could: if its text is that of the new document.
func (s *rowModel) keepsText() bool {
	r, ok := s.focused()
	in, is := s.field.editor.(*textEditor)
	if !ok || !is || !in.area || in.Text() != r.Value.Text() || shapeOf(r.FieldState) != shapeTextArea {
		return false
	}
	in.start = in.Text()
	s.field.before = s.draft.root
	return true
}

// normalizeTime replaces a typed time by the document's format.
func (s *rowModel) normalizeTime() {
	r, ok := s.focused()
	text, typed := s.field.changedText()
	if !ok || !typed {
		return
	}
	if wire, ok := s.clock.timeValue(s.field.before, r, text); ok && wire != text {
		s.commit()
		if r, ok = s.focused(); ok && s.builder.list {
			s.editElement(r)
			return
		}
		s.focus(s.cursor)
	}
}

// setValue writes a value that was not chosen in the row's editor.
func (s *rowModel) setValue(r row, v doc.Value) {
	root, err := s.draft.write(s.draft.root, r.Path, v)
	if err != nil {
		s.showError("change this field", err)
		return
	}
	s.field.editor = nil
	s.setRoot(root)
	s.focus(s.cursor)
}

// remove removes the value of a row.
func (s *rowModel) remove(r row) {
	if r.input != nil && r.group == groupFields {
		root, err := s.builder.cfg.Inputs.Write(s.draft.root, *r.input, "")
		if err != nil {
			s.showError("remove this value", err)
			return
		}
		s.setRoot(root)
		s.focus(s.cursor)
		return
	}
	root := s.draft.without(s.draft.root, r.Path)
	for _, p := range r.paths {
		root = s.draft.without(root, p)
	}
	s.setRoot(root)
	if now, ok := s.focused(); ok && now.group == groupAdder && s.cursor > 0 {
		s.cursor-- // the last element or field was removed: stay among the others
	}
	s.focus(s.cursor)
}

// insert inserts an element into a list before the one at i.
func (s *rowModel) insert(i int, v doc.Value) {
	root, err := s.draft.root.Insert(s.builder.cfg.Path.Elem(i), v)
	if err != nil {
		s.showError("add an entry", err)
		return
	}
	s.setRoot(root)
	s.focus(i)
	s.field.added = true
}

// moveElement moves an element of a list.
func (s *rowModel) moveElement(r row, to int) {
	root, err := s.draft.root.Move(r.Path, to)
	if err != nil {
		return // it is the first or last one
	}
	s.setRoot(root)
	s.focus(to)
}

// editElement edits an element of a list in place; a choice is opened at once.
func (s *rowModel) editElement(r row) {
	s.field.editor, s.field.before = s.newEditor(r), s.draft.root
	if s.field.editor != nil && !s.field.editor.typing() {
		s.field.editor.key(tea.KeyMsg{Type: tea.KeyEnter})
	}
}

// paste inserts a text into the field being edited. What becomes too long for it is edited externally from then on.
func (s *rowModel) paste(text string) {
	r, _ := s.focused()
	in, ok := s.field.editor.(*textEditor)
	if !ok || text == "" {
		return
	}
	if before, after := in.Split(); in.area && tooLong(before+text+after, true) {
		s.setValue(r, doc.NewString(before+textfield.Lines(text)+after))
		return
	}
	in.paste(text)
	s.commit()
	if tooLong(in.Text(), in.area) {
		s.focus(s.cursor)
	}
}

// hiddenPaths returns the paths of unused values: fields of other templates, and fields that are not in the
// schema.
func (s *rowModel) hiddenPaths() []doc.Path {
	var out []doc.Path
	for _, r := range s.rows {
		if r.removable(len(s.builder.cfg.Path)) {
			out = append(out, r.Path)
		}
	}
	return out
}

// removeHidden removes every unused value and returns how many there were.
func (s *rowModel) removeHidden() int {
	root, hidden := s.draft.root, s.hiddenPaths()
	for _, p := range hidden {
		root = s.draft.without(root, p)
	}
	s.setRoot(root)
	s.focus(s.cursor)
	return len(hidden)
}

// showError shows why a change failed.
func (s *rowModel) showError(what string, err error) {
	s.failure = "Cannot " + what + ": " + err.Error() + "."
}

// heading returns the heading above the first row of a group.
func (s *rowModel) heading(i int) string {
	r := s.rows[i]
	if i > 0 && s.rows[i-1].group == r.group && s.rows[i-1].secondary == r.secondary {
		return ""
	}
	switch r.group {
	case groupFields:
		if r.secondary {
			return "More"
		}
	case groupUnused:
		return "Not used here"
	case groupUnknown:
		if len(r.Path) > len(s.builder.cfg.Path) {
			return "Not in the specification"
		}
	case groupResponseOnly:
		return "Read-only"
	}
	return ""
}
