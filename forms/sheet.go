package forms

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
)

// sheet is a document as rows, with a cursor and the field that is open at it.
type sheet struct {
	source   source
	clock    clock
	look     look
	draft    draft
	problems problems
	failure  string // why the last change could not be made

	rows  []row
	flats []doc.Path // the objects whose fields are among the rows
	at    int        // the focused row
	field field

	width, lines int // what an editor may take
}

// newSheet makes a sheet without a focus: see focus.
func newSheet(cfg *Config) sheet {
	s := sheet{source: newSource(cfg), clock: clock{cfg}, look: newLook(cfg.Theme), problems: problems{cfg: cfg}}
	s.draft = draft{root: cfg.Root, base: cfg.Root, origin: cfg.Root}
	s.refresh()
	return s
}

// focused returns the row that has the focus.
func (s *sheet) focused() (row, bool) {
	if s.at < 0 || s.at >= len(s.rows) {
		return row{}, false
	}
	return s.rows[s.at], true
}

// focus moves to a row and makes the widget that it is edited with.
func (s *sheet) focus(i int) {
	s.reshape(s.at)
	s.at = max(min(i, len(s.rows)-1), 0)
	s.reshape(s.at)
	s.field = field{before: s.draft.root}
	if r, ok := s.focused(); ok && !s.source.list {
		s.field.ed = s.newEditor(r)
	}
}

// reshape sets the shape of a row that is no longer edited to the one that its present value asks for.
func (s *sheet) reshape(i int) {
	if i < len(s.rows) && s.rows[i].group == shown && s.rows[i].shape != timespan {
		s.rows[i].shape = shapeOf(s.rows[i].FieldState)
	}
}

// leave ends the editing of the focused row, before the focus goes elsewhere.
func (s *sheet) leave() {
	r, ok := s.focused()
	if !ok || !s.field.added || r.Value.Text() != "" || r.Value.Kind() != doc.String {
		return
	}
	s.field.added = false
	s.setRoot(s.draft.root.Delete(r.Path)) // added and left empty
}

// focusPath focuses the field at p, or the one that p leads into. It reports false where there is none.
func (s *sheet) focusPath(p doc.Path) bool {
	s.leave()
	i := slices.IndexFunc(s.rows, func(r row) bool { return r.group != adder && r.holds(p) })
	if i < 0 && slices.ContainsFunc(s.flats, p.Equal) {
		i = slices.IndexFunc(s.rows, func(r row) bool { return r.Path.HasPrefix(p) })
	}
	if i >= 0 {
		s.focus(i)
	}
	return i >= 0
}

// move focuses another row; past either end it stays.
func (s *sheet) move(i int) {
	i = max(min(i, len(s.rows)-1), 0)
	if i == s.at {
		return
	}
	n := len(s.rows)
	s.leave()
	if len(s.rows) < n && i > s.at {
		i--
	}
	s.focus(i)
}

// absorb writes what the editor of the focused row holds to the document.
func (s *sheet) absorb() {
	r, ok := s.focused()
	if !ok || s.field.ed == nil {
		return
	}
	v, changed := s.field.ed.value()
	if !changed {
		s.setRoot(s.field.before)
		return
	}
	var root doc.Value
	var err error
	switch {
	case r.shape == timespan:
		root = s.draft.writeSpan(s.field.before, r, v.Text(), s.source.names.spanDates(r))
	case r.flags != nil:
		root, err = s.draft.writeFlag(s.field.before, r, v)
	default:
		root, err = s.draft.write(s.field.before, r.Path, v)
	}
	if err != nil {
		s.refuse("change this field", err)
		return
	}
	s.setRoot(s.source.names.decide(root, r))
}

// setRoot takes a new document over, and builds the rows anew: a change may show and hide fields.
func (s *sheet) setRoot(root doc.Value) {
	s.failure = ""
	if root.Same(s.draft.root) {
		return
	}
	s.draft.root = root
	s.refresh()
}

