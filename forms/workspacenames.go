package forms

import (
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

// workspaceNames is what the lists of a workspace offer for the rows of a form.
type workspaceNames struct{ cfg *Config }

// list returns the names of a list; none where the form has no lists.
func (n workspaceNames) list(name string) []string {
	if n.cfg.Suggest == nil || name == "" {
		return nil
	}
	return n.cfg.Suggest(name)
}

// unknown reports whether a row holds a name that the workspace does not have. Nothing is unknown
// where the workspace has no such names at all.
func (n workspaceNames) unknown(r row) bool {
	if r.group != groupFields || r.shape != shapeInput || r.Node == nil || r.Node.Suggest == "" {
		return false
	}
	text := r.Value.Text()
	if text == "" || schema.HasExpression(text) || hasForm(r.Node, schema.Zone) {
		return false
	}
	known := n.list(r.Node.Suggest)
	return len(known) > 0 && !slices.Contains(known, text)
}

// suggestions returns what the text of a row can be; for a list, what its elements can.
func (n workspaceNames) suggestions(r row) []string {
	list := r.Node.Suggest
	if list == "" && r.Node.Element != nil {
		list = r.Node.Element.Suggest
	}
	found := n.list(list)
	if len(found) == 0 && hasForm(r.Node, schema.Zone) {
		return timeparse.Zones()
	}
	return found
}

// expressions returns what can be looked up in the text of a row.
func (n workspaceNames) expressions(r row) []expression {
	if r.Node == nil || !r.Node.Template {
		return nil
	}
	var out []expression
	for _, l := range expressionLists {
		for _, name := range n.list(l.list) {
			out = append(out, expression{source: l.of, name: name})
		}
	}
	for _, text := range n.list(wholeExpressions) {
		e := expression{name: text, text: text}
		if i := strings.IndexAny(text, ".["); i > 0 {
			e.source, e.name = text[:i], strings.TrimPrefix(text[i:], ".")
		}
		out = append(out, e)
	}
	for _, name := range n.list(expressionFilters) {
		out = append(out, expression{source: sourceFilters, name: name, text: name})
	}
	return out
}

// derivedValue returns the value that the text of a field decides for another one; empty where it decides
// none.
func (n workspaceNames) derivedValue(by *schema.Node, text string) string {
	if text == "" {
		return ""
	}
	found := ""
	for _, entry := range n.list(by.Decides.List) {
		other, ok := strings.CutSuffix(entry, " "+text)
		switch {
		case !ok:
		case found != "" && found != other:
			return "" // one of several
		default:
			found = other
		}
	}
	return found
}

// writeDerived writes what the text of a row decides into the other field.
func (n workspaceNames) writeDerived(root doc.Value, r row) doc.Value {
	if r.Node == nil || r.Node.Decides == nil {
		return root
	}
	other := n.derivedValue(r.Node, root.Lookup(r.Path).Text())
	if other == "" {
		return root
	}
	out, err := root.Set(r.Path.Parent().Child(r.Node.Decides.Field), doc.NewString(other))
	if err != nil {
		return root
	}
	return out
}

// isDerived reports whether a field need not be asked for: another one decides it, or will.
func (n workspaceNames) isDerived(st schema.ObjectState, s schema.FieldState) bool {
	for _, by := range st.Fields {
		if by.Node.Decides == nil || by.Node.Decides.Field != s.Node.Name {
			continue
		}
		if by.Value.Empty() && s.Value.Empty() {
			return len(n.list(by.Node.Decides.List)) > 0
		}
		return s.Value.Text() != "" && s.Value.Text() == n.derivedValue(by.Node, by.Value.Text())
	}
	return false
}

// timespanDates returns the names of the dates that the time span of a row may count from.
func (n workspaceNames) timespanDates(r row) []string {
	if r.Node.Span.Date == "" {
		return nil
	}
	at := r.Path.Parent()
	for name := range strings.SplitSeq(r.Node.Span.Date, ".") {
		at = at.Child(name)
	}
	if date := n.cfg.Schema.At(at); date != nil {
		return n.list(date.Suggest)
	}
	return nil
}

// timespanSuggestions returns what the text of a time span can go on to, and whether it is whole already.
func (n workspaceNames) timespanSuggestions(root doc.Value, r row, text string) (offers []string, whole bool) {
	dates := n.timespanDates(r)
	_, err := r.Node.SetSpan(root, r.Path, text, dates)
	return r.Node.SpanOffers(text, dates), err == nil
}

// unknownNote stands beside a name that is none of those that a field suggests.
const unknownNote = "not in this workspace"

// hasForm reports whether a field's texts are of a form: colors, time zones.
func hasForm(n *schema.Node, form schema.Form) bool {
	return n != nil && slices.ContainsFunc(n.Rules, func(rule schema.Rule) bool {
		is, ok := schema.Bare(rule).(schema.Format)
		return ok && is.As == form
	})
}
