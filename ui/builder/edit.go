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
	if !changed || root.Same(s.root) || len(doc.Diff(s.root, root)) == 0 {
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
	if why := s.locked(root); why != "" {
		s.reload()
		return screen.Notify(widget.LevelWarning, why)
	}
	continued := s.history.record(step{s.root, s.path}, field, s.deps.Now())
	at := s.place()
	if field == "" { // it may have come from elsewhere: an editor, an earlier version, a template
		at = doc.ChangedAt(doc.Diff(s.root, root))
	}
	s.root = root
	s.check()
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
	when := catalog.Propagation(s.campaign.DeliveryType, s.campaign.Status)
	if s.foretold || when == "" || s.inPlace(s.campaign.Head) {
		return nil
	}
	s.foretold = true
	return screen.NotifyAbout(screen.AboutSave, widget.LevelInfo, "Press ctrl+s to apply your changes. "+when)
}

// locked says why the state of the campaign does not let it become root, or "".
func (s *Screen) locked(root doc.Value) string {
	if !s.campaign.Channel.Writable() {
		return s.campaign.Channel.Label() + " campaigns are read-only here."
	}
	paths := catalog.LockedChanges(s.campaign.Status, s.root, root)
	if len(paths) == 0 {
		return ""
	}
	for _, l := range catalog.Locked(s.campaign.Status) {
		if paths[0].HasPrefix(l.Path) || l.Path.HasPrefix(paths[0]) {
			return s.lockWords(l)
		}
	}
	return "This cannot be changed while the campaign is " + s.campaign.Status.Label() + "."
}

// takeBody makes the body that another screen handed over the campaign's, as one change.
func (s *Screen) takeBody() tea.Cmd {
	if !s.body.Exists() {
		return nil
	}
	c := s.campaign
	c.Body, s.body = s.body, doc.Value{}
	cmd := s.change(c.Document(), "")
	s.reload()
	return cmd
}

// reload shows the document as it is in the form that is open.
func (s *Screen) reload() {
	if s.form != nil {
		s.form.Reload(s.root)
		s.form.SetProblems(s.problems)
	}
	s.refreshInfo()
}
