// Package list is a list of rows of one or more lines, with a cursor and an optional filter, and a browser: a list with a
// page that shows the row under the cursor.
package list

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// List shows rows of one type. Create it with [Items], [Table] or [Lines].
type List[T any] struct {
	// Focused reports whether the list has the keyboard.
	Focused bool
	// Empty is shown if there are no rows.
	Empty string
	// Same reports whether two rows are the same one, so that the cursor stays on it when the rows are replaced. If it is
	// nil, the cursor stays on its index.
	Same func(a, b T) bool

	noun   string                                     // of one row: "message"
	words  func(T) (text, state string, heading bool) // for plain mode
	rows   []T
	shown  []T // the rows that match the filter
	body   body[T]
	filter widget.Prompt
	has    func(row T, word string) bool // nil if the rows are those of the filter already
}

// body draws rows of a kind.
type body[T any] interface {
	set(rows []T)
	cursor() int // -1 if it is on no row
	SelectItem(row int)
	Update(tea.KeyMsg) bool
	Mouse(msg tea.MouseMsg, y int) bool
	RowAt(y int) (int, bool)
	SetSize(width, height int)
	Overflows() bool
	view(focused bool, empty string) string
}

// Table returns a list that shows rows in columns. noun names a row: "message".
func Table[T any](t *themes.Theme, noun string, cells func(T) widget.Cells, columns ...widget.Column) *List[T] {
	return newList(t, noun, &table[T]{Table: widget.NewTable(t, columns...), cells: cells}, func(row T) (text, state string, heading bool) {
		var words []string
		for _, c := range cells(row) {
			if c.Text != "" {
				words = append(words, Spoken(c.Text))
			}
		}
		if len(words) == 0 {
			return "", "", false
		}
		return words[0], strings.Join(words[1:], ", "), false
	})
}

func newList[T any](t *themes.Theme, noun string, b body[T], words func(T) (text, state string, heading bool)) *List[T] {
	return &List[T]{noun: noun, body: b, words: words, filter: widget.NewPrompt(t, "/", "")}
}

// Filter makes the list show only rows that have every word of a text. has gets words in lower case; if it is nil, the owner sets
// the rows that match.
func (l *List[T]) Filter(hint string, has func(row T, word string) bool) {
	l.filter.Placeholder, l.has = hint, has
}

// SetColumns replaces the columns of a table.
func (l *List[T]) SetColumns(columns ...widget.Column) {
	if t, ok := l.body.(*table[T]); ok {
		t.Columns = columns
	}
}

// Set replaces the rows. The cursor stays on its row if that still exists.
func (l *List[T]) Set(rows []T) {
	l.rows = rows
	l.Refresh()
}

// Refresh shows the rows again, after what they show has changed.
func (l *List[T]) Refresh() {
	at, had := l.Selected()
	l.arrange()
	if had && l.Same != nil {
		l.Select(func(row T) bool { return l.Same(row, at) })
	}
}

// arrange shows the rows that match the filter.
func (l *List[T]) arrange() {
	l.shown = l.rows
	if words := strings.Fields(strings.ToLower(l.FilterText())); l.has != nil && len(words) > 0 {
		l.shown = slices.DeleteFunc(slices.Clone(l.rows), func(row T) bool {
			return slices.ContainsFunc(words, func(word string) bool { return !l.has(row, word) })
		})
	}
	l.body.set(l.shown)
}

// Len returns the number of rows, ignoring the filter.
func (l *List[T]) Len() int { return len(l.rows) }

// Shown returns the rows that match the filter.
func (l *List[T]) Shown() []T { return l.shown }

// Selected returns the row under the cursor; false if there is none.
func (l *List[T]) Selected() (row T, ok bool) {
	if i := l.body.cursor(); i >= 0 && i < len(l.shown) {
		return l.shown[i], true
	}
	return row, false
}

// Index returns the index of the row under the cursor among the rows shown.
func (l *List[T]) Index() int { return max(l.body.cursor(), 0) }

// Select moves the cursor to the first row for which is returns true, and reports whether there is one.
func (l *List[T]) Select(is func(T) bool) bool {
	for i, r := range l.shown {
		if is(r) {
			l.body.SelectItem(i)
			return true
		}
	}
	return false
}

