package forms

import (
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// isPhrase reports whether a field and others beside it are asked for in one line, as a time span. They are
// not where one of them holds what no such line says.
func isPhrase(st schema.ObjectState, s schema.FieldState) bool {
	if s.Node == nil || s.Node.Span == nil || !s.Shown || shapeOf(s) != oneline {
		return false
	}
	_, ok := s.Node.SpanText(st.Value)
	return ok
}

// inPhrase reports whether a field is asked for in the line of another.
func inPhrase(st schema.ObjectState, s schema.FieldState) bool {
	if s.Node == nil || !s.Node.InSpan() {
		return false
	}
	return slices.ContainsFunc(st.Fields, func(other schema.FieldState) bool {
		return isPhrase(st, other) && slices.ContainsFunc(other.Node.SpanParts(other.Path), s.Path.Equal)
	})
}

// holds reports whether p is the field of the row, one that it stands for, or below one.
func (r row) holds(p doc.Path) bool {
	return p.HasPrefix(r.Path) || slices.ContainsFunc(r.parts, p.HasPrefix)
}

// spanDates returns the names of the dates that the time span of a row may count from.
func (f *Form) spanDates(r row) []string {
	if r.Node.Span.Date == "" || f.cfg.Suggest == nil {
		return nil
	}
	at := r.Path.Parent()
	for name := range strings.SplitSeq(r.Node.Span.Date, ".") {
		at = at.Child(name)
	}
	if n := f.cfg.Schema.At(at); n != nil && n.Suggest != "" {
		return f.cfg.Suggest(n.Suggest)
	}
	return nil
}

// spanOffers returns what the text of a time span can go on to, and whether it is whole already.
func (f *Form) spanOffers(r row, text string) (offers []string, whole bool) {
	dates := f.spanDates(r)
	_, err := r.Node.SetSpan(f.root, r.Path, text, dates)
	return r.Node.SpanOffers(text, dates), err == nil
}

// writeSpan writes the text of a time span. One that cannot be read is kept as the amount.
func (f *Form) writeSpan(root doc.Value, r row, text string) doc.Value {
	if text == "" {
		for _, p := range r.parts {
			root = f.without(root, p)
		}
		return root
	}
	out, err := r.Node.SetSpan(root, r.Path, text, f.spanDates(r))
	if err == nil {
		return out
	}
	if out, err = f.write(root, r.Path, scalarValue(r.Node.Kind, text)); err != nil {
		return root
	}
	return out
}

// spanUnderstood returns what is typed in the row of a time span, in full where it was shortened, and why it
// cannot be read.
func (f *Form) spanUnderstood(r row) (words, refused string) {
	in, ok := f.ed.(*input)
	if !ok || in.text == in.start || in.text == "" {
		return "", ""
	}
	text := unpack(in.text)
	root, err := r.Node.SetSpan(f.before, r.Path, text, f.spanDates(r))
	switch {
	case err != nil && in.list.Len() > 0:
		return "", ""
	case err != nil:
		return "", err.Error()
	}
	if full, _ := r.Node.SpanText(root.Lookup(r.Path.Parent())); full != text {
		return full, ""
	}
	return "", ""
}

// spanBriefly returns what a field adds to the summary of the object in where it is part of a time span: all of
// it at the amount, nothing at the rest.
func spanBriefly(n *schema.Node, in doc.Value) (string, bool) {
	if n.Span != nil {
		text, ok := n.SpanText(in)
		return oneLine(head(text, mostBrief*2)), ok && text != ""
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

// choosing reports whether the text of a time span is about to be replaced by a highlighted one: until then
// nothing is wrong with it.
func (f *Form) choosing(r row) bool {
	in, ok := f.ed.(*input)
	return ok && r.shape == phrase && in.list.At() >= 0
}
