package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
)

// PlaceLabel returns a display name of a place: the field's title, or the number or name of an entry.
func PlaceLabel(p doc.Path, n *schema.Node) string {
	if n.Name != "" {
		return n.Label()
	}
	last := p.Last()
	switch in := grid.Path(); {
	case p.HasPrefix(in) && len(p) == len(in)+1:
		return grid.LocaleName(last.Name)
	case p.HasPrefix(in.Parent()) && !last.IsIndex:
		return grid.VariationName(last.Name)
	}
	if last.IsIndex && n.Title != "" {
		return fmt.Sprintf("%s %d", n.Title, last.Index+1)
	}
	if last.IsIndex {
		return fmt.Sprintf("Entry %d", last.Index+1)
	}
	return last.Name
}

// PlaceName names a place by its component and field.
func PlaceName(sch *schema.Schema, p doc.Path) string {
	if len(p) == 0 {
		return "Campaign"
	}
	words := []string{}
	for _, at := range []doc.Path{p[:1], p} {
		n := sch.At(at)
		w := at.Last().Name
		if n != nil {
			w = PlaceLabel(at, n)
		}
		if len(words) == 0 || len(p) > 1 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " › ")
}

// ChangeName names what was changed: the field, or the sections if there are several.
func ChangeName(s *schema.Schema, changes []doc.Change) string {
	if at := doc.CommonPath(changes); len(at) > 0 {
		return PlaceName(s, at)
	}
	var names []string
	for _, c := range changes {
		if len(c.Path) == 0 {
			return "everything"
		}
		if name := PlaceName(s, c.Path[:1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return cmp.Or(strings.Join(names, ", "), "everything")
}
