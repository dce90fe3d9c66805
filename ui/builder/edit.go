package builder

import (
	"bugle/engine/doc"
	"bugle/ui/screen"
	"bugle/ui/widget"

	tea "github.com/charmbracelet/bubbletea"
)

// change makes root the document, unless the campaign's state keeps that from being edited.
// field names what was typed in, so that keys in one field are one step; it may be empty.
func (s *Screen) change(root doc.Value, field string) tea.Cmd {
	if why := s.edit.Locked(root); why != "" {
		s.panes.reload()
		return screen.Notify(widget.LevelWarning, why)
	}
	at := s.panes.place()
	if field == "" { // it may have come from elsewhere: an editor, an earlier version, a template
		at = doc.CommonPath(doc.Diff(s.edit.Root(), root))
	}
	continued := s.edit.Change(root, s.panes.host.path, field)
	s.panes.showChecked()
	return tea.Batch(s.saver.save(note(at), continued), s.saver.warn())
}

// takeBody makes the body that another screen handed over the campaign's, as one change.
func (s *Screen) takeBody() tea.Cmd {
	if !s.body.Exists() {
		return nil
	}
	c := s.edit.Campaign().With(s.body)
	s.body = doc.Value{}
	cmd := s.change(c.Document(), "")
	s.panes.reload()
	return cmd
}
