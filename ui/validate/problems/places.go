package problems

import (
	"cmp"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
)

// node returns the schema of a place in a campaign, or in a test request.
func node(ch engine.Channel, p doc.Path) *schema.Node {
	if n := catalog.Campaign(ch).At(p); n != nil {
		return n
	}
	return catalog.TestRequest(ch).At(p)
}

// trail names a place by the titles in the schema: its component, or "Campaign", and the fields in it. A message is named by
// its locale and variation.
func trail(ch engine.Channel, p doc.Path) []string {
	names := []string{"Campaign"}
	message, replaced := grid.CellAt(p)
	for i, step := range p {
		name, n := step.Name, node(ch, p[:i+1])
		switch {
		case i == 2 && replaced > 0:
			name = message
		case i == 3 && replaced > 1:
			continue
		case n != nil && n.Name != "":
			name = n.Label()
		case step.IsIndex:
			name = strconv.Itoa(step.Index + 1)
		}
		if i == 0 && !engine.IsHeadField(step.Name) {
			names[0] = name
		} else {
			names = append(names, name)
		}
	}
	return names
}

// Place names a place of a campaign, including its component, by the titles in the schema; "" if it is not in
// the schema.
func Place(ch engine.Channel, p doc.Path) string {
	if len(p) == 0 || node(ch, p) == nil {
		return ""
	}
	return strings.Join(trail(ch, p), " › ")
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
