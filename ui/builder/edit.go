package builder

import (
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"

	tea "github.com/charmbracelet/bubbletea"
)

// fromForm takes over what the form's last message changed.
func (s *Screen) fromForm(cmd tea.Cmd) tea.Cmd { return s.takeEdits(cmd, false) }

// fromPaste takes over a text that did not come key by key: it is undone by itself.
func (s *Screen) fromPaste(cmd tea.Cmd) tea.Cmd { return s.takeEdits(cmd, true) }

func (s *Screen) takeEdits(cmd tea.Cmd, alone bool) tea.Cmd {
	if s.form == nil {
		return cmd
	}
	root, changed := s.form.Edits()
	if !changed || root.Same(s.edit.Root()) || len(doc.Diff(s.edit.Root(), root)) == 0 {
		s.refreshInfo()
		return cmd
	}
	field := s.path.String()
	if f, ok := s.form.Focused(); ok {
		field = f.Path.String()
	}
	if e, ok := s.form.(editor.Stepper); alone || ok && e.Stepped() {
		field = "" // a step of its own
	}
	return tea.Batch(cmd, s.change(root, field))
}

// change makes root the document, unless the campaign's state keeps that from being edited.
// field names what was typed in, so that keys in one field are one step; it may be empty.
func (s *Screen) change(root doc.Value, field string) tea.Cmd {
	if why := s.edit.Locked(root); why != "" {
		s.reload()
		return screen.Notify(widget.LevelWarning, why)
	}
	at := s.place()
	if field == "" { // it may have come from elsewhere: an editor, an earlier version, a template
		at = doc.ChangedAt(doc.Diff(s.edit.Root(), root))
	}
	continued := s.edit.Change(root, s.path, field)
	s.showChecked()
	return tea.Batch(s.save(note(at), continued), s.foretell())
}

// note describes an edit for the history by its place: of an entry, by its list.
func note(at doc.Path) string {
	if len(at) == 0 {
		return "edited"
	}
	for len(at) > 1 && at.Last().IsIndex {
		at = at.Parent()
	}
	return "edited " + at.String()
}

// foretell says, at the first change of a live campaign, when changes take effect.
func (s *Screen) foretell() tea.Cmd {
	when := catalog.Propagation(s.edit.Head().DeliveryType, s.edit.Head().Status)
	if s.foretold || when == "" || s.edit.InPlace() {
		return nil
	}
	s.foretold = true
	return screen.NotifyAbout(screen.AboutSave, widget.LevelInfo, "Press ctrl+s to apply your changes. "+when)
}

// takeBody makes the body that another screen handed over the campaign's, as one change.
func (s *Screen) takeBody() tea.Cmd {
	if !s.body.Exists() {
		return nil
	}
	c := s.edit.Current().With(s.body)
	s.body = doc.Value{}
	cmd := s.change(c.Document(), "")
	s.reload()
	return cmd
}

// reload shows the document as it is in the form that is open.
func (s *Screen) reload() {
	if s.form != nil {
		s.form.Reload(s.edit.Root())
		s.form.SetProblems(s.edit.Problems())
	}
	s.refreshInfo()
}
