package audience

import "bugle/engine/doc"

// Seeded returns the document with a filter group at the path that filters can be put into. One that has a
// list of filters there already stays as it is.
func Seeded(root doc.Value, at doc.Path) (doc.Value, error) {
	if root.Lookup(at).Get(mFilters).Exists() {
		return root, nil
	}
	return root.Set(at.Child(mFilters), doc.NewArray())
}

// Bare reports whether a filter group has no filters.
func Bare(group doc.Value) bool { return group.Get(mFilters).Len() == 0 }
