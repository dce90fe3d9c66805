// Package browse is a list with a filter and a page that shows the entry under the cursor, beside the list,
// below it or in its place, depending on the size of the screen.
package browse

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/widget"
)

// Page shows one entry. [Reader] implements most of one.
type Page interface {
	SetSize(width, height int)
	Update(tea.KeyMsg)
	// Mouse handles a mouse event relative to the page.
	Mouse(tea.MouseMsg)
	// Turn switches to another of the page's tabs.
	Turn(n int)
	View() string
}

// Config configures a list.
type Config[T any] struct {
	Title   string // of the list
	Columns []widget.Column
	Hint    string // placeholder of the filter
	Row     func(T) widget.Cells
	Same    func(a, b T) bool
	// Filter returns the predicate for a filter text.
	Filter func(filter string) func(T) bool
	Empty  func() string // text for an empty list
	// Above returns lines between the frame and the filter; nil for none.
	Above func(width int) []string
	// Footer is the text in the lower border of the list; nil for none.
	Footer func() string
	// OnMove runs after the user has moved the cursor, and OnClear after the filter was cleared; each may be nil.
	OnMove, OnClear func()

	Page Page
	// Show shows an entry on the page; ok is false if there is none. Head returns the heading of the page.
	Show func(entry T, ok bool)
	Head func(entry T, ok bool) (title, info string)
	// PageShare and PageMin are the width of the page beside the list, see [panes.Pane].
	PageShare, PageMin int
	// Below shows the page below the list if it does not fit beside it.
	Below bool

	Labels Labels
}

// List is a list with its filter and page.
type List[T any] struct {
	cfg     Config[T]
	theme   *themes.Theme
	entries []T
	shown   []int // indexes of the entries that match the filter

	panes  panes.Panes
	table  widget.Table
	filter widget.Prompt
	typing bool // the filter has the keyboard
}

// The panes.
const (
	paneList = iota
	panePage
)

// besideMinWidth is the width from which the page is shown beside the list.
const besideMinWidth = 100

// New returns an empty list.
func New[T any](t *themes.Theme, cfg Config[T]) *List[T] {
	l := &List[T]{cfg: cfg, theme: t, table: widget.NewTable(t, cfg.Columns...), filter: widget.NewPrompt(t, "/", cfg.Hint)}
	l.panes = panes.New(t, panes.Pane{Name: cfg.Labels.Entries}, panes.Pane{Name: "page", From: besideMinWidth, Share: cfg.PageShare, Min: cfg.PageMin})
	l.show()
	return l
}

// Len returns the number of entries, ignoring the filter.
func (l *List[T]) Len() int { return len(l.entries) }

// Reading reports whether the page has the keyboard.
func (l *List[T]) Reading() bool { return l.panes.Focused() == panePage }

// Typing reports whether the filter has the keyboard.
func (l *List[T]) Typing() bool { return l.typing }

// Set replaces the entries. The cursor stays on its entry if that still exists.
func (l *List[T]) Set(entries []T) {
	at, had := l.Selected()
	l.entries = entries
	l.applyFilter()
	if had {
		l.selectEntry(at)
	}
	l.show()
}

func (l *List[T]) selectEntry(entry T) {
	for i, n := range l.shown {
		if l.cfg.Same(l.entries[n], entry) {
			l.table.Select(i)
			return
		}
	}
}

// Top moves the cursor to the first entry.
func (l *List[T]) Top() {
	l.table.Home()
	l.show()
}

// AtTop reports whether the cursor is on the first entry.
func (l *List[T]) AtTop() bool { return l.table.Cursor == 0 }

// Selected returns the entry under the cursor; false if there is none.
func (l *List[T]) Selected() (entry T, ok bool) {
	if l.table.Cursor >= len(l.shown) {
		return entry, false
	}
	return l.entries[l.shown[l.table.Cursor]], true
}

// applyFilter finds the entries that match the filter.
func (l *List[T]) applyFilter() {
	lets := l.cfg.Filter(l.filter.Value())
	l.shown = l.shown[:0]
	for i, e := range l.entries {
		if lets(e) {
			l.shown = append(l.shown, i)
		}
	}
	l.table.SetRows(rows[T]{l})
}

