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

// Undo undoes the last change, anywhere in the campaign.
func (s *Screen) Undo() (tea.Cmd, bool) { return s.restore("Undone", s.edit.Undo) }

// Redo redoes the last undone change.
func (s *Screen) Redo() (tea.Cmd, bool) { return s.restore("Redone", s.edit.Redo) }

// restore moves the session to another step and goes to the place that changed.
func (s *Screen) restore(done string, move func(doc.Path) (edit.UndoResult, bool)) (tea.Cmd, bool) {
	m, ok := move(s.panes.host.path)
	switch {
	case !ok:
		return nil, false
	case m.Locked != "":
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, m.Locked), true
	}
	s.panes.showChecked()
	s.panes.goToChange(m.Changes, m.Cursor)
	return tea.Batch(
		s.saver.save(editNote(doc.CommonPath(m.Changes)), false),
		screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, done+": "+changeName(s.edit, &s.panes.sections, m.Changes)),
		s.panes.fulfill(),
		s.compiler.follow(),
		s.warnings.follow(),
	), true
}

// existingPath returns p, cut at the list or map whose entry does not exist any more.
func existingPath(e *edit.Session, p doc.Path) doc.Path {
	for i := range p {
		around := e.Schema().At(p[:i])
		entry := p[i].IsIndex || around != nil && around.Kind == schema.Map
		if entry && !e.Root().Lookup(p[:i+1]).Exists() {
			return p[:i]
		}
	}
	return p
}

// changeName names what was changed: the field, or the sections if there are several.
func changeName(e *edit.Session, list *sectionList, changes []doc.Change) string {
	if at := doc.CommonPath(changes); len(at) > 0 {
		return placeName(e.Schema(), at)
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