// SelectIndex moves the cursor to a row by its index among the rows shown.
func (l *List[T]) SelectIndex(i int) { l.body.SelectItem(i) }

// Overflows reports whether the rows do not all fit.
func (l *List[T]) Overflows() bool { return l.body.Overflows() }

// Position describes where the cursor is: "3 of 7"; empty if there are no rows.
func (l *List[T]) Position() string {
	if len(l.shown) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", l.Index()+1, len(l.shown))
}

// None returns why there is no row to act on; empty if there is one.
func (l *List[T]) None() string {
	if _, ok := l.Selected(); ok {
		return ""
	}
	return "No " + l.noun + " is selected."
}

// On returns an action on the row under the cursor: do gets that row. The action is disabled if there is no row, or if why,
// which may be nil, returns a reason for the row; a reason that the action has already comes first. In an empty list, a disabled
// action is not in the status bar.
func (l *List[T]) On(a screen.Action, why func(T) string, do func(T) tea.Cmd) screen.Action {
	row, ok := l.Selected()
	switch {
	case a.DisabledReason != "":
	case !ok:
		a.DisabledReason = l.None()
	case why != nil:
		a.DisabledReason = why(row)
	}
	if len(l.rows) == 0 && a.DisabledReason != "" {
		a.BarPriority = 0
	}
	a.Run = func() tea.Cmd {
		if row, ok := l.Selected(); ok {
			return do(row)
		}
		return nil
	}
	return a
}

// Change is what a key has changed.
type Change uint8

// Changes by a key.
const (
	Unchanged Change = iota
	Moved            // the cursor
	Filtered         // the text of the filter
)

// Key handles a key that is not an action: text while the filter is typed, otherwise one that moves.
func (l *List[T]) Key(msg tea.KeyMsg) Change {
	before := l.body.cursor()
	switch {
	case l.Filtering() && l.filter.Update(msg):
		if l.has != nil {
			l.arrange()
			l.body.SelectItem(0)
		}
		return Filtered
	case l.Filtering() && msg.Type == tea.KeyRunes:
		return Unchanged
	}
	if l.body.Update(msg); l.body.cursor() != before {
		return Moved
	}
	return Unchanged
}

// Mouse handles the wheel, and a click on line msg.Y of the list, which selects the row there and ends typing a filter.
// again reports whether the row was already selected in the list with the focus, as by a double click.
func (l *List[T]) Mouse(msg tea.MouseMsg) (hit, again bool) {
	row, ok := l.body.RowAt(msg.Y)
	again = ok && widget.Pressed(msg) && row == l.body.cursor() && l.Focused && !l.Filtering()
	if !l.body.Mouse(msg, msg.Y) {
		return false, false
	}
	if widget.Pressed(msg) {
		l.filter.Blur()
	}
	return true, again
}

// SetSize sets the size of the list, without the line of its filter.
func (l *List[T]) SetSize(width, height int) {
	l.filter.SetSize(width, 1)
	l.body.SetSize(width, max(height, 0))
}

// View draws exactly the size set by SetSize.
func (l *List[T]) View() string { return l.body.view(l.Focused, l.Empty) }

// Filtering reports whether the filter has the keyboard.
func (l *List[T]) Filtering() bool { return l.filter.Focused() }

// FilterText returns the text of the filter.
func (l *List[T]) FilterText() string { return l.filter.Value() }

// FilterView draws the line with the filter.
func (l *List[T]) FilterView() string { return l.filter.View() }

// FilterLines returns the line with the filter while it is in use.
func (l *List[T]) FilterLines() []string {
	if l.Filtering() || l.FilterText() != "" {
		return []string{l.filter.View()}
	}
	return nil
}

// TypeFilter focuses the filter.
func (l *List[T]) TypeFilter() tea.Cmd {
	l.filter.Focus()
	return nil
}

// ApplyFilter ends typing the filter.
func (l *List[T]) ApplyFilter() tea.Cmd {
	l.filter.Blur()
	return nil
}

// ClearFilter shows all rows; the cursor stays on its row.
func (l *List[T]) ClearFilter() tea.Cmd {
	l.filter.SetValue("")
	l.filter.Blur()
	l.Refresh()
	return nil
}
