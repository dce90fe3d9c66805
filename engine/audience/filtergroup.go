package audience

import "bugle/engine/doc"

// WithFilterGroup returns the document with a filter group at the path to which filters can be added. An
// existing group stays as it is.
func WithFilterGroup(root doc.Value, at doc.Path) (doc.Value, error) {
	if root.Lookup(at).Get(mFilters).Exists() {
		return root, nil
	}
	return root.Set(at.Child(mFilters), doc.NewArray())
}

// IsEmpty reports whether a filter group has no filters.
func IsEmpty(group doc.Value) bool { return group.Get(mFilters).Len() == 0 }
