package accessible

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// maxValueLength is how many characters of a value a question shows.
const maxValueLength = 200

// shorten cuts a text for a question, with a note.
func shorten(s string) string {
	lines := strings.Count(s, "\n")
	first, _, _ := strings.Cut(s, "\n")
	n := utf8.RuneCountInString(s)
	cut := len([]rune(first)) > maxValueLength
	if cut {
		first = string([]rune(first)[:maxValueLength])
	}
	switch {
	case lines > 0:
		return fmt.Sprintf("%s and %s, beginning: %s", phrase.Count(lines+1, "line"), phrase.Count(n, "character"), first)
	case cut:
		return fmt.Sprintf("%s, beginning: %s", phrase.Count(n, "character"), first)
	}
	return first
}

// valueText formats the value of a field.
func valueText(st schema.FieldState) string {
	n, v := st.Node, st.Value
	switch v.Kind() {
	case doc.Absent:
		if n != nil && n.Default != "" {
			return "empty; " + defaultOf(n) + " counts"
		}
		return "empty"
	case doc.Null:
		return "null"
	case doc.String:
		if v.Text() == "" {
			return "an empty text"
		}
		if n != nil {
			for _, o := range n.Options {
				if o.Value == v.Text() {
					return o.Title()
				}
			}
		}
		return shorten(v.Text())
	case doc.Bool:
		if n != nil && n.Yes != "" {
			if v.True() {
				return n.Yes
			}
			return n.No
		}
		return yesNo(v.True())
	case doc.Number:
		if n != nil {
			for _, o := range n.Options {
				if o.Value == v.Literal() {
					return o.Title()
				}
			}
		}
		return v.Literal()
	case doc.Array:
		return listText(n, v)
	}
	return objectText(n, v)
}

func yesNo(on bool) string {
	if on {
		return "yes"
	}
	return "no"
}

func defaultOf(n *schema.Node) string {
	word := strings.Trim(n.Default, `"`)
	if n.Kind == schema.Bool {
		return yesNo(word == "true")
	}
	for _, o := range n.Options {
		if o.Value == word {
			return o.Title()
		}
	}
	return word
}

func listText(n *schema.Node, v doc.Value) string {
	if v.Len() == 0 {
		return "an empty list"
	}
	var elem *schema.Node
	if n != nil {
		elem = n.Element
	}
	var parts []string
	for i, e := range v.Elems() {
		if e.Kind() == doc.Object || e.Kind() == doc.Array {
			return phrase.Count(v.Len(), entryNoun(elem))
		}
		if i == 12 {
			parts = append(parts, fmt.Sprintf("and %d more", v.Len()-i))
			break
		}
		parts = append(parts, valueText(schema.FieldState{Node: elem, Value: e}))
	}
	return strings.Join(parts, ", ")
}

// entryNoun returns the noun for an entry of a list or map.
func entryNoun(elem *schema.Node) string {
	if elem != nil && elem.Title != "" {
		return strings.ToLower(elem.Title)
	}
	return "entry"
}

// objectText names what is filled in in an object.
func objectText(n *schema.Node, v doc.Value) string {
	if v.Len() == 0 {
		return "empty"
	}
	var parts []string
	for name, m := range v.Members() {
		if m.Empty() {
			continue
		}
		label := name
		if n != nil {
			if c := n.Child(name); c != nil && c.Name != "" {
				label = c.Label()
			}
		}
		if m.Kind() == doc.String && len(parts) < 2 && !strings.Contains(m.Text(), "\n") && utf8.RuneCountInString(m.Text()) <= 40 {
			st := schema.FieldState{Value: m}
			if n != nil {
				st.Node = n.Child(name)
			}
			label += " " + valueText(st)
		}
		if len(parts) == 6 {
			parts = append(parts, "and more")
			break
		}
		parts = append(parts, label)
	}
	if len(parts) == 0 {
		return "empty"
	}
	return "holds " + strings.Join(parts, ", ")
}

// placeName names a place for display, without the component unless it is the whole name.
func placeName(s *schema.Schema, p doc.Path) string {
	if len(p) == 0 {
		return "the campaign"
	}
	names := s.Trail(p)
	if cell, steps := grid.CellAt(p); steps > 0 {
		names = slices.Replace(names, 2, 2+steps, cell)
	}
	return strings.Join(names, ", ")
}
