// Package browse is a list with a filter and a page that shows the entry under the cursor, beside the list,
// below it or in its place, depending on the size of the screen.
package browse

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
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
	// PageWidth returns the width of the page beside the list, for a screen width.
	PageWidth func(width int) int
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

	table  widget.Table
	filter widget.Prompt
	focus  focus
	zoom   bool // the focused pane fills the screen

	width, height int
	pageRect      area // position of the page in the last layout
}

// focus is the part with the keyboard.
type focus uint8

const (
	onList focus = iota
	onPage
	onFilter
)

// New returns an empty list.
func New[T any](t *themes.Theme, cfg Config[T]) *List[T] {
	l := &List[T]{cfg: cfg, theme: t, table: widget.NewTable(t, cfg.Columns...), filter: widget.NewPrompt(t, "/", cfg.Hint)}
	l.table.Focused = true
	l.show()
	return l
}

// Len returns the number of entries, ignoring the filter.
func (l *List[T]) Len() int { return len(l.entries) }

// Reading reports whether the page has the keyboard.
func (l *List[T]) Reading() bool { return l.focus == onPage }

// Typing reports whether the filter has the keyboard.
func (l *List[T]) Typing() bool { return l.focus == onFilter }

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
	switch l.focus {
	case onFilter:
		if l.filter.Update(msg) {
			l.applyFilter()
			l.table.Home()
		} else if msg.Type != tea.KeyRunes {
			l.move(func() { l.table.Window.Update(msg) })
		}
	case onPage:
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
	press := widget.Pressed(msg)
	a := l.pageArea()
	seen := l.beside() || l.below() || l.focus == onPage
	if seen && msg.X >= a.x && msg.Y >= a.y {
		if press && len(l.shown) > 0 && (!l.below() || msg.Y > a.y+1) {
			l.open() // a click on the tabs of a page below the list does not zoom it
		}
		msg.X, msg.Y = msg.X-a.x-2, msg.Y-a.y-1
		l.cfg.Page.Mouse(msg)
		l.show()
		return
	}
	y := msg.Y - l.tableTop()
	row, ok := l.table.RowAt(y)
	again := press && ok && row == l.table.Cursor && l.focus == onList
	l.move(func() {
		if l.table.Mouse(msg, y) && press {
			l.close()
		}
	})
	if again {
		l.open()
	}
	l.show()
}

// show shows the selected entry on the page.
func (l *List[T]) show() {
	e, ok := l.Selected()
	if !ok && l.focus == onPage {
		l.focus = onList
	}
	l.table.Focused = l.focus != onPage
	if l.pageArea() != l.pageRect {
		l.SetSize(l.width, l.height)
	}
	l.cfg.Show(e, ok)
}

// SetSize sets the size of the list with its page.
func (l *List[T]) SetSize(width, height int) {
	l.width, l.height = width, height
	w := l.tableWidth() - 4
	l.filter.SetSize(w, 1)
	l.table.SetSize(w, l.tableHeight()-2-len(l.above()))
	a := l.pageArea()
	l.pageRect = a
	l.cfg.Page.SetSize(max(a.w-4, 1), max(a.h-2, 1))
}

const (
	// besideMinWidth is the width from which the page is shown beside the list.
	besideMinWidth = 100
	// belowMinHeight is the height from which it may be shown below the list.
	belowMinHeight = 20
)

// fitsBeside reports whether list and page fit side by side.
func (l *List[T]) fitsBeside() bool { return l.width >= besideMinWidth }

// beside reports whether the page is shown beside the list.
func (l *List[T]) beside() bool { return l.fitsBeside() && !l.zoom }

// below reports whether the page is shown below the list.
func (l *List[T]) below() bool {
	return l.cfg.Below && !l.fitsBeside() && !l.zoom && l.focus != onPage && l.height >= belowMinHeight && len(l.shown) > 0
}

func (l *List[T]) tableWidth() int {
	if l.beside() {
		return l.width - l.cfg.PageWidth(l.width)
	}
	return l.width
}

// tableHeight returns the height of the list including its frame: what its rows need, up to half of the screen
// if the page is below it.
func (l *List[T]) tableHeight() int {
	if !l.below() {
		return l.height
	}
	return max(min(len(l.shown)+3+len(l.above()), l.height/2), 8)
}

// area is a rectangle of cells on the screen.
type area struct{ x, y, w, h int }

// pageArea returns the position of the page if it is visible.
func (l *List[T]) pageArea() area {
	switch {
	case l.beside():
		return area{l.tableWidth(), 0, l.width - l.tableWidth(), l.height}
	case l.below():
		return area{0, l.tableHeight(), l.width, l.height - l.tableHeight()}
	}
	return area{0, 0, l.width, l.height}
}

// above returns the lines between the frame and the table.
func (l *List[T]) above() []string {
	var lines []string
	if l.cfg.Above != nil {
		lines = l.cfg.Above(l.tableWidth() - 4)
	}
	if l.focus == onFilter || l.filter.Value() != "" {
		lines = append(lines, l.filter.View())
	}
	return lines
}

// tableTop returns the line of the table's header.
func (l *List[T]) tableTop() int { return 1 + len(l.above()) }

// View draws the list and, if it fits or was opened, the page.
func (l *List[T]) View() string {
	switch {
	case l.beside():
		return widget.JoinHorizontal(l.list(), l.page())
	case l.focus == onPage:
		return l.page()
	case l.below():
		return l.list() + "\n" + l.page()
	}
	return l.list()
}

func (l *List[T]) list() string {
	panel := widget.NewPanel(l.theme, l.cfg.Title)
	panel.Focused = l.focus != onPage
	if len(l.shown) > 0 {
		panel.Info = fmt.Sprintf("%d of %d", l.table.Cursor+1, len(l.shown))
	}
	if l.cfg.Footer != nil {
		panel.Footer = l.cfg.Footer()
	}
	panel.SetSize(l.tableWidth(), l.tableHeight())
	l.table.Empty = l.cfg.Empty()
	return panel.View(strings.Join(append(l.above(), l.table.View()), "\n"))
}

func (l *List[T]) page() string {
	title, info := l.cfg.Head(l.Selected())
	panel := widget.NewPanel(l.theme, title)
	panel.Info, panel.Focused = info, l.focus == onPage
	a := l.pageArea()
	panel.SetSize(a.w, a.h)
	return panel.View(l.cfg.Page.View())
}
