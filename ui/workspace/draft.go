package workspace

import (
	"context"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/engine/workspace/settings"
	"bugle/ui/widget"
)

// draft is a record that is edited, and what is stored of it. It knows no screen.
type draft struct {
	edit.Document
	rules     edit.Rules
	section   *settings.Section
	workspace engine.Workspace
	name      string    // that it is stored under; "" for a new one
	origin    doc.Value // as it was read or saved last, or as a new one began

	refused []schema.Problem // what the service said of the record as it is now
	saveTried   bool             // a save was tried: what is missing is told from then on
}

// newDraft makes the record of a section that has the name, or a new one that begins with start.
func newDraft(sec *settings.Section, name string, start doc.Value, now func() time.Time) *draft {
	d := &draft{section: sec, name: name}
	d.rules = edit.Rules{Check: d.problemsOf, Now: now}
	if name == "" && !start.Exists() {
		start = sec.New()
	}
	d.begin(start)
	return d
}

// begin makes what is stored the record, with nothing to undo.
func (d *draft) begin(stored doc.Value) {
	d.origin, d.refused = stored, nil
	d.Document = edit.NewDocument(d.rules)
	d.Replace(stored)
}

// title names the record.
func (d *draft) title() string {
	switch {
	case d.name == "":
		return "New " + d.section.One
	case d.section.Single:
		return d.section.Title
	}
	return widget.Clean(d.name)
}

// loaded is what was read of a record.
type loaded struct {
	value     doc.Value
	workspace engine.Workspace
}

// load returns what reads the record.
func (d *draft) load(svc engine.Service) func(context.Context) (any, error) {
	sec, name := d.section, d.name
	return func(ctx context.Context) (any, error) {
		var l loaded
		var err error
		if k, ok := svc.(engine.WorkspaceKeeper); ok {
			if l.workspace, err = k.Workspace(ctx); err != nil {
				return nil, err
			}
		}
		if name != "" {
			l.value, err = sec.Get(ctx, svc, name)
		}
		return l, err
	}
}

// setLoaded begins with what was read. A new record stays as it is.
func (d *draft) setLoaded(l loaded) {
	d.workspace, d.refused = l.workspace, nil
	if l.value.Exists() {
		d.begin(l.value)
	}
	d.Check()
}

// change makes root the record; see [edit.Document.Change].
func (d *draft) change(root doc.Value, at doc.Path, field string) {
	d.refused = nil
	d.Change(root, at, field)
}

// withoutEmptyGroups returns the record without what its editors need and nobody meant: a group without filters.
func (d *draft) withoutEmptyGroups() doc.Value { return d.withoutEmpty(d.Root()) }

func (d *draft) withoutEmpty(root doc.Value) doc.Value {
	for _, n := range d.section.Schema.Root().Children {
		if n.Editor == schema.EditorFilters && root.Get(n.Name).Exists() && audience.Bare(root.Get(n.Name)) {
			root = root.Delete(doc.P(n.Name))
		}
	}
	return root
}

// dirty reports whether there is something to save.
func (d *draft) dirty() bool { return !doc.Equal(d.withoutEmptyGroups(), d.origin) }

// request returns what saves the record.
func (d *draft) request() settings.PutRequest {
	r := settings.PutRequest{Was: d.name, Value: d.withoutEmptyGroups()}
	if d.name != "" {
		r.Base = d.origin
	}
	return r
}

// problemsOf returns what is wrong with root as the record. What is missing in a new one is not told before the person
// tried to save it.
func (d *draft) problemsOf(root doc.Value) (*schema.Schema, []schema.Problem) {
	var out []schema.Problem
	for _, p := range append(d.section.Check(d.workspace, d.withoutEmpty(root)), d.refused...) {
		if d.saveTried || d.name != "" || !isMissing(p) {
			out = append(out, p)
		}
	}
	return d.section.Table(root), out
}

// isMissing reports whether a problem says that something is not there yet.
func isMissing(p schema.Problem) bool {
	_, rule, _ := strings.Cut(p.Rule, "#")
	return strings.HasPrefix(rule, "required") || rule == "one_place"
}

// problemText puts a problem into words, with its place before them.
func (d *draft) problemText(p schema.Problem) string {
	words := p.Words() + "."
	if trail := d.Schema().Trail(p.Path); len(trail) > 0 {
		words = strings.Join(trail, " › ") + ": " + words
	}
	return words
}

// filtersAt returns the place of the filter group that p is in, or is; false where it is in none.
func (d *draft) filtersAt(p doc.Path) (doc.Path, bool) {
	for n := 1; n <= len(p); n++ {
		if node := d.Schema().At(p[:n]); node != nil && node.Editor == schema.EditorFilters {
			return p[:n], true
		}
	}
	return nil, false
}

// addFilterGroup returns the record a group to put filters in, where p is one that is not there yet.
func (d *draft) addFilterGroup(p doc.Path) {
	at, ok := d.filtersAt(p)
	if !ok {
		return
	}
	if root, err := audience.Seeded(d.Root(), at); err == nil && !root.Same(d.Root()) {
		d.Replace(root)
	}
}

// suggest returns the names in one of the workspace's lists.
func (d *draft) suggest(list string) []string {
	names, _ := d.workspace.Lists(list)
	return names
}

// locked returns why what is at p cannot be changed.
func (d *draft) locked(p doc.Path) string {
	if len(p) == 0 {
		return ""
	}
	return d.section.Fixed[p[0].Name]
}
