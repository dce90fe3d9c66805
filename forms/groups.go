package forms

import (
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// isTimespan reports whether a field and others beside it are asked for in one line, as a time span. They are
// not where one of them holds what no such line can express.
func isTimespan(st schema.ObjectState, s schema.FieldState) bool {
	if s.Node == nil || s.Node.Span == nil || !s.Shown || shapeOf(s) != oneline {
		return false
	}
	_, ok := s.Node.SpanText(st.Value)
	return ok
}

// inTimespan reports whether a field is asked for in the line of another.
func inTimespan(st schema.ObjectState, s schema.FieldState) bool {
	if s.Node == nil || !s.Node.InSpan() {
		return false
	}
	return slices.ContainsFunc(st.Fields, func(other schema.FieldState) bool {
		return isTimespan(st, other) && slices.ContainsFunc(other.Node.SpanParts(other.Path), s.Path.Equal)
	})
}

// holds reports whether p is the field of the row, one that it stands for, or below one.
func (r row) holds(p doc.Path) bool {
	return p.HasPrefix(r.Path) || slices.ContainsFunc(r.parts, p.HasPrefix)
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

// exclusive returns the row that asks for flags of an object of which exactly one is to be on as for one choice.
// There is none where the table names no such choice, and where the flags hold what it cannot show.
func exclusive(st schema.ObjectState) (row, bool) {
	title, flags := st.Node.Choice, flagsOf(st.Node)
	if title == "" {
		return row{}, false
	}
	field := schema.Field{Title: title, Help: st.Node.Help, Kind: schema.String}
	var r row
	for _, s := range st.Fields {
		if !slices.Contains(flags, s.Node.Name) {
			continue
		}
		if r.Node == nil {
			field.Name = s.Node.Name
			node := *s.Node
			node.Field = &field
			r = row{FieldState: s, shape: chosen, label: title}
			r.Node, r.Value = &node, doc.Value{}
		}
		on := s.Value.True()
		if !s.Shown || on && r.Value.Exists() || s.Value.Exists() && s.Value.Kind() != doc.Bool {
			return row{}, false
		}
		if on {
			r.Value = doc.NewString(s.Node.Name)
		}
		r.parts = append(r.parts, s.Path)
		field.Options = append(field.Options, schema.Option{Value: s.Node.Name, Label: s.Node.Label(), Help: strings.TrimSuffix(s.Node.Help, ".")})
	}
	if r.Node != nil {
		r.Options = optionStates(r.Node)
	}
	return r, r.Node != nil
}

// flagsOf returns the names of the flags of an object of which exactly one is to be on.
func flagsOf(n *schema.Node) []string {
	for _, rule := range n.Rules {
		if one, ok := unguarded(rule).(schema.OneTrue); ok {
			return one.Fields
		}
	}
	return nil
}
