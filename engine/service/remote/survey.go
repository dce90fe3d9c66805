package remote

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// survey visits every place in the tables once, collects the words that a dialect's paths set for it, and
// finds words that could not be translated back.
type survey struct {
	t      *translator
	d      Dialect
	seen   map[string]bool
	met    map[string][]string // by path of the dialect: the values of its fields, or the fields of its objects
	faults []dialectFault

	members, values []string // all that there are
	global          []pair
	byPath          []pathPairs
	unwraps         []pair // a path, and a field
}

type pathPairs struct {
	path  string
	table []pair
}

func (w *survey) run() []dialectFault {
	members := pairs(w.d.Members, doc.P(dMembers))
	w.global = pairs(w.d.Values, doc.P(dValues))
	w.unwraps = pairs(w.d.Unwrap, doc.P(dUnwrap))
	for path, table := range w.d.FieldValues {
		w.byPath = append(w.byPath, pathPairs{path, pairs(table, doc.P(dValues, path))})
	}
	slices.SortFunc(w.byPath, func(a, b pathPairs) int { return strings.Compare(a.path, b.path) })
	w.t.members = w.glossary(members)
	w.t.values = w.glossary(w.global)
	for _, p := range w.byPath {
		w.glossary(p.table)
	}

	w.place(w.t.root, nil)

	w.note(unusedPairs(members, distinct(w.members), "field")...)
	w.note(unusedPairs(w.global, distinct(w.values), "value")...)
	for _, p := range w.byPath {
		at := doc.P(dValues, p.path)
		if len(w.met[p.path]) == 0 {
			w.note(dialectFault{path: at, unused: true, message: "no field with options has this path"})
			continue
		}
		w.note(unusedPairs(p.table, distinct(w.met[p.path]), "value of this field")...)
	}
	for _, p := range w.unwraps {
		fields := w.met[p.ours]
		if len(fields) == 0 {
			w.note(dialectFault{path: p.path, unused: true, message: "no object in a request has this path"})
			continue
		}
		w.note(unusedPairs([]pair{{p.theirs, p.theirs, p.path}}, distinct(fields), "field of this object")...)
	}
	return w.faults
}

// note collects problems, one per place in the file.
func (w *survey) note(faults ...dialectFault) {
	for _, f := range faults {
		if !slices.ContainsFunc(w.faults, func(g dialectFault) bool { return g.path.Equal(f.path) }) {
			w.faults = append(w.faults, f)
		}
	}
}

func (w *survey) glossary(table []pair) glossary {
	g, faults := newGlossary(table)
	w.note(faults...)
	return g
}

// place visits one place, whose path has a * for members of any name, and everything below it.
func (w *survey) place(at nodes, path []string) {
	key := fmt.Sprint([]*schema.Node(at)) // their addresses
	if len(at) == 0 || w.seen[key] {
		return
	}
	w.seen[key] = true
	w.words(at, path)

	var names []string
	for _, n := range at {
		for _, c := range n.Children {
			names = append(names, c.Name)
		}
	}
	names = distinct(names)
	w.members = append(w.members, names...)
	w.note(w.t.members.clashes(names)...)
	w.object(at, path, names)
	for _, name := range names {
		w.place(at.member(name), append(slices.Clip(path), name))
	}
	w.place(at.element(), path)
	w.place(at.others(), append(slices.Clip(path), "*"))
}

// object records the field that the service sends instead of an object.
func (w *survey) object(at nodes, path, names []string) {
	for _, p := range w.unwraps {
		if len(names) == 0 || !covers(p.ours, path) {
			continue
		}
		w.met[p.ours] = append(w.met[p.ours], names...)
		for _, n := range at {
			if slices.Contains(names, p.theirs) {
				w.t.wrapped[n] = p.theirs
			}
		}
	}
}

// words collects and checks the values of the place.
func (w *survey) words(at nodes, path []string) {
	options := at.options()
	if len(options) == 0 {
		return
	}
	w.values = append(w.values, options...)
	var table []pair
	for _, p := range w.byPath {
		if covers(p.path, path) {
			w.met[p.path] = append(w.met[p.path], options...)
			table = append(table, p.table...)
		}
	}
	if len(table) == 0 {
		w.note(w.t.values.clashes(options)...)
		return
	}
	for _, p := range w.global {
		if !slices.ContainsFunc(table, func(q pair) bool { return q.ours == p.ours }) {
			table = append(table, p)
		}
	}
	g, faults := newGlossary(table)
	w.note(append(faults, g.clashes(options)...)...)
	for _, n := range at {
		w.t.fields[n] = g
	}
}

// covers reports whether a dialect's path matches a place.
func covers(pattern string, path []string) bool {
	return match(strings.Split(strings.ReplaceAll(pattern, "[]", ""), "."), path)
}

func match(pattern, path []string) bool {
	switch {
	case len(pattern) == 0:
		return len(path) == 0
	case pattern[0] == "**":
		return match(pattern[1:], path) || len(path) > 0 && match(pattern, path[1:])
	}
	return len(path) > 0 && (pattern[0] == "*" || pattern[0] == path[0]) && match(pattern[1:], path[1:])
}

func distinct(words []string) []string {
	out := slices.Clone(words)
	slices.Sort(out)
	return slices.Compact(out)
}

// options returns the values that the tables have there.
func (p nodes) options() []string {
	var out []string
	for _, n := range p {
		for _, o := range n.Options {
			if n.Kind == schema.String {
				out = append(out, o.Value)
			}
		}
	}
	return distinct(out)
}

// others returns the nodes for further members.
func (p nodes) others() nodes {
	var out nodes
	for _, n := range p {
		if n.Kind != schema.List && n.Element != nil && !slices.Contains(out, n.Element) {
			out = append(out, n.Element)
		}
	}
	return out
}
