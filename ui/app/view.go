package app

import (
	"slices"
	"strings"

	"bugle/themes"
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
	theme   *themes.Theme
	width   int
	mode    string
	tone    themes.Tone
	hints   []hint          // those that fit
	actions []screen.Action // of the hints; none for an overlay with keys of its own
	help    bool            // the last hint opens the help
}

// barGap separates two hints.
const barGap = "  "

// statusBar returns the bar. As many hints are shown as fit, the last of which opens the help.
func (m *Model) statusBar() statusBar {
	bar := statusBar{theme: m.theme, width: m.width, mode: "Keys", tone: themes.ToneMuted}
	if m.typing() {
		bar.mode, bar.tone = "Typing", themes.ToneAccent
	}
	var help *hint
	if o, ok := m.topOverlay().(hinter); ok {
		bar.hints = o.hints()
	} else {
		for _, a := range m.activeActions() {
			if a.Group == groupEverywhere && a.Name == nameHelp && len(a.Keys) > 0 {
				h := newHint(a, false)
				help = &h
			}
			if a.BarPriority > 0 && len(a.Keys) > 0 {
				bar.actions = append(bar.actions, a)
			}
		}
		slices.SortStableFunc(bar.actions, func(a, b screen.Action) int { return b.BarPriority - a.BarPriority })
		for _, a := range bar.actions {
			bar.hints = append(bar.hints, newHint(a, false))
		}
	}
	room := m.width - widget.Width(bar.start())
	if help != nil {
		room -= widget.Width(help.text())
	}
	fit := 0
	for fit < len(bar.hints) && room >= widget.Width(bar.hints[fit].text())+len(barGap) {
		room -= widget.Width(bar.hints[fit].text()) + len(barGap)
		fit++
	}
	bar.hints = bar.hints[:fit:fit]
	if help != nil {
		bar.hints, bar.help = append(bar.hints, *help), true
	}
	return bar
}

func (s statusBar) start() string { return " " + s.mode + barGap }

func (s statusBar) view() string {
	parts := make([]string, len(s.hints))
	for i, h := range s.hints {
		parts[i] = h.render(s.theme)
	}
	return widget.Fit(s.theme.Paint(s.tone, s.start())+strings.Join(parts, barGap), s.width, 1)
}

// at returns the index of the hint in a column; false if there is none.
func (s statusBar) at(x int) (int, bool) {
	x -= widget.Width(s.start())
	for i, h := range s.hints {
		if w := widget.Width(h.text()); x >= 0 && x < w {
			return i, true
		} else {
			x -= w + len(barGap)
		}
	}
	return 0, false
}
