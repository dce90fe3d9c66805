package app

import (
	"strings"

	"bugle/themes"
	"bugle/ui/widget"
)

// crumb is the name of a screen in the breadcrumb.
type crumb struct {
	text  string
	index int // index of the screen in the stack; -1 for the ellipsis
	x     int // its column
	width int
}

const (
	crumbGap = " › "
	ellipsis = "…"
)

// header is the first line of the window: workspace, breadcrumb, badge and connection notice.
type header struct {
	theme     *themes.Theme
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

// crumbs returns the breadcrumb, shortened at its beginning if it does not fit, and the connection notice.
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

// The minimum width of the breadcrumb beside a notice: normally, and if the notice has a shorter form.
const (
	minPathWidth    = 14
	normalPathWidth = 30
	minNoticeWidth  = 10 // of a truncated notice
)

// noticeGap separates the notice from the badge.
const noticeGap = "  "

// linkText returns the connection notice beside a breadcrumb of that width, followed by a gap if another text
// follows. It is empty if there is no notice or it does not fit.
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

// crumbAt returns the index of the screen whose name is in a column; false if there is none.
func (h *header) crumbAt(x int) (int, bool) {
	crumbs, _ := h.crumbs()
	for _, c := range crumbs {
		if c.index >= 0 && x >= c.x && x < c.x+c.width {
			return c.index, true
		}
	}
	return 0, false
}
