package app

import (
	"strings"

	"bugle/themes"
	"bugle/ui/widget"
)

// crumb is the name of a screen in the header.
type crumb struct {
	text  string
	index int // the number of the screen in the stack; -1 for what stands for those left out
	x     int // its column
	width int
}

const (
	crumbGap = " › "
	ellipsis = "…"
)

// header says whose workspace this is, where one is, and how the screen and the way to the service stand.
type header struct {
	theme     themes.Theme
	workspace string
	titles    []string // of the screens, from the first to the top one
	badge     string   // of the top screen
	tone      themes.Tone
	notice    headerNotice
	width     int
}

func (h *header) view() string {
	left, right := h.start(), widget.Clean(h.badge)
	crumbs, way := h.crumbs()
	texts := make([]string, len(crumbs))
	for i, c := range crumbs {
		texts[i] = c.text
	}
	room := h.width - widget.Width(left) - widget.Width(right) - 2 - widget.Width(way)
	left += h.theme.Strong.Render(widget.Truncate(strings.Join(texts, crumbGap), max(room, 0)))
	gap := max(h.width-widget.Width(left)-widget.Width(way)-widget.Width(right)-1, 1)
	return widget.Fit(left+strings.Repeat(" ", gap)+way+h.theme.Tone(h.tone).Render(right), h.width, 1)
}

func (h *header) start() string {
	return " " + h.theme.TitleFocus.Render("bugle") + " " + h.theme.Muted.Render(widget.Clean(h.workspace)) + "  "
}

// crumbs returns the way to the top screen, its beginning left out where there is no room for it, and how
// the way to the service stands.
func (h *header) crumbs() (crumbs []crumb, way string) {
	start := widget.Width(h.start())
	width := -widget.Width(crumbGap)
	for i, title := range h.titles {
		c := crumb{text: widget.Clean(title), index: i}
		c.width = widget.Width(c.text)
		width += c.width + widget.Width(crumbGap)
		crumbs = append(crumbs, c)
	}
	right := widget.Clean(h.badge)
	room := h.width - start - widget.Width(right) - 2
	way = h.linkText(room-len(noticeGap), width, right != "")
	room -= widget.Width(way)
	for len(crumbs) > 1 && width > room {
		first := 0
		if crumbs[0].index < 0 {
			first = 1
		}
		if len(crumbs) == first+1 {
			break
		}
		dots := crumb{text: ellipsis, index: -1, width: widget.Width(ellipsis)}
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
	minPathWidth    = 14
	normalPathWidth = 30
	minNoticeWidth  = 10 // of a text that is cut off
)

// noticeGap stands between two texts at the right of the header.
const noticeGap = "  "

// linkText returns how the way to the service stands, beside a path of that width; with what sets it apart
// from a text at its right, where one follows. Empty where there is nothing to tell, or no room for it.
func (h *header) linkText(room, path int, follows bool) string {
	n := h.notice
	end := ""
	if follows {
		end = noticeGap
	}
	room -= min(path, minPathWidth) + len(end)
	for i, text := range n.texts {
		text = widget.Clean(text)
		fits := widget.Width(text) <= room
		if last := i == len(n.texts)-1; !last && n.cut {
			text = widget.Truncate(text, room)
			fits = fits || room >= widget.Width(n.texts[i+1])+minNoticeWidth
		} else if !last && i == 0 {
			fits = widget.Width(text)+min(path, normalPathWidth)-min(path, minPathWidth) <= room
		}
		if fits {
			return h.theme.Tone(n.tone).Render(text) + end
		}
	}
	return ""
}

// crumbAt returns the number of the screen whose name stands in a column; false where there is none.
func (h *header) crumbAt(x int) (int, bool) {
	crumbs, _ := h.crumbs()
	for _, c := range crumbs {
		if c.index >= 0 && x >= c.x && x < c.x+c.width {
			return c.index, true
		}
	}
	return 0, false
}
