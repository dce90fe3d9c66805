package builder

import (
	"bugle/engine/doc"
	"bugle/ui/screen"
	"bugle/ui/widget"

	tea "github.com/charmbracelet/bubbletea"
)

// change replaces the document, unless the campaign's state forbids it. field names the field that was typed
// in, so that consecutive keys in one field are one undo step; it may be empty.
func (s *Screen) change(root doc.Value, field string) tea.Cmd {
	if why := s.edit.Locked(root); why != "" {
		s.reload()
		return screen.Notify(widget.LevelWarning, why)
	}
	at := s.place()
	if field == "" { // it may come from an external editor, an earlier version, or a template
		at = doc.CommonPath(doc.Diff(s.edit.Root(), root))
	}
	continued := s.edit.Change(root, s.form.Path(), field)
	s.showChecked()
	return tea.Batch(s.save(editNote(at), continued), s.noteWhenApplied(), s.compiler.follow(), s.warnings.follow())
}

// replaceBody replaces the campaign's body, or the value at the route's path, with the document from the route, as one
// change.
func (s *Screen) replaceBody() tea.Cmd {
	body := s.body
	s.body = doc.Value{}
	switch {
	case !body.Exists():
		return nil
	case len(s.bodyAt) > 0:
		return s.setValue(s.bodyAt, body)
	}
	cmd := s.change(s.edit.Campaign().With(body).Document(), "")
	s.reload()
	return cmd
}
