package testsend

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// listPage is a list with details of the selected entry.
type listPage struct {
	*layout
	list    widget.List
	details bool // the details have the keyboard
	top     int  // the first visible line of the details
}

func newListPage(l *layout) listPage { return listPage{layout: l, list: widget.NewList(l.theme)} }

// view draws the list, with the details beside or below it.
func (p *listPage) view(title, info, empty, about string, lines []string) string {
	left, right := p.panes(p.details, nil)
	panel := p.panel(p.breadcrumb(left.w, title), left, !p.details)
	panel.Info = info
	w, h := panel.Inner()
	p.list.SetSize(w, h)
	p.list.Focused, p.list.Empty = true, ""
	body := p.list.View()
	if len(p.list.Items()) == 0 {
		body = strings.Join(widget.Wrap(empty, w), "\n")
	}
	detail := p.panel(about, right, p.details)
	_, room := detail.Inner()
	if len(lines) > room {
		p.top = max(min(p.top, len(lines)-room), 0)
		to := min(p.top+max(room, 0), len(lines))
		detail.Footer = fmt.Sprintf("%d of %d", to, len(lines))
		lines = lines[p.top:to]
	}
	switch text := strings.Join(lines, "\n"); {
	case left.w == 0:
		return detail.View(text)
	case right.w == 0:
		return panel.View(body)
	default:
		return p.join(panel.View(body), detail.View(text))
	}
}

// detailsWidth returns the width of the details.
func (p *listPage) detailsWidth() int {
	_, right := p.panes(p.details, nil)
	w, _ := p.panel("", right, false).Inner()
	return max(w, 1)
}

// Update handles a key that is not an action.
func (p *listPage) Update(msg tea.KeyMsg) {
	p.top = 0
	p.list.Update(msg)
}

// mouse handles a click or the wheel. It reports whether the selected entry was clicked.
func (p *listPage) mouse(msg tea.MouseMsg) (taken bool) {
	main, side := p.panes(p.details, nil)
	if p.inSidePane(main, side, msg.X, msg.Y) {
		p.top = max(p.top+wheel(msg), 0)
		if widget.Pressed(msg) {
			p.details = true
		}
		return false
	}
	before := p.list.Cursor
	inside := p.list.Mouse(msg, msg.Y-1)
	if p.list.Cursor != before {
		p.top = 0
	}
	if widget.Pressed(msg) && inside {
		p.details = false
		return p.list.Cursor == before
	}
	return false
}

// detailsActions are the actions that focus and scroll the details.
func (p *listPage) detailsActions(heading string) []screen.Action {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { p.top = max(p.top+n, 0); return nil }
	}
	to := func(details bool) func() tea.Cmd {
		return func() tea.Cmd { p.details = details; return nil }
	}
	acts := []screen.Action{
		{Keys: []string{"J"}, Label: "scroll", Help: "scroll the details down", Group: heading, Run: by(1)},
		{Keys: []string{"K"}, Label: "scroll back", Help: "scroll the details up", Group: heading, Run: by(-1)},
		p.zoomAction(false),
	}
	if !p.details {
		return append(acts, screen.Action{Keys: []string{"right", "l"}, Label: "details", Help: "go to the details", Group: heading, BarPriority: 2, Run: to(true)})
	}
	return append(acts,
		screen.Action{Keys: []string{"left", "h"}, Label: "list", Help: "go to the list", Group: heading, BarPriority: 2, Run: to(false)},
		screen.Action{Keys: []string{"down", "j"}, Label: "scroll", Help: "scroll down", Group: heading, Run: by(1)},
		screen.Action{Keys: []string{"up", "k"}, Label: "scroll back", Help: "scroll up", Group: heading, Run: by(-1)},
	)
}

// fact draws a label and a value that may wrap.
func fact(t *themes.Theme, name, value string, w int) []string {
	const label = 12
	var out []string
	for i, l := range widget.Wrap(widget.Clean(value), max(w-label, 1)) {
		head := strings.Repeat(" ", label)
		if i == 0 {
			head = t.Muted.Render(widget.PadRight(name, label))
		}
		out = append(out, head+l)
	}
	return out
}
