package forms

import (
	"slices"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// isTimespan reports whether a field and its siblings are edited in one line, as a timespan. They are not if
// one of them has a value that such a line cannot express.
func isTimespan(st schema.ObjectState, s schema.FieldState) bool {
	if s.Node == nil || s.Node.Span == nil || !s.Shown || shapeOf(s) != shapeInput {
		return false
	}
	_, ok := s.Node.SpanText(st.Value)
	return ok
}

// inTimespan reports whether a field is edited in the line of another.
func inTimespan(st schema.ObjectState, s schema.FieldState) bool {
	if s.Node == nil || !s.Node.InSpan() {
		return false
	}
	return slices.ContainsFunc(st.Fields, func(other schema.FieldState) bool {
		return isTimespan(st, other) && slices.ContainsFunc(other.Node.SpanParts(other.Path), s.Path.Equal)
	})
}

// contains reports whether p is the field of the row, one of the fields that the row combines, or below one of
// them.
func (r row) contains(p doc.Path) bool {
	return p.HasPrefix(r.Path) || slices.ContainsFunc(r.paths, p.HasPrefix)
}

// timespanSummary returns what a field adds to the summary of the object in if it is part of a timespan: the
// whole timespan for the amount, nothing for the rest.
func timespanSummary(n *schema.Node, in doc.Value) (string, bool) {
	if n.Span != nil {
		text, ok := n.SpanText(in)
		return oneLine(firstRunes(text, maxSummaryValue*2)), ok && text != ""
	}
	if !n.InSpan() {
		return "", false
	}
	for _, c := range n.Parent.Children {
		if c.Span == nil || !in.Get(c.Name).Exists() {
			continue
		}
		if _, ok := c.SpanText(in); ok && slices.ContainsFunc(c.SpanParts(doc.P(c.Name)), doc.P(n.Name).Equal) {
			return "", true
		}
	}
	return "", false
}
