package engine

import "bugle/engine/doc"

// Rebase applies edits on top of a concurrent change: origin is the body that the edits started from, mine
// the edited body, and theirs the current one. It merges whole components, as the API does: a component that
// only one side changed is taken from that side. conflicts lists the components that both sides changed
// differently; merged has mine for them.
func Rebase(origin, mine, theirs doc.Value) (merged doc.Value, conflicts []string) {
	merged = theirs
	for _, name := range names(mine, origin) {
		o, m, t := origin.Get(name), mine.Get(name), theirs.Get(name)
		if same(m, o) || same(m, t) {
			continue
		}
		if !same(t, o) {
			conflicts = append(conflicts, name)
		}
		if out, err := merged.Set(doc.P(name), m); err == nil {
			merged = out
		}
	}
	return merged, conflicts
}

// Patch makes the change that leads from one value to another in now, which others may have changed as well. conflicts are
// the places in it that are no longer as in from, where now stays as it is. A list is one place, because its entries have
// no names.
func Patch(from, to, now doc.Value) (out doc.Value, conflicts []doc.Path) {
	switch {
	case same(from, to) || same(to, now):
		return now, nil
	case same(from, now):
		return to, nil
	}
	for _, v := range []doc.Value{from, to, now} {
		if v.Exists() && v.Kind() != doc.Object {
			return now, []doc.Path{nil}
		}
	}
	out = now
	for _, name := range names(to, from) {
		v, in := Patch(from.Get(name), to.Get(name), now.Get(name))
		for _, p := range in {
			conflicts = append(conflicts, append(doc.P(name), p...))
		}
		if set, err := out.Set(doc.P(name), v); err == nil {
			out = set
		}
	}
	return out, conflicts
}

func same(a, b doc.Value) bool { return len(doc.Diff(a, b)) == 0 }

// names returns the members of the objects, each once, in their order.
func names(vs ...doc.Value) []string {
	var out []string
	seen := map[string]bool{}
	for _, v := range vs {
		for name := range v.Members() {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

// ChangedComponents returns the components of after that differ from before, as an update request contains
// them. removed lists the components that after does not have; an update cannot remove them.
func ChangedComponents(before, after doc.Value) (changed []doc.Member, removed []string) {
	for name, v := range after.Members() {
		if !same(before.Get(name), v) {
			changed = append(changed, doc.M(name, v))
		}
	}
	for name := range before.Members() {
		if !after.Get(name).Exists() {
			removed = append(removed, name)
		}
	}
	return changed, removed
}
