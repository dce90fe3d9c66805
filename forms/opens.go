package forms

import "bugle/engine/schema"

// Opens reports whether a field, as it stands, has a form of its own: an object, a map, or a list
// that is not edited in one line. The fields of a flat object are on the form around it.
func Opens(s schema.FieldState) bool { return s.Node != nil && shapeOf(s) == entry && !isFlat(s) }
