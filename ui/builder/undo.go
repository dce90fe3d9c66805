package builder

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Undo undoes the last change, wherever in the campaign it was.
func (s *Screen) Undo() (tea.Cmd, bool) { return s.restore("Undone", s.edit.Undo) }

// Redo redoes the change that was undone last.
func (s *Screen) Redo() (tea.Cmd, bool) { return s.restore("Redone", s.edit.Redo) }

// restore goes to another step of the session, and to the place where it differs.
func (s *Screen) restore(done string, move func(doc.Path) (edit.Moved, bool)) (tea.Cmd, bool) {
	m, ok := move(s.path)
	switch {
	case !ok:
		return nil, false
	case m.Locked != "":
		return screen.NotifyAbout(screen.AboutEdit, widget.LevelWarning, m.Locked), true
	}
	s.showChecked()
	s.toChange(m.Changes, m.At)
	return tea.Batch(
		s.save(note(doc.ChangedAt(m.Changes)), false),
		screen.NotifyAbout(screen.AboutEdit, widget.LevelSuccess, done+": "+s.changeName(m.Changes)),
		s.grant(),
	), true
}

// toChange shows the form that holds the changes, with the keyboard in the changed field. Changes of several
// sections lead to where the person was.
func (s *Screen) toChange(changes []doc.Change, was doc.Path) {
	at := doc.ChangedAt(changes)
	at = s.present(at)
	if len(at) == 0 {
		at = was
	}
	if len(at) == 0 {
		s.reload()
		return
	}
	holder := s.formOf(at)
	if len(changes) == 1 && len(at) > 1 && !at.Equal(s.path) {
		holder = s.formOf(at.Parent())
	}
	s.choose(at[0].Name)
	if s.focus != paneForm {
		s.focus, s.info.chosen = paneForm, false
	}
	switch {
	case s.beside(at):
		s.reload()
		s.form.FocusPath(at)
		s.refreshInfo()
		return
	case holder.Equal(s.path) && s.partOf(at).state != partForeign:
		s.reload()
	default:
		s.show(holder)
	}
	for q := at; len(q) > len(holder) && !s.form.FocusPath(q); q = q.Parent() {
	}
	s.refreshInfo()
}

// beside reports whether the open editor shows what is at p though its own place is another one: the groups of
// filters are edited together.
func (s *Screen) beside(p doc.Path) bool {
	t, at, ok := s.toolAt(s.path)
	other, from, found := s.toolAt(p)
	return ok && found && t.edit != nil && t.shows == nil && other.edit != nil && other.shows == nil && len(at) == len(s.path) && at.Parent().Equal(from.Parent())
}

// present returns p up to the list or map whose entry is not there any more.
func (s *Screen) present(p doc.Path) doc.Path {
	for i := range p {
		around := s.edit.Schema().At(p[:i])
		entry := p[i].IsIndex || around != nil && around.Kind == schema.Map
		if entry && !s.edit.Root().Lookup(p[:i+1]).Exists() {
			return p[:i]
		}
	}
	return p
}

// changeName names what was changed: the field, or the sections where there are several.
func (s *Screen) changeName(changes []doc.Change) string {
	if at := doc.ChangedAt(changes); len(at) > 0 {
		return s.where(at)
	}
	var names []string
	for _, c := range changes {
		if len(c.Path) == 0 {
			return "the whole campaign"
		}
		if n := len(names); n == 0 || names[n-1] != c.Path[0].Name {
			names = append(names, c.Path[0].Name)
		}
	}
	return strings.TrimSpace(s.titles(names))
}
