package app

import (
	"sort"
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
	bar, _ := m.statusBar()
	out := h.view() + "\n" + widget.Fit(m.top().View(), m.width, m.bodyHeight()) + "\n" + bar.View()
	out = m.coverWithOverlays(out)
	if box, at, ok := m.toastBox(); ok {
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

// toastBox draws the notices and returns where they go: above the status bar, or below the header if they would
// cover an overlay.
func (m *Model) toastBox() (box string, at area, ok bool) {
	if box = m.toasts.View(); box == "" {
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
	if at.overlaps(lies) && m.toasts.HighestLevel() < widget.LevelWarning {
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

// statusBar returns the bar and the action of each hint; for an overlay with keys of its own, those and no
// actions.
func (m *Model) statusBar() (widget.StatusBar, []screen.Action) {
	var acts []screen.Action
	bar := widget.NewStatusBar(m.theme)
	bar.SetSize(m.width, 1)
	bar.Left, bar.LeftTone = "Keys", themes.ToneMuted
	if m.typing() {
		bar.Left, bar.LeftTone = "Typing", themes.ToneAccent
	}
	if o, ok := m.topOverlay().(hinter); ok {
		bar.Hints, bar.Help = o.hints(), widget.Hint{}
		return bar, nil
	}
	for _, a := range m.activeActions() {
		if a.Group == groupEverywhere && a.Name == nameHelp && len(a.Keys) > 0 {
			bar.Help.Key = hint(a, false).Key
		}
		if a.BarPriority > 0 && len(a.Keys) > 0 {
			acts = append(acts, a)
		}
	}
	sort.SliceStable(acts, func(i, j int) bool { return acts[i].BarPriority > acts[j].BarPriority })
	for _, a := range acts {
		bar.Hints = append(bar.Hints, hint(a, false))
	}
	return bar, acts
}
