package builder

import (
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/assemble"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/editor"
	"bugle/ui/editpane"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/viewas"
	"bugle/ui/widget"
)

// document is the campaign as editors see it.
type document struct {
	*edit.Session
	deps     screen.Deps
	offers   assemble.Suggestions // suggestions for texts
	viewAs   *viewas.Resolver
	warnings *warner
}

var _ editpane.Document = (*document)(nil)

// Warnings returns the warnings and notes about the campaign.
func (d *document) Warnings() []schema.Problem { return d.warnings.asProblems() }

// Config returns the configuration of the editors.
func (d *document) Config() editor.Config {
	return editor.Config{
		Config: forms.Config{
			Env: d.Env(), Theme: d.deps.Theme, Source: editpane.Source, Locked: d.LockedAt, Now: d.deps.Now, Follow: engine.FollowStart,
			Suggest: func(list string) []string { return d.offers.List(d.Workspace(), d.Root(), list) },
		},
		Head: d.Head(), Workspace: d.Workspace(), Service: d.deps.Service, Now: d.deps.Now, Local: d.deps.Local, ViewAs: d.viewAs,
	}
}

// Name returns the campaign's name for questions.
func (d *document) Name() string { return status.Name(engine.Summarize(d.Campaign())) }

// JSON returns the JSON of the value at p; if p is empty, of all sections.
func (d *document) JSON(p doc.Path) string {
	if len(p) == 0 {
		return string(d.Body().Indent())
	}
	if v := d.Root().Lookup(p); v.Exists() {
		return string(v.Indent())
	}
	return "{}"
}

// With returns the campaign with another value at p, or if p is empty with another body, which keeps its head. It fails
// if the campaign's state locks what would change.
func (d *document) With(p doc.Path, v doc.Value) (doc.Value, error) {
	if len(p) == 0 {
		if v.Kind() != doc.Object {
			return v, fmt.Errorf("a campaign must be a JSON object, { … }, not a %s", v.Kind())
		}
		for name := range v.Members() {
			if engine.IsHeadField(name) {
				return v, fmt.Errorf("%s is set by the service and cannot be edited here. Remove it", name)
			}
		}
		v = d.Campaign().With(v).Document()
	}
	root, err := d.Root().Set(p, v)
	if err != nil {
		return root, err
	}
	why := d.Locked(root)
	if why == "" {
		return root, nil
	}
	var places []string
	for _, at := range catalog.LockedChanges(d.Head().Status, d.Root(), root) {
		places = append(places, edit.PlaceName(d.Schema(), at))
	}
	if len(places) > 0 {
		why += " It is about " + strings.Join(places, ", ") + "."
	}
	return root, errors.New(why)
}

// setValue writes a value, or without a place a body.
func (s *Screen) setValue(p doc.Path, v doc.Value) tea.Cmd {
	if len(p) == 0 {
		v = s.edit.Campaign().With(v).Document()
	}
	root, err := s.edit.Root().Set(p, v)
	if err != nil {
		return screen.Notify(widget.LevelError, "Cannot change this here: "+err.Error())
	}
	return s.change(root, "")
}

// replace writes the document of a route to its place, as one change.
func (s *Screen) replace(r screen.Route) tea.Cmd {
	if !r.Doc.Exists() {
		return nil
	}
	return s.setValue(r.Path, r.Doc)
}

// change replaces the document, unless the campaign's state forbids it. field names the field that was typed
// in, so that consecutive keys in one field are one undo step; it may be empty.
func (s *Screen) change(root doc.Value, field string) tea.Cmd {
	if why := s.edit.Locked(root); why != "" {
		s.form.Show()
		return screen.Notify(widget.LevelWarning, why)
	}
	at := s.place()
	if field == "" { // it may come from an external editor, an earlier version, or a template
		at = doc.CommonPath(doc.Diff(s.edit.Root(), root))
	}
	continued := s.edit.Change(root, s.form.Path(), field)
	return tea.Batch(s.save(editNote(at), continued), s.noteWhenApplied())
}

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
	}
	notice := s.form.Restored(done, m)
	if len(m.Changes) == 0 {
		return notice, true
	}
	s.sections.show(s.edit)
	s.leave(paneForm)
	s.chooseSection()
	return s.finish(tea.Batch(s.save(editNote(doc.CommonPath(m.Changes)), false), notice)), true
}

// FocusedField returns the field of the form that has the keyboard; false if there is none, or if a list is open in
// it.
func (s *Screen) FocusedField() (screen.Field, bool) {
	if !s.Typing() || s.Covered() {
		return screen.Field{}, false
	}
	return s.form.Field()
}
