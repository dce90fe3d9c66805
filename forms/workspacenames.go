package forms

import (
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
	"bugle/forms/typeahead"
)

// names returns the names in a list of the workspace; none if the form has no lists.
func (f *Form) names(name string) []string {
	if f.cfg.Suggest == nil || name == "" {
		return nil
	}
	return f.cfg.Suggest(name)
}

// isUnknown reports whether a row has a name that the workspace does not have. If the workspace has no such names
// at all, none is unknown.
func (f *Form) isUnknown(r row) bool {
	if r.group != groupFields || r.Shape != ShapeName && (r.Shape != ShapeText || r.Node.Suggest == "") {
		return false
	}
	if r.Text == "" || schema.HasExpression(r.Text) || hasForm(r.Node, schema.Zone) {
		return false
	}
	known := f.suggestions(r)
	return len(known) > 0 && !slices.ContainsFunc(known, func(it typeahead.Item) bool { return it.Value == r.Text })
}

// suggestions returns the suggestions for a row; for a list, those for its elements.
func (f *Form) suggestions(r row) []typeahead.Item {
	if r.Suggest != nil || r.Shape != ShapeText && r.Shape != ShapeList {
		return r.Suggest
	}
	list := r.Node.Suggest
	if list == "" && r.Node.Element != nil {
		list = r.Node.Element.Suggest
	}
	found := f.names(list)
	if len(found) == 0 && hasForm(r.Node, schema.Zone) {
		found = timeparse.Zones()
	}
	return typeahead.Items(found)
}

// expressions returns the expressions that can be used in the text of a row.
func (f *Form) expressions(r row) []expression {
	if r.Node == nil || !r.Node.Template {
		return nil
	}
	var out []expression
	for _, l := range expressionLists {
		for _, name := range f.names(l.list) {
			out = append(out, expression{source: l.of, name: name})
		}
	}
	for _, text := range f.names(wholeExpressions) {
		e := expression{name: text, text: text}
		if i := strings.IndexAny(text, ".["); i > 0 {
			e.source, e.name = text[:i], strings.TrimPrefix(text[i:], ".")
		}
		out = append(out, e)
	}
	for _, name := range f.names(expressionFilters) {
		out = append(out, expression{source: sourceFilters, name: name, text: name})
	}
	return out
}

// derivedValue returns the value that the text of a field determines for another one; empty if it determines
// none.
func (f *Form) derivedValue(by *schema.Node, text string) string {
	if text == "" {
		return ""
	}
	found := ""
	for _, entry := range f.names(by.Decides.List) {
		other, ok := strings.CutSuffix(entry, " "+text)
		switch {
		case !ok:
		case found != "" && found != other:
			return "" // ambiguous
		default:
			found = other
		}
	}
	return found
}

// writeDerived writes the value that a row determines into the other field.
func (f *Form) writeDerived(root doc.Value, r row) doc.Value {
	if r.Node == nil || r.Node.Decides == nil {
		return root
	}
	other := f.derivedValue(r.Node, root.Lookup(r.Path).Text())
	if other == "" {
		return root
	}
	out, err := root.Set(r.Path.Parent().Child(r.Node.Decides.Field), doc.NewString(other))
	if err != nil {
		return root
	}
	return out
}

// isDerived reports whether a field need not be asked for, because another one determines it.
func (f *Form) isDerived(st schema.ObjectState, s schema.FieldState) bool {
	for _, by := range st.Fields {
		if by.Node.Decides == nil || by.Node.Decides.Field != s.Node.Name {
			continue
		}
		if by.Value.Empty() && s.Value.Empty() {
			return len(f.names(by.Node.Decides.List)) > 0
		}
		return s.Value.Text() != "" && s.Value.Text() == f.derivedValue(by.Node, by.Value.Text())
	}
	return false
}

// unknownNote is shown beside a name that is not one of the suggestions.
const unknownNote = "not in this workspace"

// hasForm reports whether a field's texts have a format: colors, time zones.
func hasForm(n *schema.Node, form schema.Form) bool {
	return n != nil && slices.ContainsFunc(n.Rules, func(rule schema.Rule) bool {
		is, ok := schema.Unguarded(rule).(schema.Format)
		return ok && is.As == form
	})
}
