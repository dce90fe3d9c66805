package campaigns

import (
	"slices"
	"strings"

	"bugle/engine/search/index"
	"bugle/engine/search/query"
	"bugle/themes"
	"bugle/ui/widget"
)

// stateBar shows the counts of states in a line above the table if the filters do not fit beside it.
type stateBar struct {
	theme *themes.Theme
	spans []stateSpan
}

// stateSpan is a clickable part of the line. Without a text it is the label.
type stateSpan struct {
	from, to int
	text     string
}

// at returns the state at a column.
func (c *stateBar) at(x int) (stateSpan, bool) {
	for _, sp := range c.spans {
		if x >= sp.from && x < sp.to {
			return sp, true
		}
	}
	return stateSpan{}, false
}

const (
	// labelMinWidth is the width from which the line has a label.
	labelMinWidth = 68
	// ellipsis replaces counts that do not fit.
	ellipsis = "…"
)

// view draws counts side by side after the key that cycles through them, and records their positions. If they do not
// fit, the first ones are dropped until the selected one is visible.
func (c *stateBar) view(values []index.FacetValue, width int) string {
	const gap = 2
	label := c.theme.Key.Render("f")
	start := 1 + gap
	if width >= labelMinWidth {
		label += " " + c.theme.Muted.Render("State")
		start += widget.Width(" State")
	}
	used, at := start, slices.IndexFunc(values, func(v index.FacetValue) bool { return v.Chosen })
	for i := 0; i <= at; i++ {
		used += widget.Width(stateText(values[i])) + gap
	}
	dropped := false
	for ; at > 0 && used > width-gap-1; at-- {
		used -= widget.Width(stateText(values[0])) + gap
		values, dropped = values[1:], true
	}
	var b strings.Builder
	b.WriteString(label + "  ")
	x := start
	c.spans = append(c.spans[:0], stateSpan{0, start - gap, ""})
	if dropped {
		b.WriteString(ellipsis + " ")
		x += gap
	}
	for i, v := range values {
		w := widget.Width(stateText(v))
		need := w
		if i < len(values)-1 {
			need += gap + widget.Width(ellipsis) // space for the ellipsis
		}
		if x+need > width {
			b.WriteString(ellipsis)
			break
		}
		b.WriteString(c.count(v) + "  ")
		c.spans = append(c.spans, stateSpan{x, x + w, v.Text})
		x += w + gap
	}
	return widget.Fit(b.String(), width, 1)
}

func stateText(v index.FacetValue) string {
	text := facetLabel(query.Status, v) + " " + shortCount(v.Count)
	if v.Chosen {
		text = "[" + text + "]"
	}
	return widget.Clean(text)
}

func (c *stateBar) count(v index.FacetValue) string {
	if v.Chosen {
		return c.theme.TabActive.Render(stateText(v))
	}
	return c.theme.Muted.Render(widget.Clean(facetLabel(query.Status, v))) + " " + c.theme.Text.Render(shortCount(v.Count))
}
