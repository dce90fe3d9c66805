package problems

import (
	"cmp"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
)

// table returns the schema of a campaign or, for a place that it does not have, of a test request.
func table(ch engine.Channel, p doc.Path) *schema.Schema {
	if t := catalog.TestRequest(ch); catalog.Campaign(ch).At(p) == nil && t.At(p) != nil {
		return t
	}
	return catalog.Campaign(ch)
}

// trail names a place by the titles in the schema: its component, or "Campaign", and the fields in it. A message is named by
// its locale and variation.
func trail(ch engine.Channel, p doc.Path) []string {
	names := table(ch, p).Trail(p)
	if message, steps := grid.CellAt(p); steps > 0 {
		names = slices.Replace(names, 2, 2+steps, message)
	}
	if len(p) == 0 || engine.IsHeadField(p[0].Name) {
		names = append([]string{"Campaign"}, names...)
	}
	return names
}

// Place names a place of a campaign, including its component, by the titles in the schema; "" if it is not in
// the schema.
func Place(ch engine.Channel, p doc.Path) string {
	if len(p) == 0 || table(ch, p).At(p) == nil {
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