// refresh builds the rows and keeps the focus on the field that has it, its editor alive.
func (s *sheet) refresh() {
	old, had := s.focused()
	s.rows, s.flats = s.source.rows(s.draft.root)
	if had {
		kept := false
		for i, r := range s.rows {
			if r.Path.Equal(old.Path) && (r.group == adder) == (old.group == adder) {
				s.at, kept = i, true
				if s.field.ed != nil {
					s.rows[i].shape = old.shape // whatever its text has become
				}
				break
			}
		}
		if !kept {
			s.at = max(min(s.at, len(s.rows)-1), 0)
			s.field.ed = nil
		}
	}
	s.problems.check(s.draft.root)
}

// settleTime puts the document's spelling in the place of a time that was typed.
func (s *sheet) settleTime() {
	r, ok := s.focused()
	text, typed := s.field.typed()
	if !ok || !typed {
		return
	}
	if wire, ok := s.clock.wire(s.field.before, r, text); ok && wire != text {
		s.absorb()
		if r, ok = s.focused(); ok && s.source.list {
			s.editElement(r)
			return
		}
		s.focus(s.at)
	}
}

// take writes a value that was chosen outside the row's editor.
func (s *sheet) take(r row, v doc.Value) {
	root, err := s.draft.write(s.draft.root, r.Path, v)
	if err != nil {
		s.refuse("change this field", err)
		return
	}
	s.field.ed = nil
	s.setRoot(root)
	s.focus(s.at)
}

// remove removes the value of a row.
func (s *sheet) remove(r row) {
	root := s.draft.without(s.draft.root, r.Path)
	for _, p := range r.parts {
		root = s.draft.without(root, p)
	}
	s.setRoot(root)
	if now, ok := s.focused(); ok && now.group == adder && s.at > 0 {
		s.at-- // the last element or member went: stay among them
	}
	s.focus(s.at)
}

// insert adds an element to a list, before the one at i.
func (s *sheet) insert(i int, v doc.Value) {
	root, err := s.draft.root.Insert(s.source.cfg.Path.Elem(i), v)
	if err != nil {
		s.refuse("add an entry", err)
		return
	}
	s.setRoot(root)
	s.focus(i)
	s.field.added = true
}

// shift moves an element of a list.
func (s *sheet) shift(r row, to int) {
	root, err := s.draft.root.Move(r.Path, to)
	if err != nil {
		return // it is the first or last already
	}
	s.setRoot(root)
	s.focus(to)
}

// editElement edits an element of a list in its place; what is chosen from a list opens at once.
func (s *sheet) editElement(r row) {
	s.field.ed, s.field.before = s.newEditor(r), s.draft.root
	if s.field.ed != nil && !s.field.ed.typing() {
		s.field.ed.key(tea.KeyMsg{Type: tea.KeyEnter})
	}
}

// paste puts a text into the open field.
func (s *sheet) paste(text string) {
	if !s.field.paste(text) {
		return
	}
	s.absorb()
	if len(text) > maxPaste {
		s.focus(s.at) // the text may be more than the widget should hold from now on
	}
}

// hidden returns where the values are that are kept and not used: members of other templates and members that no
// table knows.
func (s *sheet) hidden() []doc.Path {
	var out []doc.Path
	for _, r := range s.rows {
		if r.removable(len(s.source.cfg.Path)) {
			out = append(out, r.Path)
		}
	}
	return out
}

// removeHidden removes every value that is kept and not used. It returns how many there were.
func (s *sheet) removeHidden() int {
	root, hidden := s.draft.root, s.hidden()
	for _, p := range hidden {
		root = s.draft.without(root, p)
	}
	s.setRoot(root)
	s.focus(s.at)
	return len(hidden)
}

// refuse shows why a change could not be made.
func (s *sheet) refuse(what string, err error) {
	s.failure = "Cannot " + what + ": " + err.Error() + "."
}

// heading returns the line over the first row of a group.
func (s *sheet) heading(i int) string {
	r := s.rows[i]
	if i > 0 && s.rows[i-1].group == r.group && s.rows[i-1].more == r.more {
		return ""
	}
	switch r.group {
	case shown:
		if r.more {
			return "More"
		}
	case unused:
		return "Not used here"
	case unknown:
		if len(r.Path) > len(s.source.cfg.Path) {
			return "Not in the specification"
		}
	case received:
		return "Read-only"
	}
	return ""
}
