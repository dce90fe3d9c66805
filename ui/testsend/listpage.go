package testsend

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// listPage is a list with details of the selected entry.
type listPage[T any] struct {
	*layout
	list *list.List[T]
	top  int // the first visible line of the details
}

func newListPage[T any](l *layout, noun string, item func(T) widget.Item) listPage[T] {
	return listPage[T]{layout: l, list: list.Items(l.theme, noun, item)}
}

// divide divides the screen. Details below the list have more lines while they have the focus.
func (p *listPage[T]) divide() {
	rows := p.panes.Height() / 2
	if p.onSide() {
		rows = p.panes.Height() * 3 / 5
	}
	p.panes.SetRows(paneSide, rows)
}

// view draws the list, with the details beside or below it.
func (p *listPage[T]) view(title, info, empty, about string, lines []string) string {
	return p.panes.View(func(pane int) panes.Content {
		w, h := p.panes.Size(pane)
		if pane == paneSide {
			c := panes.Content{Title: about}
			if len(lines) > h {
				p.top = max(min(p.top, len(lines)-h), 0)
				to := min(p.top+h, len(lines))
				c.Footer = fmt.Sprintf("%d of %d", to, len(lines))
				lines = lines[p.top:to]
			}
			c.Body = strings.Join(lines, "\n")
			return c
		}
		c := panes.Content{Title: p.breadcrumb(w+4, title), Info: info}
		p.list.SetSize(w, h)
		p.list.Focused = true
		c.Body = p.list.View()
		if p.list.Len() == 0 {
			c.Body = strings.Join(widget.Wrap(empty, w), "\n")
		}
		return c
	})
}

// detailsWidth returns the width of the details.
func (p *listPage[T]) detailsWidth() int {
	p.divide()
	w, _ := p.panes.Size(paneSide)
	return max(w, 1)
}

// Update handles a key that is not an action.
func (p *listPage[T]) Update(msg tea.KeyMsg) {
	p.top = 0
	p.list.Key(msg)
}

// mouse handles a click or the wheel. It reports whether the selected entry was clicked.
func (p *listPage[T]) mouse(msg tea.MouseMsg) (taken bool) {
	p.divide()
	pane, msg := p.panes.Mouse(msg)
	if pane == paneSide {
		p.top = max(p.top+wheel(msg), 0)
		if widget.Pressed(msg) {
			p.panes.Focus(paneSide)
		}
		return false
	}
	before := p.list.Index()
	hit, _ := p.list.Mouse(msg)
	again := p.list.Index() == before
	if !again {
		p.top = 0
	}
	if !hit || !widget.Pressed(msg) {
		return false
	}
	p.panes.Focus(paneMain)
	return again
}

// detailsActions are the actions that focus and scroll the details.
func (p *listPage[T]) detailsActions(heading string) []screen.Action {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { p.top = max(p.top+n, 0); return nil }
	}
	to := func(pane int) func() tea.Cmd {
		return func() tea.Cmd { p.panes.Focus(pane); return nil }
	}
	acts := []screen.Action{
		{Keys: []string{"J"}, Label: "scroll", Help: "scroll the details down", Group: heading, Run: by(1)},
		{Keys: []string{"K"}, Label: "scroll back", Help: "scroll the details up", Group: heading, Run: by(-1)},
		p.zoomAction(false),
	}
	if !p.onSide() {
		return append(acts, screen.Action{Keys: []string{"right", "l"}, Label: "details", Help: "go to the details", Group: heading, BarPriority: 2, Run: to(paneSide)})
	}
	return append(acts,
		screen.Action{Keys: []string{"left", "h"}, Label: "list", Help: "go to the list", Group: heading, BarPriority: 2, Run: to(paneMain)},
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
