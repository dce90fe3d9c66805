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
		return widget.Fit("bugle needs a window of\nat least 40×12.\nPress ctrl+c to quit.", m.width, m.height)
	}
	s := m.top()
	out := m.header(s) + "\n" + widget.Fit(s.View(), m.width, m.bodyHeight()) + "\n" + m.status()
	for _, o := range m.overlays {
		box := o.view(m.width, m.height)
		x, y := overlayAt(o, box, m.width, m.height)
		out = strings.ReplaceAll(out, themes.CaretMark, "") // the keyboard is the overlay's
		out = widget.Cover(out, box, x, y, m.width, m.height)
		if p, ok := o.(pointing); ok {
			if sign, x, y, ok := p.pointer(m.height); ok {
				out = widget.Overlay(out, sign, x, y, m.width, m.height)
			}
		}
	}
	if box, at, ok := m.toastBox(); ok {
		out = widget.Drop(out, box, at.x, at.y, m.width, m.height)
	}
	return out
}

// area is a part of the window, in cells.
type area struct{ x, y, w, h int }

func (a area) has(x, y int) bool { return x >= a.x && x < a.x+a.w && y >= a.y && y < a.y+a.h }

func (a area) meets(b area) bool {
	return a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h
}

// toastBox draws the notices and says where they go: above the status bar, or below the header where
// they would cover what lies over the screen.
func (m *Model) toastBox() (box string, at area, ok bool) {
	if box = m.toasts.View(); box == "" {
		return "", area{}, false
	}
	w, h := widget.Width(firstLine(box)), strings.Count(box, "\n")+1
	at = area{max(m.width-w-1, 0), max(m.height-h-1, 0), w, h}
	if len(m.overlays) == 0 {
		return box, at, true
	}
	o := m.overlays[len(m.overlays)-1]
	over := o.view(m.width, m.height)
	x, y := overlayAt(o, over, m.width, m.height)
	lies := area{x, y, widget.Width(firstLine(over)), strings.Count(over, "\n") + 1}
	if up := (area{at.x, 1, w, h}); at.meets(lies) && (!up.meets(lies) || y > m.height-y-lies.h) {
		at = up
	}
	if at.meets(lies) && m.toasts.Gravest() < widget.LevelWarning {
		return "", area{}, false // it waits, or goes unseen: what it tells of can be seen as well
	}
	return box, at, true
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// crumb is the name of a screen in the header.
type crumb struct {
	text  string
	at    int // the number of the screen in the stack; -1 for what stands for those left out
	x     int // its column
	width int
}

const (
	crumbGap = " › "
	leftOut  = "…"
)

// header says whose workspace this is, where one is, and how the screen stands.
func (m *Model) header(s screen.Screen) string {
	left := m.headerStart()
	right, tone := m.badge(s)
	crumbs, way := m.crumbs(s)
	texts := make([]string, len(crumbs))
	for i, c := range crumbs {
		texts[i] = c.text
	}
	room := m.width - widget.Width(left) - widget.Width(right) - 2 - widget.Width(way)
	left += m.theme.Strong.Render(widget.Truncate(strings.Join(texts, crumbGap), max(room, 0)))
	gap := max(m.width-widget.Width(left)-widget.Width(way)-widget.Width(right)-1, 1)
	return widget.Fit(left+strings.Repeat(" ", gap)+way+m.theme.Tone(tone).Render(right), m.width, 1)
}

func (m *Model) headerStart() string {
	return " " + m.theme.TitleFocus.Render("bugle") + " " + m.theme.Muted.Render(widget.Clean(m.opts.Deps.Workspace)) + "  "
}

func (m *Model) badge(s screen.Screen) (string, themes.Tone) {
	if b, ok := s.(screen.Badge); ok {
		text, tone := b.Badge()
		return widget.Clean(text), tone
	}
	return "", themes.ToneMuted
}

// crumbs returns the way to the top screen, its beginning left out where there is no room for it, and how
// the way to the service stands.
func (m *Model) crumbs(s screen.Screen) (crumbs []crumb, way string) {
	start := widget.Width(m.headerStart())
	width := -widget.Width(crumbGap)
	for i, l := range m.stack {
		c := crumb{text: widget.Clean(l.Title()), at: i}
		c.width = widget.Width(c.text)
		width += c.width + widget.Width(crumbGap)
		crumbs = append(crumbs, c)
	}
	right, _ := m.badge(s)
	room := m.width - start - widget.Width(right) - 2
	way = m.wayIn(room-len(apart), width, right != "")
	room -= widget.Width(way)
	for len(crumbs) > 1 && width > room {
		first := 0
		if crumbs[0].at < 0 {
			first = 1
		}
		if len(crumbs) == first+1 {
			break
		}
		dots := crumb{text: leftOut, at: -1, width: widget.Width(leftOut)}
		crumbs = append([]crumb{dots}, crumbs[first+1:]...)
		width = -widget.Width(crumbGap)
		for _, c := range crumbs {
			width += c.width + widget.Width(crumbGap)
		}
	}
	x := start
	for i := range crumbs {
		crumbs[i].x = x
		x += crumbs[i].width + widget.Width(crumbGap)
	}
	return crumbs, way
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

// wayIn returns how the way to the service stands, beside a path of that width; with what sets it apart
// from a text at its right, where one follows. Empty where there is nothing to tell, or no room for it.
func (m *Model) wayIn(room, path int, follows bool) string {
	n := m.link.notice()
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
	bar, _ := m.statusBar()
	return bar.View()
}

// writing reports whether a printable key is text now, and no command.
func (m *Model) writing() bool {
	if n := len(m.overlays); n > 0 {
		w, ok := m.overlays[n-1].(interface{ writing() bool })
		return ok && w.writing()
	}
	if w, ok := m.top().(screen.Writer); ok {
		return w.Writing()
	}
	return m.top().Typing()
}

// statusBar returns the bar and the action of each of its hints; of what lies over the screen and has keys of its
// own, those and no actions.
func (m *Model) statusBar() (widget.StatusBar, []screen.Action) {
	var acts []screen.Action
	bar := widget.NewStatusBar(m.theme)
	bar.SetSize(m.width, 1)
	bar.Left, bar.LeftTone = "Keys", themes.ToneMuted
	if m.writing() {
		bar.Left, bar.LeftTone = "Typing", themes.ToneAccent
	}
	if n := len(m.overlays); n > 0 {
		if o, ok := m.overlays[n-1].(hinting); ok {
			bar.Hints, bar.Help = o.hints(), widget.Hint{}
			return bar, nil
		}
	}
	for _, a := range m.live() {
		if a.Group == everywhere && a.Name == nameHelp && len(a.Keys) > 0 {
			bar.Help.Key = hint(a, false).Key
		}
		if a.Bar > 0 && len(a.Keys) > 0 {
			acts = append(acts, a)
		}
	}
	sort.SliceStable(acts, func(i, j int) bool { return acts[i].Bar > acts[j].Bar })
	for _, a := range acts {
		bar.Hints = append(bar.Hints, hint(a, false))
	}
	return bar, acts
}
