package forms

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/x/ansi"
)

// layout has the positions of the rows in a form, and which are visible.
type layout struct {
	width, height int
	labelWidth    int // width of the label column
	headerHeight  int // lines above the rows
	spans         []rowSpan
	top           int // the first visible line
}

// rowSpan is the range of lines of a row.
type rowSpan struct{ from, to int }

// narrowWidth is the width below which a value is below its label.
const narrowWidth = 44

func (l *layout) isNarrow() bool { return l.width < narrowWidth }

// valueWidth returns the available width of a value.
func (l *layout) valueWidth() int {
	if l.isNarrow() {
		return max(l.width-4, 1)
	}
	return max(l.width-l.labelWidth-3, 1)
}

// step returns how many rows a page has.
func (l *layout) step() int { return max(l.height-3, 1) }

// menuHeight returns the available height of an open list.
func (l *layout) menuHeight() int { return max(l.height-5, 3) }

// fitLabels sets the width of the labels to what the rows need.
func (l *layout) fitLabels(rows []row) {
	l.labelWidth = 8
	for _, r := range rows {
		l.labelWidth = max(l.labelWidth, ansi.StringWidth(r.label)+2)
	}
	l.labelWidth = min(l.labelWidth, 30, max(l.width*12/25, 8))
}

// arrange positions the rows by their heights, and scrolls to row at. A row that is too high is shown from the
// line after its heading.
func (l *layout) arrange(heights []int, at int, heading bool) {
	l.spans = l.spans[:0]
	line := 0
	for _, n := range heights {
		l.spans = append(l.spans, rowSpan{line, line + n})
		line += n
	}
	body := l.body()
	if at < len(l.spans) {
		s := l.spans[at]
		if s.to-s.from > body && heading {
			s.from++ // the field rather than its heading
		}
		l.top = max(min(l.top, s.from), min(s.to-body, s.from))
	}
	l.top = max(min(l.top, line-body), 0)
}

// total returns the number of lines of all rows.
func (l *layout) total() int {
	if n := len(l.spans); n > 0 {
		return l.spans[n-1].to
	}
	return 0
}

// body returns the number of lines available for rows.
func (l *layout) body() int {
	n := l.height - l.headerHeight
	if l.total() > n && n > 4 {
		n-- // the line that counts hidden fields
	}
	return max(n, 1)
}

// visibleLines returns which lines of row i are visible.
func (l *layout) visibleLines(i int) (from, to int) {
	s := l.spans[i]
	return max(l.top-s.from, 0), min(s.to, l.top+l.body()) - s.from
}

// rowAt returns the row on line y of the form, and the line within the row.
func (l *layout) rowAt(y int) (i, within int, ok bool) {
	y -= l.headerHeight
	if y < 0 || y >= l.body() {
		return 0, 0, false
	}
	line := l.top + y
	i = slices.IndexFunc(l.spans, func(s rowSpan) bool { return line >= s.from && line < s.to })
	if i < 0 {
		return 0, 0, false
	}
	return i, line - l.spans[i].from, true
}

// moreText returns how many fields are hidden; "" if none is, or there is no space for the text.
func (l *layout) moreText() string {
	body := l.body()
	if l.total() <= body || l.height-l.headerHeight <= 4 {
		return ""
	}
	above, below := 0, 0
	for _, s := range l.spans {
		if s.from < l.top {
			above++
		}
		if s.to > l.top+body {
			below++
		}
	}
	switch {
	case above == 0:
		return fmt.Sprintf("  ↓ %d more", below)
	case below == 0:
		return fmt.Sprintf("  ↑ %d more", above)
	}
	return fmt.Sprintf("  ↑ %d  ↓ %d more", above, below)
}