// rows adapts the entries to a table.
type rows[T any] struct{ l *List[T] }

func (r rows[T]) Len() int { return len(r.l.shown) }

func (r rows[T]) Row(i int) widget.Cells { return r.l.cfg.Row(r.l.entries[r.l.shown[i]]) }

// Key handles a key that is not an action.
func (l *List[T]) Key(msg tea.KeyMsg) {
	switch {
	case l.typing:
		if l.filter.Update(msg) {
			l.applyFilter()
			l.table.Home()
		} else if msg.Type != tea.KeyRunes {
			l.move(func() { l.table.Window.Update(msg) })
		}
	case l.Reading():
		l.cfg.Page.Update(msg)
	default:
		l.move(func() { l.table.Window.Update(msg) })
	}
	l.show()
}

// move calls do, which may move the cursor.
func (l *List[T]) move(do func()) {
	before := l.table.Cursor
	do()
	if l.table.Cursor != before && l.cfg.OnMove != nil {
		l.cfg.OnMove()
	}
}

// Mouse handles a mouse event. A click on the selected entry opens it.
func (l *List[T]) Mouse(msg tea.MouseMsg) {
	pane, msg := l.panes.Mouse(msg)
	press := widget.Pressed(msg)
	switch pane {
	case panePage:
		below := !l.panes.Beside(panePage) && !l.Reading()
		if press && len(l.shown) > 0 && (!below || msg.Y > 0) {
			l.open() // a click on the tabs of a page below the list does not zoom it
		}
		l.cfg.Page.Mouse(msg)
	case paneList:
		y := msg.Y - len(l.above())
		row, ok := l.table.RowAt(y)
		again := press && ok && row == l.table.Cursor && !l.typing && !l.Reading()
		l.move(func() {
			if l.table.Mouse(msg, y) && press {
				l.close()
			}
		})
		if again {
			l.open()
		}
	}
	l.show()
}

// show shows the selected entry on the page.
func (l *List[T]) show() {
	e, ok := l.Selected()
	if !ok {
		l.panes.Focus(paneList)
	}
	l.layout()
	l.cfg.Show(e, ok)
}

// SetSize sets the size of the list with its page.
func (l *List[T]) SetSize(width, height int) {
	l.panes.SetSize(width, height)
	l.layout()
}

// belowMinHeight is the height from which the page may be shown below the list.
const belowMinHeight = 20

// layout divides the screen. A list with the page below it gets what its rows need, up to half of the screen.
func (l *List[T]) layout() {
	rows := 0
	if height := l.panes.Height(); l.cfg.Below && !l.Reading() && height >= belowMinHeight && len(l.shown) > 0 {
		rows = height - max(min(len(l.shown)+3+len(l.above()), height/2), 8)
	}
	l.panes.SetRows(panePage, rows)
	w, h := l.panes.Size(paneList)
	l.filter.SetSize(w, 1)
	l.table.SetSize(w, h-len(l.above()))
	if l.panes.Shown(panePage) {
		l.cfg.Page.SetSize(l.panes.Size(panePage))
	}
}

// above returns the lines between the frame and the table.
func (l *List[T]) above() []string {
	var lines []string
	if l.cfg.Above != nil {
		w, _ := l.panes.Size(paneList)
		lines = l.cfg.Above(w)
	}
	if l.typing || l.filter.Value() != "" {
		lines = append(lines, l.filter.View())
	}
	return lines
}

// View draws the list and, if it fits or was opened, the page.
func (l *List[T]) View() string {
	return l.panes.View(func(pane int) panes.Content {
		if pane == panePage {
			title, info := l.cfg.Head(l.Selected())
			return panes.Content{Title: title, Info: info, Body: l.cfg.Page.View()}
		}
		c := panes.Content{Title: l.cfg.Title}
		if len(l.shown) > 0 {
			c.Info = fmt.Sprintf("%d of %d", l.table.Cursor+1, len(l.shown))
		}
		if l.cfg.Footer != nil {
			c.Footer = l.cfg.Footer()
		}
		l.table.Empty, l.table.Focused = l.cfg.Empty(), !l.Reading()
		c.Body = strings.Join(append(l.above(), l.table.View()), "\n")
		return c
	})
}
