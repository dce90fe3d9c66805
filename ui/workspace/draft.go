package workspace

import (
	"context"
	"errors"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/engine/workspace/settings"
	"bugle/forms"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// draft is a record being edited, with its stored version. It is what the editors of the record edit.
type draft struct {
	edit.Document
	deps      screen.Deps
	section   *settings.Section
	workspace engine.Workspace
	name      string    // its stored name; "" for a new record
	origin    doc.Value // as last read or saved, or the start of a new record

	refused   []schema.Problem // problems that the service reported for the current version
	saveTried bool             // saving was tried: from then on, missing values are reported
}

// newDraft returns the draft of the section's record with that name, or of a new record that starts with start.
func newDraft(deps screen.Deps, sec *settings.Section, name string, start doc.Value) *draft {
	d := &draft{deps: deps, section: sec, name: name}
	if name == "" && !start.Exists() {
		start = sec.New()
	}
	d.Document = edit.NewDocument(edit.Rules{Check: d.problemsOf, Now: deps.Now})
	d.adopt(start, doc.Value{})
	return d
}

// Warnings returns none.
func (d *draft) Warnings() []schema.Problem { return nil }

// Config returns the configuration of the editors.
func (d *draft) Config() editor.Config {
	return editor.Config{
		Config:    forms.Config{Env: settings.Env(d.workspace), Theme: d.deps.Theme, Suggest: d.suggest, Locked: d.locked, Now: d.deps.Now},
		Workspace: d.workspace, Service: d.deps.Service, Now: d.deps.Now, Local: d.deps.Local,
	}
}

// With returns the record with another value at a place.
func (d *draft) With(p doc.Path, v doc.Value) (doc.Value, error) {
	root, err := d.Root().Set(p, v)
	if err == nil && root.Kind() != doc.Object {
		err = errors.New("a record must be a JSON object: { … }")
	}
	return root, err
}

// JSON returns the value at a place, or the record.
func (d *draft) JSON(p doc.Path) string {
	return string(d.withoutEmptyGroups(d.Root()).Lookup(p).Indent())
}

// Name returns the name of the record for questions.
func (d *draft) Name() string { return recordName(d.section, d.name) }

// adopt sets the stored version. Changes that the user has made since the record was base are kept on top of it, and
// so is what can be undone.
func (d *draft) adopt(stored, base doc.Value) {
	root, _ := engine.Rebase(base, d.Root(), stored)
	d.origin, d.refused = stored, nil
	d.Replace(root)
}

// title returns the name of the record.
func (d *draft) title() string {
	switch {
	case d.name == "":
		return "New " + d.section.Singular
	case d.section.Single:
		return d.section.Title
	}
	return widget.Clean(d.name)
}

// loaded is a record that was read.
type loaded struct {
	value     doc.Value
	base      doc.Value // the draft when reading began
	workspace engine.Workspace
}

// load returns the function that reads the record.
func (d *draft) load(svc engine.Service) func(context.Context) (loaded, error) {
	sec, name, base := d.section, d.name, d.Root()
	return func(ctx context.Context) (loaded, error) {
		l := loaded{base: base}
		var err error
		if k, ok := svc.(engine.WorkspaceStore); ok {
			if l.workspace, err = k.Workspace(ctx); err != nil {
				return loaded{}, err
			}
		}
		if name != "" {
			l.value, err = sec.Get(ctx, svc, name)
		}
		return l, err
	}
}

// setLoaded adopts the loaded record. A new record is kept as it is.
func (d *draft) setLoaded(l loaded) {
	d.workspace, d.refused = l.workspace, nil
	if l.value.Exists() {
		mine := d.Root()
		if d.adopt(l.value, l.base); mine.Exists() { // it took the place of the user's own version, which undo brings back
			theirs := d.Root()
			d.Replace(mine)
			d.Change(theirs, nil, "")
		}
	}
	d.Check()
}

// restore undoes or redoes a change; see [edit.Document.Undo]. What the service has set meanwhile stays.
func (d *draft) restore(move func() (edit.UndoResult, bool)) (edit.UndoResult, bool) {
	d.refused = nil
	m, ok := move()
	root := d.Root()
	for name := range d.section.Fixed {
		if with, err := root.Set(doc.P(name), d.origin.Get(name)); err == nil {
			root = with
		}
	}
	d.Replace(root)
	m.Changes = slices.DeleteFunc(m.Changes, func(c doc.Change) bool { return d.locked(c.Path) != "" })
	return m, ok
}

// change replaces the record; see [edit.Document.Change].
func (d *draft) change(root doc.Value, at doc.Path, field string) {
	d.refused = nil
	d.Change(root, at, field)
}

// withoutEmptyGroups returns the record without filter groups whose last filter was removed.
func (d *draft) withoutEmptyGroups(root doc.Value) doc.Value {
	for _, n := range d.section.Schema().Root().Children {
		if n.Editor == schema.EditorFilters && root.Get(n.Name).Exists() && !audience.HasFilters(root.Get(n.Name)) {
			root = root.Delete(doc.P(n.Name))
		}
	}
	return root
}

// dirty reports whether there are unsaved changes.
func (d *draft) dirty() bool { return !doc.Equal(d.withoutEmptyGroups(d.Root()), d.origin) }

// request returns the request that saves the record.
func (d *draft) request() settings.PutRequest {
	r := settings.PutRequest{Name: d.name, Value: d.withoutEmptyGroups(d.Root())}
	if d.name != "" {
		r.Base = d.origin
	}
	return r
}

// problemsOf returns the problems of root as the record. Missing values of a new record are only reported after
// the user has tried to save it.
func (d *draft) problemsOf(root doc.Value) (*schema.Schema, []schema.Problem) {
	var out []schema.Problem
	for _, p := range append(d.section.Check(d.workspace, d.withoutEmptyGroups(root)), d.refused...) {
		if d.saveTried || d.name != "" || !p.Missing() {
			out = append(out, p)
		}
	}
	return d.section.Table(root), out
}

// problemText describes a problem, with its place first.
func (d *draft) problemText(p schema.Problem) string {
	words := p.Text() + "."
	if trail := d.Schema().Trail(p.Path); len(trail) > 0 {
		words = strings.Join(trail, " › ") + ": " + words
	}
	return words
}

// suggest returns the names in one of the workspace's lists.
func (d *draft) suggest(list string) []string {
	names, _ := d.workspace.Lists(list)
	return names
}

// locked returns why the value at p cannot be changed.
func (d *draft) locked(p doc.Path) string {
	if len(p) == 0 {
		return ""
	}
	return d.section.Fixed[p[0].Name]
}
