package forms

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/x/ansi"
)

// layout is where the rows stand among the lines of a form, and which of them are in sight.
type layout struct {
	width, height int
	labelWidth        int // width of the label column
	headerHeight          int // lines over the rows
	spans         []rowSpan
	top           int // the first line in sight
}

// rowSpan is where a row stands among the lines of the form.
type rowSpan struct{ from, to int }

// narrowWidth is the width under which a value stands below its label.
const narrowWidth = 44

func (l *layout) isNarrow() bool { return l.width < narrowWidth }

// valueWidth returns the cells that a value may take.
func (l *layout) valueWidth() int {
	if l.isNarrow() {
		return max(l.width-4, 1)
	}
	return max(l.width-l.labelWidth-3, 1)
}

// step returns how many rows a page down goes.
func (l *layout) step() int { return max(l.height-3, 1) }

// menuHeight returns the lines that an open list may take.
func (l *layout) menuHeight() int { return max(l.height-5, 3) }

// fitLabels makes the label column as wide as the rows need.
func (l *layout) fitLabels(rows []row) {
	l.labelWidth = 8
	for _, r := range rows {
		l.labelWidth = max(l.labelWidth, ansi.StringWidth(r.label)+2)
	}
	l.labelWidth = min(l.labelWidth, 30, max(l.width*12/25, 8))
}

// arrange takes over how many lines each row takes, and scrolls so that row at is in sight. One that is too high
// shows from the line after its heading on.
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
			s.from++ // rather the field than what stands over it
		}
		l.top = max(min(l.top, s.from), min(s.to-body, s.from))
	}
	l.top = max(min(l.top, line-body), 0)
}

// total returns how many lines the rows take.
func (l *layout) total() int {
	if n := len(l.spans); n > 0 {
		return l.spans[n-1].to
	}
	return 0
}

// body returns the lines left for rows.
func (l *layout) body() int {
	n := l.height - l.headerHeight
	if l.total() > n && n > 4 {
		n-- // the line that says how much more there is
	}
	return max(n, 1)
}

// visibleLines returns which lines of row i are in sight.
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

// moreText returns how many fields are out of sight; "" where none is, or there is no room to tell.
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
