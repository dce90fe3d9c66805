package campaigns

import (
	"slices"
	"strings"

	"bugle/engine/search/index"
	"bugle/engine/search/query"
	"bugle/themes"
	"bugle/ui/widget"
)

// countLines are the counts of states and channels in two lines above the table, where there is no room
// beside it.
type countLines struct {
	theme themes.Theme
	spans []span
}

// span is a part of a line of counts that can be clicked.
type span struct {
	line, from, to int
	choice         choice
}

// at returns what is chosen by a press.
func (c *countLines) at(x, line int) (choice, bool) {
	for _, sp := range c.spans {
		if sp.line == line && x >= sp.from && x < sp.to {
			return sp.choice, true
		}
	}
	return choice{}, false
}

// view draws the lines, and notes where each count can be clicked.
func (c *countLines) view(p *facetsPane, width int) []string {
	c.spans = c.spans[:0]
	return []string{
		c.line(0, "f", "State", width, query.Status, worth(p.of(query.Status))),
		c.line(1, "F", "Channel", width, query.Channel, worth(p.of(query.Channel))),
	}
}

// The lines are named from this width on; the names take this many cells.
const (
	namedFrom  = 68
	namesWidth = 7
)

// leftOut stands for counts that have no room.
const leftOut = "…"

// line draws counts side by side after the key that goes through them. Where they do not fit, the first
// ones give way until the chosen one is in sight.
func (c *countLines) line(number int, key, name string, width int, of query.Key, values []index.FacetValue) string {
	const gap = 2
	label := c.theme.Key.Render(key)
	start := widget.Width(key) + gap
	if width >= namedFrom {
		label += " " + c.theme.Muted.Render(widget.PadRight(name, namesWidth))
		start += 1 + namesWidth
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
		c.spans = append(c.spans, span{number, 0, start - gap, choice{key: of}})
	}
	if dropped {
		b.WriteString(leftOut + " ")
		x += gap
	}
	for i, v := range values {
		w := widget.Width(tagText(of, v))
		need := w
		if i < len(values)-1 {
			need += gap + widget.Width(leftOut) // what says that others follow
		}
		if x+need > width {
			b.WriteString(leftOut)
			break
		}
		b.WriteString(c.tag(of, v) + "  ")
		c.spans = append(c.spans, span{number, x, x + w, choice{of, v.Text}})
		x += w + gap
	}
	return widget.Fit(b.String(), width, 1)
}

func tagText(of query.Key, v index.FacetValue) string {
	text := facetLabel(of, v) + " " + count(v.Count)
	if v.Chosen {
		text = "[" + text + "]"
	}
	return widget.Clean(text)
}

func (c *countLines) tag(of query.Key, v index.FacetValue) string {
	if v.Chosen {
		return c.theme.TabActive.Render(tagText(of, v))
	}
	return c.theme.Muted.Render(widget.Clean(facetLabel(of, v))) + " " + c.theme.Text.Render(count(v.Count))
}
