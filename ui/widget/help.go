package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
)

// Group is a titled group of keys in a HelpView.
type Group struct {
	Title string
	Hints []Hint
}

// HelpView lists every key that works now, group by group, in as many columns as fit. It scrolls if they do not
// fit. The reason for a dimmed key is shown below it.
type HelpView struct {
	// Title and Text, in paragraphs, are shown above the keys; both may be empty.
	Title string
	Text  []string

	window        Window
	groups        []Group
	lines         []string
	theme         *themes.Theme
	width, height int
}

// NewHelpView returns a view of groups.
func NewHelpView(t *themes.Theme, groups ...Group) HelpView {
	return HelpView{theme: t, groups: groups}
}

// SetSize sets the size of the view.
func (h *HelpView) SetSize(width, height int) {
	h.width, h.height = max(width, 0), max(height, 0)
	h.rebuild()
}

// Update handles the keys that scroll and reports whether msg was one of them.
func (h *HelpView) Update(msg tea.KeyMsg) bool { return h.window.UpdateScroll(msg) }

// Mouse handles the mouse wheel and reports whether msg was a wheel event.
func (h *HelpView) Mouse(msg tea.MouseMsg) bool { return h.window.Wheel(msg) }

// Lines returns the number of lines of the whole help at the current width.
func (h *HelpView) Lines() int { return len(h.lines) }

// View draws exactly the size set by SetSize.
func (h *HelpView) View() string {
	return viewLines(h.theme, &h.window, h.lines, h.width, h.height)
}

// The width of a column of keys, and the gap between two columns.
const (
	helpColumnMin = 30
	helpColumnMax = 46
	helpColumnGap = 3
)

// rebuild renders all groups for the current width.
func (h *HelpView) rebuild() {
	width := max(h.width-2, 1) // the scroll bar
	n := clamp((width+helpColumnGap)/(helpColumnMin+helpColumnGap), 1, max(len(h.groups), 1))
	column := width
	if n > 1 {
		column = min((width-(n-1)*helpColumnGap)/n, helpColumnMax)
	}
	blocks := make([][]string, len(h.groups))
	total := 0
	for i, g := range h.groups {
		blocks[i] = h.block(g, column)
		total += len(blocks[i]) + 1
	}
	columns := distribute(blocks, n, total)
	h.lines = append(h.intro(width), joinColumns(columns, column)...)
	h.window.Resize(len(h.lines), h.height)
}

// intro renders what is above the keys.
func (h *HelpView) intro(width int) []string {
	if h.Title == "" {
		return nil
	}
	lines := []string{h.theme.TitleFocus.Render(Truncate(Clean(h.Title), width))}
	for _, text := range h.Text {
		lines = append(lines, WrapStyled(h.theme.Text, text, width)...)
	}
	return append(lines, "")
}

// block renders one group.
func (h *HelpView) block(g Group, width int) []string {
	lines := []string{h.theme.TitleFocus.Render(Truncate(Clean(g.Title), width))}
	keys := 0
	for _, hint := range g.Hints {
		keys = max(keys, Width(Clean(hint.Key)))
	}
	keys = min(keys, max(width/2, 1))
	indent := keys + 2
	for _, hint := range g.Hints {
		key, label := h.theme.Key, h.theme.Text
		if hint.Dim {
			key, label = h.theme.Faint, h.theme.Faint
		}
		start := key.Render(PadRight(Clean(hint.Key), keys)) + "  "
		for _, part := range Wrap(Clean(hint.Label), max(width-indent, 1)) {
			lines = append(lines, start+label.Render(part))
			start = spaces(indent)
		}
		if !hint.Dim || hint.DisabledReason == "" {
			continue
		}
		for _, part := range Wrap("– "+Clean(hint.DisabledReason), max(width-indent, 1)) {
			lines = append(lines, spaces(indent)+h.theme.Faint.Render(part))
		}
	}
	return lines
}

// distribute arranges blocks in n columns of about equal height, in order, with a blank line between two.
func distribute(blocks [][]string, n, total int) [][]string {
	columns := make([][]string, 1, n)
	for i, block := range blocks {
		last := len(columns) - 1
		full := len(columns[last]) > 0 && len(columns[last])+len(block)/2 >= (total+n-1)/n
		if full && len(columns) < n || len(columns[last]) > 0 && len(blocks)-i < n-last {
			columns = append(columns, nil)
			last++
		}
		if len(columns[last]) > 0 {
			columns[last] = append(columns[last], "")
		}
		columns[last] = append(columns[last], block...)
	}
	return columns
}

// joinColumns joins columns of equal width into lines.
func joinColumns(columns [][]string, width int) []string {
	height := 0
	for _, c := range columns {
		height = max(height, len(c))
	}
	lines := make([]string, height)
	for y := range lines {
		var b strings.Builder
		for x, c := range columns {
			if x > 0 {
				b.WriteString(spaces(helpColumnGap))
			}
			if y < len(c) {
				b.WriteString(fitLine(c[y], width))
			} else {
				b.WriteString(spaces(width))
			}
		}
		lines[y] = b.String()
	}
	return lines
}
