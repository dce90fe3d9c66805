package forms

import (
	"slices"
	"strings"

	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

func (f *Form) placeholder(r row) string {
	if r.Node.Default != "" {
		return defaultText(r.Node)
	}
	if r.shape == phrase {
		return "e.g. " + r.Node.SpanExample()
	}
	if r.Node.Kind == schema.Time {
		return "e.g. tomorrow 9am, 25 dec 18:00, +2h"
	}
	if r.Node.Example != "" {
		return "e.g. " + r.Node.Example
	}
	return ""
}

// defaultText returns in the words of the field what counts where it holds nothing.
func defaultText(n *schema.Node) string {
	word := strings.Trim(n.Default, `"`)
	switch {
	case n.Kind == schema.Bool && word == "true":
		word, _ = sides(n)
	case n.Kind == schema.Bool && word == "false":
		_, word = sides(n)
	}
	for _, o := range n.Options {
		if o.Value == word {
			word = o.Title()
		}
	}
	return "default " + word
}

// notKnown is said of a name that is none of those that a field suggests.
const notKnown = "not in this workspace"

// unknownName reports that a row holds a name that the workspace does not have. Nothing is unknown
// where the workspace has no such names at all, or where the problems say it already.
func (f *Form) unknownName(r row) bool {
	if r.group != shown || r.shape != oneline || r.Node == nil || r.Node.Suggest == "" || f.cfg.Suggest == nil {
		return false
	}
	text := r.Value.Text()
	if text == "" || schema.HasExpression(text) || hasForm(r.Node, schema.Zone) || f.directProblem(r) != nil {
		return false
	}
	names := f.cfg.Suggest(r.Node.Suggest)
	return len(names) > 0 && !slices.Contains(names, text)
}

// hasForm reports that a field's texts are of a form: colors, time zones.
func hasForm(n *schema.Node, form schema.Form) bool {
	return n != nil && slices.ContainsFunc(n.Rules, func(rule schema.Rule) bool {
		is, ok := unguarded(rule).(schema.Format)
		return ok && is.As == form
	})
}

func unguarded(rule schema.Rule) schema.Rule {
	if g, ok := rule.(schema.Guard); ok {
		return g.Rule
	}
	return rule
}

func (f *Form) suggestions(r row) []string {
	list := r.Node.Suggest
	if list == "" && r.Node.Element != nil {
		list = r.Node.Element.Suggest
	}
	var names []string
	if list != "" && f.cfg.Suggest != nil {
		names = f.cfg.Suggest(list)
	}
	if len(names) == 0 && hasForm(r.Node, schema.Zone) {
		return timeparse.Zones()
	}
	return names
}
