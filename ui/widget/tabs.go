package widget

import (
	"strings"

	"bugle/themes"
)

// Tabs is a line of tab names, one of them active. If they do not all fit, it shows those around the active
// one, with "‹" and "›" where there are more.
type Tabs struct {
	// Names are the tabs from left to right; a count is part of the name.
	Names []string
	// Active is the index of the active tab.
	Active int

	theme *themes.Theme
	width int
}

// NewTabs returns tabs with the first one active.
func NewTabs(t *themes.Theme, names ...string) Tabs { return Tabs{Names: names, theme: t} }

// SetSize sets the width of the tabs; they are always one line high.
func (t *Tabs) SetSize(width, _ int) { t.width = max(width, 0) }

// Next activates the next tab, wrapping around.
func (t *Tabs) Next() { t.step(1) }

// Prev activates the previous tab, wrapping around.
func (t *Tabs) Prev() { t.step(-1) }

func (t *Tabs) step(n int) {
	if len(t.Names) > 0 {
		t.Active = (t.Active + n + len(t.Names)) % len(t.Names)
	}
}

// tabGap is the number of cells between two tabs.
const tabGap = 3

// visible returns the range of tabs that fit, [from, to).
func (t *Tabs) visible() (from, to int) {
	if len(t.Names) == 0 {
		return 0, 0
	}
	active := clamp(t.Active, 0, len(t.Names)-1)
	from, to = active, active+1
	for {
		grown := false
		if to < len(t.Names) && t.span(from, to+1) <= t.width {
			to, grown = to+1, true
		}
		if from > 0 && t.span(from-1, to) <= t.width {
			from, grown = from-1, true
		}
		if !grown {
			return from, to
		}
	}
}

// span returns the width of tabs [from, to), including the signs for more.
func (t *Tabs) span(from, to int) int {
	w := (to - from - 1) * tabGap
	for _, name := range t.Names[from:to] {
		w += Width(Clean(name))
	}
	if from > 0 {
		w += 2
	}
	if to < len(t.Names) {
		w += 2
	}
	return w
}

// At returns the tab at column x; false if there is none.
func (t *Tabs) At(x int) (int, bool) {
	from, to := t.visible()
	start := 0
	if from > 0 {
		start = 2
	}
	for i := from; i < to; i++ {
		w := Width(Clean(t.Names[i]))
		if x >= start && x < start+w && x < t.width {
			return i, true
		}
		start += w + tabGap
	}
	return 0, false
}

// View draws the tabs in exactly their width.
func (t *Tabs) View() string {
	from, to := t.visible()
	var b strings.Builder
	if from > 0 {
		b.WriteString(t.theme.Faint.Render("‹ "))
	}
	for i := from; i < to; i++ {
		if i > from {
			b.WriteString(t.theme.Border.Render(" │ "))
		}
		style := t.theme.Tab
		name := Clean(t.Names[i])
		if i == t.Active {
			style = t.theme.TabActive
			if t.theme.IsPlain() {
				name = strings.ToUpper(name)
			}
		}
		b.WriteString(style.Render(name))
	}
	if to < len(t.Names) {
		b.WriteString(t.theme.Faint.Render(" ›"))
	}
	return fitLine(b.String(), t.width)
}
