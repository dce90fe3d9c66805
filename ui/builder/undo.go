package builder

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// Undo undoes the last change of the campaign, also one that was made elsewhere in this run.
func (s *Screen) Undo() (tea.Cmd, bool) { return s.restore("Undone", s.edit.Undo) }

// Redo redoes the last undone change.
func (s *Screen) Redo() (tea.Cmd, bool) { return s.restore("Redone", s.edit.Redo) }

// restore moves the session to another step and goes to the place that changed.
func (s *Screen) restore(done string, move func() (edit.UndoResult, bool)) (tea.Cmd, bool) {
	if !s.loaded {
		return nil, true // it is being read
	}
	m, ok := move()
	switch {
	case !ok:
		return nil, false
	case m.Step != nil:
		return s.afterSave(status.Undo(s.deps, engine.Summarize(s.edit.Campaign()), m.Step)), true
	case len(m.Conflicts) > 0:
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, "Not "+strings.ToLower(done)+": someone else has changed "+
			widget.Clean(edit.PlaceName(s.edit.Schema(), m.Conflicts[0]))+" since."), true
	case m.Locked != "":
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, m.Locked), true
	}
	s.showChecked()
	s.goToChange(m.Changes, m.Cursor)
	return tea.Batch(
		s.save(editNote(doc.CommonPath(m.Changes)), false),
		screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, done+": "+widget.Clean(edit.ChangeName(s.edit.Schema(), m.Changes))),
		s.fulfill(),
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
