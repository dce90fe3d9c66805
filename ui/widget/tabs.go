package widget

import (
	"strings"

	"bugle/themes"
)

// Tabs is a line of names of which one is open. When they do not all fit, those around the open one are
// shown, and "‹" and "›" say that there are more.
type Tabs struct {
	// Names are the tabs from left to right; a count is part of the name.
	Names []string
	// Active is the open one.
	Active int

	theme themes.Theme
	width int
}

// NewTabs makes a line of tabs, the first one open.
func NewTabs(t themes.Theme, names ...string) Tabs { return Tabs{Names: names, theme: t} }

// SetTheme changes the theme.
func (t *Tabs) SetTheme(theme themes.Theme) { t.theme = theme }

// SetSize tells the tabs their width; they are one line high, whatever the height says.
func (t *Tabs) SetSize(width, _ int) { t.width = max(width, 0) }

// Next opens the next tab, after the last the first.
func (t *Tabs) Next() { t.step(1) }

// Prev opens the tab before, before the first the last.
func (t *Tabs) Prev() { t.step(-1) }

func (t *Tabs) step(n int) {
	if len(t.Names) > 0 {
		t.Active = (t.Active + n + len(t.Names)) % len(t.Names)
	}
}

// tabGap stands between two tabs.
const tabGap = 3

// visible returns the tabs that fit, from the first up to, not including, the second.
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

// span is the width of tabs from up to, not including, to, with the signs that there are more.
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

// At returns the tab at column x, and false where there is none.
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

// View draws the tabs, exactly as wide as SetSize said.
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
