package list

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/widget"
)

// Config configures a browser.
type Config[T any] struct {
	Title   string // of the list
	Columns []widget.Column
	Hint    string // placeholder of the filter
	Row     func(T) widget.Cells
	Same    func(a, b T) bool
	Has     func(row T, word string) bool // see [List.Filter]
	Empty   func() string                 // text for an empty list
	// Above returns lines between the frame and the filter; nil for none.
	Above func(width int) []string
	// Footer is the text in the lower border of the list; nil for none.
	Footer func() string

	// Tabs returns the tabs of an entry, and a text that differs once they do. If it is nil, the owner shows entries on
	// [Browser.Page]. OpenTab is the tab that is open first.
	Tabs    func(T) (entry string, tabs []Tab)
	OpenTab int
	// Head returns the heading of the page; ok is false if there is no entry.
	Head func(entry T, ok bool) (title, info string)
	// PageShare and PageMin are the width of the page beside the list, see [panes.Pane].
	PageShare, PageMin int
	// Below shows the page below the list if it does not fit beside it.
	Below bool

	Labels Labels
}

// Browser is a list with a filter, and a page that shows the row under the cursor: beside the list, below it or in its
// place, depending on the size of the screen. Embed it in a screen.
type Browser[T any] struct {
	*List[T]
	// Page shows the entry under the cursor.
	Page  *Reader
	cfg   Config[T]
	panes panes.Panes
}

// The panes.
const (
	paneList = iota
	panePage
)

// besideMinWidth is the width from which the page is shown beside the list.
const besideMinWidth = 100

// New returns an empty browser.
func New[T any](t *themes.Theme, cfg Config[T]) *Browser[T] {
	b := &Browser[T]{List: Table(t, cfg.Labels.Noun, cfg.Row, cfg.Columns...), Page: newReader(t, cfg.OpenTab), cfg: cfg}
	b.List.Same = cfg.Same
	b.Filter(cfg.Hint, cfg.Has)
	b.panes = panes.New(t, panes.Pane{Name: cfg.Labels.Entries}, panes.Pane{Name: "page", From: besideMinWidth, Share: cfg.PageShare, Min: cfg.PageMin})
	b.show()
	return b
}

// Typing reports whether the filter has the keyboard.
func (b *Browser[T]) Typing() bool { return b.Filtering() }

// Reading reports whether the page has the keyboard.
func (b *Browser[T]) Reading() bool { return b.panes.Focused() == panePage }

// Set replaces the rows. The cursor stays on its row if that still exists.
func (b *Browser[T]) Set(rows []T) {
	b.List.Set(rows)
	b.show()
}

// Top moves the cursor to the first row.
func (b *Browser[T]) Top() {
	b.SelectIndex(0)
	b.show()
}

// Key handles a key that is not an action.
func (b *Browser[T]) Key(msg tea.KeyMsg) {
	if b.Reading() {
		b.Page.pager.Update(msg)
	} else {
		b.List.Key(msg)
	}
	b.show()
}

// Mouse handles a mouse event. A click on the selected row opens it.
func (b *Browser[T]) Mouse(msg tea.MouseMsg) {
	pane, msg := b.panes.Mouse(msg)
	switch pane {
	case panePage:
		below := !b.panes.Beside(panePage) && !b.Reading()
		if widget.Pressed(msg) && len(b.Shown()) > 0 && (!below || msg.Y > 0) {
			b.open() // a click on the tabs of a page below the list does not zoom it
		}
		b.Page.mouse(msg)
	case paneList:
		msg.Y -= len(b.above())
		hit, again := b.List.Mouse(msg)
		if hit && widget.Pressed(msg) {
			b.close()
		}
		if again {
			b.open()
		}
	}
	b.show()
}

// show shows the selected row on the page.
func (b *Browser[T]) show() {
	row, ok := b.Selected()
	if !ok {
		b.panes.Focus(paneList)
	}
	b.Focused = !b.Reading()
	b.layout()
	switch {
	case !ok:
		b.Page.Clear()
	case b.cfg.Tabs != nil:
		entry, tabs := b.cfg.Tabs(row)
		b.Page.Show(entry, tabs...)
	}
}

// emptyText returns what is shown if no rows are.
func (b *Browser[T]) emptyText() string {
	if b.Len() > 0 {
		return "No " + b.noun + " matches. Press esc to clear the filter."
	}
	return b.cfg.Empty()
}

// SetSize sets the size of the list with its page.
func (b *Browser[T]) SetSize(width, height int) {
	b.panes.SetSize(width, height)
	b.layout()
}

// belowMinHeight is the height from which the page may be shown below the list.
const belowMinHeight = 20

// layout divides the screen. A list with the page below it gets what its rows need, up to half of the screen.
func (b *Browser[T]) layout() {
	rows := 0
	if height := b.panes.Height(); b.cfg.Below && !b.Reading() && height >= belowMinHeight && len(b.Shown()) > 0 {
		rows = height - max(min(len(b.Shown())+3+len(b.above()), height/2), 8)
	}
	b.panes.SetRows(panePage, rows)
	w, h := b.panes.Size(paneList)
	b.List.SetSize(w, h-len(b.above()))
	if b.panes.Shown(panePage) {
		b.Page.SetSize(b.panes.Size(panePage))
	}
}

// above returns the lines between the frame and the list.
func (b *Browser[T]) above() []string {
	var lines []string
	if b.cfg.Above != nil {
		w, _ := b.panes.Size(paneList)
		lines = b.cfg.Above(w)
	}
	return append(lines, b.FilterLines()...)
}

// View draws the list and, if it fits or was opened, the page.
func (b *Browser[T]) View() string {
	return b.panes.View(func(pane int) panes.Content {
		if pane == panePage {
			title, info := b.cfg.Head(b.Selected())
			return panes.Content{Title: title, Info: info, Body: b.Page.view()}
		}
		c := panes.Content{Title: b.cfg.Title, Info: b.Position()}
		if b.cfg.Footer != nil {
			c.Footer = b.cfg.Footer()
		}
		b.Empty = b.emptyText()
		c.Body = strings.Join(append(b.above(), b.List.View()), "\n")
		return c
	})
}
