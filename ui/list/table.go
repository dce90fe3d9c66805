package list

import (
	"bugle/ui/widget"
)

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
