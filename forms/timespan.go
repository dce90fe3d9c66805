package forms

import (
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// isTimespan reports whether a field and its siblings are edited in one line, as a timespan. They are not if
// one of them has a value that such a line cannot express.
func isTimespan(st schema.ObjectState, s schema.FieldState) bool {
	if s.Node == nil || s.Node.Span == nil || !s.Shown || shapeOf(s) != ShapeText {
		return false
	}
	_, ok := s.Node.SpanText(st.Value)
	return ok
}

// timespanRow returns the row of a field that is edited as a timespan.
func (f *Form) timespanRow(st schema.ObjectState, s schema.FieldState) row {
	n, r := s.Node, f.fieldRow(s)
	r.Shape, r.Paths = ShapeWords, n.SpanParts(s.Path)
	r.Text, _ = n.SpanText(st.Value)
	r.Placeholder = "e.g. " + n.SpanExample()
	r.Help = firstSentence(n.Help) + " Type it as “" + n.SpanExample() + "”."
	set := func(root doc.Value, text string) (doc.Value, error) {
		return n.SetSpan(root, s.Path, text, f.timespanDates(n, s.Path))
	}
	r.Write = func(root, v doc.Value) (doc.Value, error) {
		if v.Text() == "" {
			return f.without(root, r.Paths...), nil
		}
		if span, err := set(root, v.Text()); err == nil {
			return span, nil
		}
		return f.set(root, s.Path, scalarValue(n.Kind, v.Text())) // what cannot be read is kept as the amount
	}
	r.Read = func(root doc.Value, text string) (words string, notes []string, err error) {
		span, err := set(root, text)
		if words, _ = n.SpanText(span.Lookup(s.Path.Parent())); words == text {
			words = ""
		}
		return words, nil, err
	}
	r.Offers = func(root doc.Value, text string) ([]string, bool) {
		_, err := set(root, text)
		return n.SuggestSpans(text, f.timespanDates(n, s.Path)), err == nil
	}
	return r
}

// timespanDates returns the names of the dates that the timespan at p may be relative to.
func (f *Form) timespanDates(n *schema.Node, p doc.Path) []string {
	if n.Span.Date == "" {
		return nil
	}
	at := p.Parent()
	for name := range strings.SplitSeq(n.Span.Date, ".") {
		at = at.Child(name)
	}
	if date := f.cfg.Schema.At(at); date != nil {
		return f.names(date.Suggest)
	}
	return nil
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
	return p.HasPrefix(r.Path) || slices.ContainsFunc(r.Paths, p.HasPrefix)
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
