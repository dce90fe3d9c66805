package forms

import "bugle/engine/schema"

// Opens reports whether a field, as it stands, has a form of its own: an object, a map, or a list
// that is not edited in one line.
func Opens(s schema.FieldState) bool { return s.Node != nil && shapeOf(s) == entry }
