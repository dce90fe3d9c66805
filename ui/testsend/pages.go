package testsend

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// listPage is a list with details of the selected entry.
type listPage[T any] struct {
	*sendContext
	scrolled // the details
	list     *list.List[T]
	noun     string
	details  func(entry T, w int) []string
}

func newListPage[T any](c *sendContext, noun string, item func(T) widget.Item, details func(T, int) []string) listPage[T] {
	p := listPage[T]{sendContext: c, list: list.Items(c.theme, noun, item), noun: noun, details: details}
	p.list.Focused = true
	return p
}

// View draws the list, with the details beside or below it.
func (p *listPage[T]) view(title, about string) string {
	p.panes.SetRows(paneSide, p.panes.Height()/2)
	return p.panes.View(func(pane int) panes.Content {
		w, h := p.panes.Size(pane)
		if pane == paneMain {
			p.list.SetSize(w, h)
			return panes.Content{Title: p.breadcrumb(w+4, title), Info: phrase.Count(p.list.Len(), p.noun), Body: p.list.View()}
		}
		c := panes.Content{Title: about}
		if entry, ok := p.list.Selected(); ok {
			c.Body, c.Footer = p.show(p.details(entry, w), h)
		}
		return c
	})
}

// Update handles a key that is not an action.
func (p *listPage[T]) Update(msg tea.KeyMsg) {
	if p.list.Key(msg) == list.Moved {
		p.window = widget.Window{}
	}
}

// mouse handles the wheel and clicks. A click on the selected entry does what enter does.
func (p *listPage[T]) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, msg := p.panes.Mouse(msg)
	if pane == paneSide {
		p.window.Scroll(wheel(msg))
		return nil
	}
	before := p.list.Index()
	_, again := p.list.Mouse(msg)
	if p.list.Index() != before {
		p.window = widget.Window{}
	}
	return enterAgain(again)
}

// enterAgain returns the command that presses enter after a click on what is selected already.
func enterAgain(again bool) tea.Cmd {
	if !again {
		return nil
	}
	return screen.Send(tea.KeyMsg{Type: tea.KeyEnter})
}

// scrollActions are the actions that scroll the details.
func (p *listPage[T]) scrollActions(heading string) []screen.Action {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { p.window.Scroll(n); return nil }
	}
	return []screen.Action{
		{Keys: []string{"J"}, Label: "scroll", Help: "scroll the details down", Group: heading, Run: by(1)},
		{Keys: []string{"K"}, Label: "scroll back", Help: "scroll the details up", Group: heading, Run: by(-1)},
	}
}

// read says the entries, and the details of the selected one.
func (p *listPage[T]) read(title string) screen.Page {
	page := screen.Page{Place: "Test send, " + title, Summary: phrase.Count(p.list.Len(), p.noun) + ".", Cursor: p.list.At(),
		Parts: []screen.Part{{Rows: p.list.Rows(nil, nil)}}}
	if entry, ok := p.list.Selected(); ok {
		page.Parts = append(page.Parts, screen.Part{Name: "Details", Lines: list.SpokenLines(strings.Join(p.details(entry, screen.Wide), "\n"))})
	}
	return page
}

// fact draws a label and a value that may wrap.
func fact(t *themes.Theme, name, value string, w int) []string {
	const label = 12
	out := widget.Wrap(widget.Clean(value), max(w-label, 1))
	for i := range out {
		out[i] = t.Muted.Render(widget.PadRight(name, label)) + out[i]
		name = ""
	}
	return out
}
