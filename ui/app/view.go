package app

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// View draws the header, the top screen, the status bar, and the overlays.
func (m *Model) View() string {
	if m.quitting {
		return ""
	}
	if m.tooSmall() {
		return widget.Fit("bugle needs a window of\nat least 40×12.\nPress ctrl+c to quit.", m.width, m.height)
	}
	h := m.header()
	out := h.view() + "\n" + widget.Fit(m.top().View(), m.width, m.bodyHeight()) + "\n" + m.statusBar().view()
	out = m.coverWithOverlays(out)
	if box, at, ok := m.noticeBox(); ok {
		out = widget.Cover(out, box, at.x, at.y, m.width, m.height)
	}
	return out
}

// area is a rectangle of cells in the window.
type area struct{ x, y, w, h int }

func (a area) contains(x, y int) bool { return x >= a.x && x < a.x+a.w && y >= a.y && y < a.y+a.h }

func (a area) overlaps(b area) bool {
	return a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h
}

// noticeBox draws the notices and returns where they go: above the status bar, or below the header if they would
// cover an overlay.
func (m *Model) noticeBox() (box string, at area, ok bool) {
	if box = m.notices.view(m.theme, m.width, m.height); box == "" {
		return "", area{}, false
	}
	w, h := widget.Width(firstLine(box)), strings.Count(box, "\n")+1
	at = area{max(m.width-w-1, 0), max(m.height-h-1, 0), w, h}
	o := m.topOverlay()
	if o == nil {
		return box, at, true
	}
	_, lies := m.drawOverlay(o)
	if up := (area{at.x, 1, w, h}); at.overlaps(lies) && (!up.overlaps(lies) || lies.y > m.height-lies.y-lies.h) {
		at = up
	}
	urgent := func(n notice) bool { return n.Level >= widget.LevelWarning }
	if at.overlaps(lies) && !slices.ContainsFunc(m.notices.shown(m.height), urgent) {
		return "", area{}, false // it is not shown now; the overlay explains what happened
	}
	return box, at, true
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// header returns the first line of the window.
func (m *Model) header() header {
	h := header{theme: m.theme, workspace: m.opts.Deps.Workspace, notice: m.link.notice(), width: m.width}
	for _, l := range m.stack {
		h.titles = append(h.titles, l.Title())
	}
	h.badge, h.tone = m.top().Badge()
	return h
}

// typing reports whether a printable key is text rather than a command.
func (m *Model) typing() bool {
	switch o := m.topOverlay().(type) {
	case nil:
	case screen.Actor:
		return o.Typing()
	case interface{ typing() bool }:
		return o.typing()
	default:
		return false
	}
	if w, ok := m.top().(screen.TextFocuser); ok {
		return w.TextFocused()
	}
	return m.top().Typing()
}

// statusBar is the last line of the window: whether one types, and the keys that work now.
type statusBar struct {
	theme *themes.Theme
	width int
	mode  string
	tone  themes.Tone
	items []barItem // those that fit
}

// barItem is a hint that can be clicked.
type barItem struct {
	hint
	press func() tea.Cmd
}

// barGap separates two hints.
const barGap = "  "

// statusBar returns the bar. As many hints are shown as fit, the last of which opens the help.
func (m *Model) statusBar() statusBar {
	bar := statusBar{theme: m.theme, width: m.width, mode: "Keys", tone: themes.ToneMuted}
	if m.typing() {
		bar.mode, bar.tone = "Typing", themes.ToneAccent
	}
	all, help := m.barItems()
	room := m.width - widget.Width(bar.start())
	for _, item := range help {
		room -= widget.Width(item.text())
	}
	for _, item := range all {
		if room -= widget.Width(item.text()) + len(barGap); room < 0 {
			break
		}
		bar.items = append(bar.items, item)
	}
	bar.items = append(bar.items, help...)
	return bar
}

// barItems returns the hints of the overlay, or else of the actions, the most important ones first, and the one of the help.
func (m *Model) barItems() (items, help []barItem) {
	if o, ok := m.topOverlay().(hinter); ok {
		for _, h := range o.hints() {
			items = append(items, barItem{h, func() tea.Cmd {
				key, _ := keymap.KeyMsg(h.Key)
				return m.handleKey(key)
			}})
		}
		return items, nil
	}
	actions := m.activeActions()
	slices.SortStableFunc(actions, func(a, b screen.Action) int { return b.BarPriority - a.BarPriority })
	for _, a := range actions {
		item := barItem{newHint(a, false), func() tea.Cmd { return m.pressAction(a) }}
		switch {
		case len(a.Keys) == 0:
		case a.Group == groupEverywhere && a.Name == nameHelp:
			help = append(help, item)
		case a.BarPriority > 0:
			items = append(items, item)
		}
	}
	return items, help
}

func (s statusBar) start() string { return " " + s.mode + barGap }

func (s statusBar) view() string {
	parts := make([]string, len(s.items))
	for i, item := range s.items {
		parts[i] = item.render(s.theme)
	}
	return widget.Fit(s.theme.Paint(s.tone, s.start())+strings.Join(parts, barGap), s.width, 1)
}

// press does what the hint at a column says.
func (s statusBar) press(x int) tea.Cmd {
	x -= widget.Width(s.start())
	for _, item := range s.items {
		w := widget.Width(item.text())
		if x >= 0 && x < w {
			return item.press()
		}
		x -= w + len(barGap)
	}
	return nil
}
