package app

import (
	"sort"
	"strings"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// View draws the header, the top screen, the status bar, and what lies over them.
func (m *Model) View() string {
	if m.quitting {
		return ""
	}
	if m.tooSmall() {
		return widget.Fit("bugle needs a window of\nat least 40×12.\nctrl+c quits.", m.width, m.height)
	}
	s := m.top()
	out := m.header(s) + "\n" + widget.Fit(s.View(), m.width, m.bodyHeight()) + "\n" + m.status()
	for _, o := range m.overlays {
		out = widget.Center(out, o.view(m.width, m.height), m.width, m.height)
	}
	if m.toasts.Len() > 0 {
		box := m.toasts.View()
		w, h := widget.Width(firstLine(box)), strings.Count(box, "\n")+1
		out = widget.Overlay(out, box, max(m.width-w-1, 0), max(m.height-h-1, 0), m.width, m.height)
	}
	return out
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// header says whose workspace this is, where one is, and how the screen stands.
func (m *Model) header(s screen.Screen) string {
	crumbs := make([]string, len(m.stack))
	for i, sc := range m.stack {
		crumbs[i] = widget.Clean(sc.Title())
	}
	left := " " + m.theme.TitleFocus.Render("bugle") + " " + m.theme.Muted.Render(widget.Clean(m.opts.Deps.Workspace)) + "  "
	right, tone := "", themes.ToneMuted
	if b, ok := s.(screen.Badge); ok {
		right, tone = b.Badge()
		right = widget.Clean(right)
	}
	path := strings.Join(crumbs, " › ")
	room := m.width - widget.Width(left) - widget.Width(right) - 2
	way := m.wayIn(room-len(apart), widget.Width(path), right != "")
	room -= widget.Width(way)
	for len(crumbs) > 1 && widget.Width(path) > room {
		crumbs = crumbs[1:]
		path = "… › " + strings.Join(crumbs, " › ")
	}
	left += m.theme.Strong.Render(widget.Truncate(path, max(room, 0)))
	gap := max(m.width-widget.Width(left)-widget.Width(way)-widget.Width(right)-1, 1)
	return widget.Fit(left+strings.Repeat(" ", gap)+way+m.theme.Tone(tone).Render(right), m.width, 1)
}

// How much of the path is left where something else wants its room: as a rule, and where that something
// can be said in fewer words.
const (
	leastPath  = 14
	usualPath  = 30
	leastWords = 10 // of a text that is cut off
)

// apart stands between two texts at the right of the header.
const apart = "  "

// wayIn gives how the way to the service stands, beside a path of that width; with what sets it apart
// from a text at its right, where one follows. Empty where there is nothing to tell, or no room for it.
func (m *Model) wayIn(room, path int, follows bool) string {
	n := m.notice()
	end := ""
	if follows {
		end = apart
	}
	room -= min(path, leastPath) + len(end)
	for i, text := range n.texts {
		text = widget.Clean(text)
		fits := widget.Width(text) <= room
		if last := i == len(n.texts)-1; !last && n.cut {
			text = widget.Truncate(text, room)
			fits = fits || room >= widget.Width(n.texts[i+1])+leastWords
		} else if !last && i == 0 {
			fits = widget.Width(text)+min(path, usualPath)-min(path, leastPath) <= room
		}
		if fits {
			return m.theme.Tone(n.tone).Render(text) + end
		}
	}
	return ""
}

func (m *Model) status() string {
	var acts []screen.Action
	for _, a := range m.live() {
		if a.Bar > 0 {
			acts = append(acts, a)
		}
	}
	sort.SliceStable(acts, func(i, j int) bool { return acts[i].Bar > acts[j].Bar })
	bar := widget.NewStatusBar(m.theme)
	bar.SetSize(m.width, 1)
	if m.top().Typing() {
		bar.Help.Key = "f1" // a question mark is text
	}
	for _, a := range acts {
		bar.Hints = append(bar.Hints, hint(a, false))
	}
	return bar.View()
}
