package app

import (
	"slices"
	"strings"

	"bugle/themes"
	"bugle/ui/widget"
)

// What stands between the names of two screens, and for those that do not fit.
const (
	crumbGap = " › "
	ellipsis = "…"
)

// header is the first line of the window: workspace, breadcrumb, connection notice and badge.
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
	left, right := h.start(), h.end()
	crumbs, _ := h.crumbs()
	room := h.width - widget.Width(left) - widget.Width(right) - 2
	left += h.theme.Strong.Render(widget.Truncate(strings.Join(crumbs, crumbGap), max(room, 0)))
	gap := max(h.width-widget.Width(left)-widget.Width(right)-1, 1)
	return widget.Fit(left+strings.Repeat(" ", gap)+right, h.width, 1)
}

func (h *header) start() string {
	return " " + h.theme.TitleFocus.Render("bugle") + " " + h.theme.Muted.Render(widget.Clean(h.workspace)) + "  "
}

// crumbs returns the names of the screens that fit, after an ellipsis if those at the beginning do not, and the index of the
// first name's screen.
func (h *header) crumbs() (names []string, first int) {
	room := h.width - widget.Width(h.start()) - widget.Width(h.end()) - 2
	names = make([]string, len(h.titles))
	for i, title := range h.titles {
		names[i] = widget.Clean(title)
	}
	for first < len(h.titles)-1 && widget.Width(strings.Join(names, crumbGap)) > room {
		names = slices.Replace(names, 0, min(first, 1)+1, ellipsis)
		first++
	}
	return names, first - min(first, 1)
}

// crumbAt returns the index of the screen whose name is in a column; false if there is none.
func (h *header) crumbAt(x int) (int, bool) {
	names, first := h.crumbs()
	x -= widget.Width(h.start())
	for i, name := range names {
		if w := widget.Width(name); x >= 0 && x < w {
			return first + i, name != ellipsis
		} else {
			x -= w + widget.Width(crumbGap)
		}
	}
	return 0, false
}

// minPathWidth is the least width of the breadcrumb beside the long form of the connection notice.
const minPathWidth = 14

// end returns the connection notice and the badge.
func (h *header) end() string {
	badge := h.theme.Tone(h.tone).Render(widget.Clean(h.badge))
	if h.notice.short == "" {
		return badge
	}
	if h.badge != "" {
		badge = "  " + badge
	}
	path := min(widget.Width(strings.Join(h.titles, crumbGap)), minPathWidth)
	notice := widget.Clean(h.notice.long)
	if widget.Width(h.start())+path+widget.Width(notice)+widget.Width(badge)+2 > h.width {
		notice = widget.Clean(h.notice.short)
	}
	return h.theme.Tone(h.notice.tone).Render(notice) + badge
}
