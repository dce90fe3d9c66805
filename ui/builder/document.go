package builder

import (
	"errors"
	"fmt"

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
			Env: d.Env(), Theme: d.deps.Theme, Suggest: d.suggest, Source: editpane.Source, Locked: d.LockedAt, Now: d.deps.Now,
		},
		Head: d.Head(), Workspace: d.Workspace(), Service: d.deps.Service, Now: d.deps.Now, Local: d.deps.Local, ViewAs: d.viewAs,
	}
}

func (d *document) suggest(list string) []string {
	return d.offers.List(d.Workspace(), d.Root(), list)
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
	paths := catalog.LockedChanges(d.Head().Status, d.Root(), root)
	for i, at := range paths {
		if i == 0 {
			why += " It is about "
		} else {
			why += ", "
		}
		why += edit.PlaceName(d.Schema(), at)
	}
	if len(paths) > 0 {
		why += "."
	}
	return root, errors.New(why)
}

// setValue writes a value, or without a place a body, and shows it.
func (s *Screen) setValue(p doc.Path, v doc.Value) tea.Cmd {
	if len(p) == 0 {
		v = s.edit.Campaign().With(v).Document()
	}
	root, err := s.edit.Root().Set(p, v)
	if err != nil {
		return screen.Notify(widget.LevelError, "Cannot change this here: "+err.Error())
	}
	cmd := s.change(root, "")
	s.reload()
	return cmd
}

// put writes a value from outside the form.
func (s *Screen) put(p doc.Path, v doc.Value) tea.Cmd {
	return tea.Batch(s.setValue(p, v), s.fulfill())
}

// edited adopts a text that was not typed key by key.
func (s *Screen) edited() tea.Cmd { return tea.Batch(s.adopt(nil, true), s.fulfill()) }

// FocusedField returns the field of the form that has the keyboard; false if there is none, or if a list is open in
// it.
func (s *Screen) FocusedField() (screen.Field, bool) {
	if !s.loaded || s.Covered() || s.panes.Focused() != paneForm || !s.form.IsOpen() {
		return screen.Field{}, false
	}
	return s.form.Field(s.edited, s.put)
}
