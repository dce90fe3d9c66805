package campaigns

import (
	"slices"
	"strings"

	"bugle/engine/search/index"
	"bugle/engine/search/query"
	"bugle/themes"
	"bugle/ui/widget"
)

// facetBar shows the counts of states and channels in two lines above the table if they do not fit beside it.
type facetBar struct {
	theme *themes.Theme
	spans []facetSpan
}

// facetSpan is a clickable part of a line.
type facetSpan struct {
	line, from, to int
	choice         facetChoice
}

// at returns the value at a position.
func (c *facetBar) at(x, line int) (facetChoice, bool) {
	for _, sp := range c.spans {
		if sp.line == line && x >= sp.from && x < sp.to {
			return sp.choice, true
		}
	}
	return facetChoice{}, false
}

// view draws the lines and records the positions of the counts.
func (c *facetBar) view(p *facetsPane, width int) []string {
	c.spans = c.spans[:0]
	return []string{
		c.line(0, "f", "State", width, query.Status, usefulValues(p.facet(query.Status))),
		c.line(1, "F", "Channel", width, query.Channel, usefulValues(p.facet(query.Channel))),
	}
}

// The width from which the lines have labels, and the width of the labels.
const (
	labelsMinWidth = 68
	labelsWidth    = 7
)

// ellipsis replaces counts that do not fit.
const ellipsis = "…"

// line draws counts side by side after the key that cycles through them. If they do not fit, the first ones are
// dropped until the selected one is visible.
func (c *facetBar) line(number int, key, name string, width int, of query.Key, values []index.FacetValue) string {
	const gap = 2
	label := c.theme.Key.Render(key)
	start := widget.Width(key) + gap
	if width >= labelsMinWidth {
		label += " " + c.theme.Muted.Render(widget.PadRight(name, labelsWidth))
		start += 1 + labelsWidth
	}
	used, at := start, slices.IndexFunc(values, func(v index.FacetValue) bool { return v.Chosen })
	for i := 0; i <= at; i++ {
		used += widget.Width(tagText(of, values[i])) + gap
	}
	dropped := false
	for ; at > 0 && used > width-gap-1; at-- {
		used -= widget.Width(tagText(of, values[0])) + gap
		values, dropped = values[1:], true
	}
	var b strings.Builder
	b.WriteString(label + "  ")
	x := start
	if len(values) > 0 {
		c.spans = append(c.spans, facetSpan{number, 0, start - gap, facetChoice{key: of}})
	}
	if dropped {
		b.WriteString(ellipsis + " ")
		x += gap
	}
	for i, v := range values {
		w := widget.Width(tagText(of, v))
		need := w
		if i < len(values)-1 {
			need += gap + widget.Width(ellipsis) // space for the ellipsis
		}
		if x+need > width {
			b.WriteString(ellipsis)
			break
		}
		b.WriteString(c.tag(of, v) + "  ")
		c.spans = append(c.spans, facetSpan{number, x, x + w, facetChoice{of, v.Text}})
		x += w + gap
	}
	return widget.Fit(b.String(), width, 1)
}

func tagText(of query.Key, v index.FacetValue) string {
	text := facetLabel(of, v) + " " + shortCount(v.Count)
	if v.Chosen {
		text = "[" + text + "]"
	}
	return widget.Clean(text)
}

func (c *facetBar) tag(of query.Key, v index.FacetValue) string {
	if v.Chosen {
		return c.theme.TabActive.Render(tagText(of, v))
	}
	return c.theme.Muted.Render(widget.Clean(facetLabel(of, v))) + " " + c.theme.Text.Render(shortCount(v.Count))
}
