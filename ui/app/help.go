package app

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// hint is a key and what it does.
type hint struct {
	Key   string // as shown to the user: "enter", "↑/↓"
	Label string
	// DisabledReason is why the key does nothing now; empty if it does.
	DisabledReason string
}

// newHint returns the first key of an action and its label, or its help if long is set.
func newHint(a screen.Action, long bool) hint {
	h := hint{Label: a.Label, DisabledReason: a.DisabledReason}
	if len(a.Keys) > 0 {
		h.Key = keymap.Format(a.Keys[0])
	}
	if long && a.Help != "" {
		h.Label = a.Help
	}
	return h
}

func (h hint) text() string { return h.Key + " " + widget.Clean(h.Label) }

// render draws the hint on one line.
func (h hint) render(t *themes.Theme) string {
	if h.DisabledReason != "" {
		return t.Faint.Render(h.text())
	}
	return t.Key.Render(h.Key) + " " + t.KeyLabel.Render(widget.Clean(h.Label))
}

// hintLine returns hints side by side, for the lower border of a box.
func hintLine(hints []hint) string {
	parts := make([]string, len(hints))
	for i, h := range hints {
		parts[i] = h.text()
	}
	return strings.Join(parts, " · ")
}

// helpGroup is a heading of the help with its keys.
type helpGroup struct {
	title string
	hints []hint
}

// helpGroups groups the active actions under their headings.
func helpGroups(actions []screen.Action) []helpGroup {
	var groups []helpGroup
	for _, a := range actions {
		if a.Group == "" || len(a.Keys) == 0 {
			continue
		}
		i := slices.IndexFunc(groups, func(g helpGroup) bool { return g.title == a.Group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, helpGroup{title: a.Group})
		}
		groups[i].hints = append(groups[i].hints, newHint(a, true))
	}
	return groups
}

// helpBox lists every key that works now, below the help of the field that has the keyboard.
type helpBox struct {
	box
	field  screen.Field // without a name if none has it
	groups []helpGroup
	closes []string // the keys that opened it
}

func (m *Model) help() tea.Cmd {
	acts := m.activeActions()
	h := &helpBox{groups: helpGroups(acts), closes: keysFor(acts, nameHelp)}
	h.box = box{theme: m.theme, title: "Keys — " + widget.Clean(m.top().Title()), keys: []hint{{Key: "esc", Label: "close"}}}
	h.field, _ = m.top().FocusedField()
	m.pushOverlay(h)
	return nil
}

// Key scrolls, or closes the help.
func (h *helpBox) Key(msg tea.KeyMsg) tea.Cmd {
	if slices.Contains(append(h.closes, "esc", "q", "enter"), msg.String()) {
		return h.Close()
	}
	h.window.UpdateScroll(msg)
	return nil
}

// View draws the box.
func (h *helpBox) View(width, height int) string {
	lines := h.lines(max(min(width-4, 100)-6, 1))
	return h.draw(width, height-2, h.fit(width, lines...), lines, nil)
}

// The width from which the help has two columns, and the gap between them.
const (
	twoColumns = 60
	columnGap  = 3
)

// lines returns the whole help, the groups in one column or in two of about equal height.
func (h *helpBox) lines(width int) []string {
	var lines []string
	if h.field.Name != "" {
		lines = append(lines, h.theme.TitleFocus.Render(widget.Truncate(widget.Clean(h.field.Name), width)))
		for _, text := range h.field.Help {
			lines = append(lines, widget.WrapStyled(h.theme.Text, text, width)...)
		}
		lines = append(lines, "")
	}
	column := width
	if width >= twoColumns {
		column = (width - columnGap) / 2
	}
	var blocks []string
	for _, g := range h.groups {
		blocks = append(blocks, strings.Join(h.group(g, column), "\n")+"\n")
	}
	tall := func(left int) int {
		return max(lipgloss.Height(strings.Join(blocks[:left], "\n")), lipgloss.Height(strings.Join(blocks[left:], "\n")))
	}
	left := len(blocks)
	for column < width && left > 1 && tall(left-1) <= tall(left) {
		left--
	}
	columns := []string{strings.Join(blocks[:left], "\n"), strings.Repeat(" ", columnGap), strings.Join(blocks[left:], "\n")}
	both := lipgloss.JoinHorizontal(lipgloss.Top, columns...)
	return append(lines, strings.Split(strings.TrimRight(both, " \n"), "\n")...)
}

// group returns a heading and its keys.
func (h *helpBox) group(g helpGroup, width int) []string {
	t := h.theme
	lines := []string{t.TitleFocus.Render(widget.Truncate(widget.Clean(g.title), width))}
	keys := 0
	for _, hint := range g.hints {
		keys = max(keys, widget.Width(hint.Key))
	}
	indent := min(keys, width/2) + 2
	for _, hint := range g.hints {
		key, label := t.Key, t.Text
		if hint.DisabledReason != "" {
			key, label = t.Faint, t.Faint
		}
		texts := widget.WrapStyled(label, widget.Clean(hint.Label), width-indent)
		if hint.DisabledReason != "" {
			texts = append(texts, widget.WrapStyled(label, "– "+widget.Clean(hint.DisabledReason), width-indent)...)
		}
		start := key.Render(widget.PadRight(hint.Key, indent))
		for _, text := range texts {
			lines = append(lines, start+text)
			start = strings.Repeat(" ", indent)
		}
	}
	return lines
}
