package problems

import (
	"cmp"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
)

// component returns the component that a path is in; "" for the whole campaign.
func component(p doc.Path) string {
	if len(p) == 0 || engine.IsHeadField(p[0].Name) {
		return ""
	}
	return p[0].Name
}

// componentOrder returns the components in the order in which users fill them in, then any others.
func componentOrder(ch engine.Channel, problems []schema.Problem) []string {
	names, seen := []string{""}, map[string]bool{"": true}
	for _, c := range catalog.Components(ch) {
		names, seen[string(c.Name)] = append(names, string(c.Name)), true
	}
	for _, p := range problems {
		if name := component(p.Path); !seen[name] {
			names, seen[name] = append(names, name), true
		}
	}
	return names
}

func componentTitle(ch engine.Channel, name string) string {
	if name == "" {
		return "Campaign"
	}
	if n := node(ch, doc.P(name)); n != nil && n.Name != "" {
		return n.Label()
	}
	return name
}

// node returns the schema of a place in a campaign, or in a test request.
func node(ch engine.Channel, p doc.Path) *schema.Node {
	if n := catalog.Campaign(ch).At(p); n != nil {
		return n
	}
	return catalog.TestRequest(ch).At(p)
}

// Field names the place of a problem within its component by the titles in the schema.
func Field(ch engine.Channel, p doc.Path) string {
	var words []string
	cell, steps := grid.CellAt(p)
	for i := range p {
		at := p[:i+1]
		n := node(ch, at)
		switch {
		case i == 0 && component(p) != "" && len(p) > 1:
			continue // the heading names it
		case i == 2 && steps > 0:
			words = append(words, cell)
		case i == 3 && steps > 1:
		case n != nil && n.Name != "":
			words = append(words, n.Label())
		case at.Last().IsIndex:
			words = append(words, fmt.Sprint(at.Last().Index+1))
		default:
			words = append(words, at.Last().Name)
		}
	}
	if len(words) == 0 {
		return "All of it"
	}
	return strings.Join(words, " › ")
}

// Place names a place of a campaign, including its component, by the titles in the schema; "" if it is not in
// the schema.
func Place(ch engine.Channel, p doc.Path) string {
	switch {
	case len(p) == 0 || node(ch, p) == nil:
		return ""
	case len(p) == 1:
		return componentTitle(ch, component(p))
	}
	return componentTitle(ch, component(p)) + " › " + Field(ch, p)
}

// Details describes the details of a refusal, each with its place named as in the builder. A place that is not in the
// schema keeps its path.
func Details(ch engine.Channel, e *engine.Error) []string {
	out := make([]string, len(e.Details))
	for i, d := range e.Details {
		p, _ := doc.ParsePath(d.Target)
		if out[i] = d.Message; len(e.Problems) == len(e.Details) {
			out[i] = e.Problems[i].Text()
		}
		if d.Target != "" {
			out[i] = cmp.Or(Place(ch, p), d.Target) + ": " + out[i]
		}
	}
	return out
}
