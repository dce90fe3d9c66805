package files

import (
	"slices"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// findField returns the place of a campaign that a user means: a path, or the name or title of a field, such as "html"
// or "subject", if only one place has it.
func findField(c engine.Campaign, name string) (doc.Path, error) {
	table, root := catalog.Campaign(c.Channel), c.Document()
	if p, err := doc.ParsePath(name); err == nil && len(p) > 0 && (table.At(p) != nil || root.Lookup(p).Exists()) && !engine.IsHeadField(p[0].Name) {
		return p, nil
	}
	var found []doc.Path
	for _, fits := range []func(doc.Path, *schema.Node) bool{
		func(p doc.Path, n *schema.Node) bool { return p.Last().Name == name },
		func(p doc.Path, n *schema.Node) bool { return n != nil && strings.EqualFold(n.Label(), name) },
	} {
		fields(table, nil, root, func(p doc.Path, n *schema.Node) {
			if fits(p, n) {
				found = append(found, p)
			}
		})
		if len(found) > 0 {
			break
		}
	}
	// A field that is filled in is meant rather than one that could be.
	if filled := slices.DeleteFunc(slices.Clone(found), func(p doc.Path) bool { return root.Lookup(p).Empty() }); len(filled) > 0 {
		found = filled
	}
	switch len(found) {
	case 0:
		return nil, cli.Misused("this campaign has no field %q; `bugle schema campaign %s` lists them", name, strings.ToLower(string(c.Channel)))
	case 1:
		return found[0], nil
	}
	var paths []string
	for _, p := range found[:min(len(found), 8)] {
		paths = append(paths, p.String())
	}
	return nil, cli.Misused("%d fields are called %q; use the path of one: %s", len(found), name, strings.Join(paths, ", "))
}

// fields calls fn for the fields below p: those that are there, and those that the tables have in objects that are there.
func fields(table *schema.Schema, p doc.Path, v doc.Value, fn func(doc.Path, *schema.Node)) {
	for i, e := range v.Elems() {
		fields(table, p.Elem(i), e, fn)
	}
	if v.Kind() != doc.Object {
		return
	}
	for name, m := range v.Members() {
		at := p.Child(name)
		if len(p) == 0 && engine.IsHeadField(name) {
			continue
		}
		fn(at, table.At(at))
		fields(table, at, m, fn)
	}
	n := table.At(p)
	if n == nil {
		return
	}
	for _, child := range n.Children {
		if !v.Get(child.Name).Exists() && (len(p) > 0 || !engine.IsHeadField(child.Name)) {
			fn(p.Child(child.Name), child)
		}
	}
}
