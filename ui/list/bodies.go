package list

import (
	"bugle/ui/widget"
)

// items shows each row as an item.
type items[T any] struct {
	widget.List
	item func(T) widget.Item
}

func (b *items[T]) set(rows []T) {
	all := make([]widget.Item, len(rows))
	for i, r := range rows {
		all[i] = b.item(r)
	}
	b.SetItems(all)
}

func (b *items[T]) cursor() int {
	if all := b.Items(); b.Cursor < len(all) && !all[b.Cursor].Heading {
		return b.Cursor
	}
	return -1
}

// RowAt returns the row on a line; false if there is none.
func (b *items[T]) RowAt(y int) (int, bool) { return b.At(y) }

func (b *items[T]) view(focused bool, empty string) string {
	b.Focused, b.Empty = focused, empty
	return b.View()
}

// table shows the rows in columns.
type table[T any] struct {
	widget.Table
	cells func(T) widget.Cells
	rows  []T
}

func (b *table[T]) set(rows []T) {
	b.rows = rows
	b.SetRows(b)
}

// Len returns the number of rows.
func (b *table[T]) Len() int { return len(b.rows) }

// Row returns the cells of a row.
func (b *table[T]) Row(i int) widget.Cells { return b.cells(b.rows[i]) }

func (b *table[T]) cursor() int {
	if b.Cursor < len(b.rows) {
		return b.Cursor
	}
	return -1
}

// SelectItem moves the cursor to a row.
func (b *table[T]) SelectItem(row int) { b.Select(row) }

func (b *table[T]) view(focused bool, empty string) string {
	b.Focused, b.Empty = focused, empty
	return b.View()
}
