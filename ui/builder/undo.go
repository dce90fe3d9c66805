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
func (s *Screen) restore(done string, move func(doc.Path) (edit.UndoResult, bool)) (tea.Cmd, bool) {
	m, ok := move(s.panes.host.path)
	switch {
	case !ok:
		return nil, false
	case m.Locked != "":
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, m.Locked), true
	}
	s.panes.showChecked()
	s.panes.toChange(m.Changes, m.Cursor)
	return tea.Batch(
		s.saver.save(note(doc.CommonPath(m.Changes)), false),
		screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, done+": "+changeName(s.edit, &s.panes.sections, m.Changes)),
		s.panes.grant(),
	), true
}

// present returns p up to the list or map whose entry is not there any more.
func present(e *edit.Session, p doc.Path) doc.Path {
	for i := range p {
		around := e.Schema().At(p[:i])
		entry := p[i].IsIndex || around != nil && around.Kind == schema.Map
		if entry && !e.Root().Lookup(p[:i+1]).Exists() {
			return p[:i]
		}
	}
	return p
}

// changeName names what was changed: the field, or the sections where there are several.
func changeName(e *edit.Session, list *sections, changes []doc.Change) string {
	if at := doc.CommonPath(changes); len(at) > 0 {
		return where(e.Schema(), at)
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
	return strings.TrimSpace(list.titles(names))
}
