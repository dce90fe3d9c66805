package forms

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/forms/textfield"
)

// rowGroup is the section of the form that a row is in, in order.
type rowGroup uint8

const (
	groupFields       rowGroup = iota // applicable fields in schema order; entries of a map; elements
	groupAdder                        // the last row of a map or list: adds to it
	groupUnused                       // fields with a value that the document does not use
	groupUnknown                      // fields that are not in the schema
	groupResponseOnly                 // fields that only responses have
)

// row is one focusable row of a form.
type row struct {
	Input
	group rowGroup
	// custom marks map entries and list elements, whose name or index is the user's choice: they are kept when their text is
	// emptied.
	custom bool
	// locked is why the row cannot be changed; "" if it can.
	locked    string
	required  bool // it is required
	secondary bool // it is below the fields that the form starts with
}

// shapeOf returns how a field with its current value is edited.
func shapeOf(s schema.FieldState) Shape {
	n, v := s.Node, s.Value
	composite := v.Kind() == doc.Object || v.Kind() == doc.Array
	switch n.Kind {
	case schema.Object, schema.Map:
		if v.Exists() && v.Kind() != doc.Object {
			return shapeExternalJSON
		}
		return shapeSubform
	case schema.List:
		switch {
		case v.Exists() && v.Kind() != doc.Array:
			return shapeExternalJSON
		case len(n.Element.Options) > 0:
			return shapeChecklist
		case commaEditable(n.Element, v):
			return ShapeList
		case n.Element.Kind == schema.Object || n.Element.Kind == schema.Map || n.Element.Kind == schema.List:
			return shapeSubform
		}
		return shapeExternalJSON
	case schema.Any:
		if v.Kind() != doc.String && len(v.Encode()) > maxText {
			return shapeExternalJSON
		}
		return externalIfLong(n, v, shapeAnyValue)
	}
	switch {
	case composite:
		return shapeExternalJSON
	case n.Kind == schema.Bool || len(n.Options) > 0:
		return ShapeChoice
	case n.Long:
		return externalIfLong(n, v, shapeTextArea)
	}
	return externalIfLong(n, v, ShapeText)
}

// externalIfLong returns shapeExternalText for a text that is too long for a widget, and s otherwise.
func externalIfLong(n *schema.Node, v doc.Value, s Shape) Shape {
	text := v.Text()
	if !textfield.Accepts(text) || tooLong(text, s) {
		return shapeExternalText
	}
	return s
}

// Summary describes the value of a field in a few words.
func Summary(f schema.FieldState) string {
	if f.Node == nil || f.Value.Empty() || f.Value.Kind() == doc.Object {
		return summary(f.Node, f.Value)
	}
	return fieldSummary(f.Node, f.Value, doc.Value{})
}

// summary describes a value in a few words.
func summary(n *schema.Node, v doc.Value) string {
	switch {
	case v.Empty():
		return "none"
	case v.Kind() == doc.Array:
		if n == nil {
			return phrase.Count(v.Len(), "item")
		}
		return countText(v.Len(), strings.ToLower(n.Label()))
	case v.Kind() != doc.Object:
		return firstRunes(keepText(v), 60)
	}
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, firstRunes(s, 24))
		}
	}
	if n != nil {
		for _, m := range formFields(n, v) {
			add(fieldSummary(m.node, m.value, m.in))
		}
	}
	if len(parts) == 0 {
		for name := range v.Members() {
			add(oneLine(name))
		}
	}
	if len(parts) > 3 {
		parts = append(parts[:3], "…")
	}
	return strings.Join(parts, " · ")
}

// formField is a value shown by a form, and its object.
type formField struct {
	node      *schema.Node
	value, in doc.Value
}

// formFields returns the fields that the form of an object shows, in form order: first those that it starts
// with, including fields of inlined objects.
func formFields(n *schema.Node, v doc.Value) []formField {
	var out []formField
	for _, c := range n.Children {
		switch m := v.Get(c.Name); {
		case m.Empty():
		case c.Flat && m.Kind() == doc.Object:
			out = append(out, formFields(c, m)...)
		default:
			out = append(out, formField{c, m, v})
		}
	}
	slices.SortStableFunc(out, func(a, b formField) int { return cmp.Compare(leadOrder(a.node), leadOrder(b.node)) })
	return out
}

// leadOrder returns the position of a field on a form: its lead, or after all others if it has none.
func leadOrder(n *schema.Node) int {
	if n.Lead == 0 {
		return math.MaxInt
	}
	return n.Lead
}

// maxSummaryValue is the maximum width of a list's values in a summary; longer lists are counted.
const maxSummaryValue = 24

// fieldSummary returns what a field adds to the summary of its object: a short value, the title of a complex
// value, or both if the value alone is unclear, as with numbers.
func fieldSummary(n *schema.Node, v, in doc.Value) string {
	title := strings.ToLower(n.Label())
	if words, ok := timespanSummary(n, in); ok {
		return words
	}
	text := valueText(schema.FieldState{Node: n, Value: v, Options: optionStates(n)})
	switch kind := v.Kind(); {
	case kind == doc.Object:
		return n.Label()
	case kind == doc.Array && n.Kind == schema.List && n.Element.Kind != schema.Object && ansi.StringWidth(text) <= maxSummaryValue:
		return text
	case kind == doc.Array:
		return countText(v.Len(), title)
	case kind == doc.Number:
		return title + " " + text
	case kind == doc.Bool && n.Yes == "" && v.True():
		return title
	case kind == doc.Bool && n.Yes == "":
		return ""
	}
	return text
}

func optionStates(n *schema.Node) []schema.OptionState {
	out := make([]schema.OptionState, len(n.Options))
	for i, o := range n.Options {
		out[i] = schema.OptionState{Option: o, Offered: true}
	}
	return out
}

// countText returns a number with the title of a list, which is a plural.
func countText(n int, title string) string {
	if n == 1 && strings.HasSuffix(title, "s") && !strings.HasSuffix(title, "ss") {
		title = strings.TrimSuffix(title, "s")
	}
	return fmt.Sprintf("%d %s", n, title)
}

// valueText formats the value of a field without focus on one line.
func valueText(s schema.FieldState) string {
	v := s.Value
	switch v.Kind() {
	case doc.Absent:
		return ""
	case doc.String:
		for _, o := range s.Options {
			if o.Value == v.Text() {
				return o.Title()
			}
		}
		return s.Node.WithUnit(oneLine(firstRunes(v.Text(), 300)))
	case doc.Bool:
		yes, no := boolLabels(s.Node)
		if v.True() {
			return yes
		}
		return no
	case doc.Array:
		if s.Node != nil && s.Node.Kind == schema.List {
			return listText(s.Node, v)
		}
	}
	return s.Node.WithUnit(oneLine(firstRunes(string(v.Encode()), 300)))
}

func listText(n *schema.Node, v doc.Value) string {
	var parts []string
	for i, e := range v.Elems() {
		if i == 20 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, valueText(schema.FieldState{Node: n.Element, Value: e, Options: optionStates(n.Element)}))
	}
	if len(parts) == 0 {
		return "[]"
	}
	return strings.Join(parts, ", ")
}

// removable reports whether the value of a row is unused and can be removed.
func (f *Form) removable(r row) bool {
	return r.locked == "" && (r.group == groupUnused || r.group == groupUnknown) && len(r.Path) > len(f.cfg.Path)
}
