package widget

// Align is the alignment of a column's cells.
type Align int

// Alignments. Numbers are aligned right, so that their digits line up.
const (
	AlignLeft Align = iota
	AlignRight
)

// Column is one column of a Table.
type Column struct {
	// Title is the heading, including a sort indicator.
	Title string
	// Min is the minimum width in cells; the column is not shown any narrower.
	Min int
	// Max is the maximum useful width; 0 means no maximum.
	Max int
	// Weight is the column's share of the remaining width; a column with weight 0 stays at Min.
	Weight int
	// Align is the alignment of its cells.
	Align Align
	// Priority decides which column is dropped first in a narrow table: the highest, and among equals the rightmost.
	// 0 is never dropped.
	Priority int
}

// columnGap is the number of cells between two columns.
const columnGap = 2

// shownColumn is the index and width of a visible column.
type shownColumn struct{ index, width int }

// layout divides width cells among the columns. It drops columns by priority until the rest fit at their
// minimum widths, then distributes the remaining width by weight. If not even the columns that are never
// dropped fit, it shrinks the last ones, and drops those that would have no width.
func layout(columns []Column, width int) []shownColumn {
	shown := make([]shownColumn, 0, len(columns))
	for i, c := range columns {
		shown = append(shown, shownColumn{i, max(c.Min, 1)})
	}
	for requiredWidth(shown) > width {
		worst := -1
		for i, s := range shown {
			if p := columns[s.index].Priority; p > 0 && (worst < 0 || p >= columns[shown[worst].index].Priority) {
				worst = i
			}
		}
		if worst < 0 {
			return shrink(shown, width)
		}
		shown = append(shown[:worst], shown[worst+1:]...)
	}
	grow(columns, shown, width-requiredWidth(shown))
	return shown
}

func requiredWidth(shown []shownColumn) int {
	n := max(len(shown)-1, 0) * columnGap
	for _, s := range shown {
		n += s.width
	}
	return n
}

// shrink keeps the columns that fit from the left, the last one narrowed.
func shrink(shown []shownColumn, width int) []shownColumn {
	for i := range shown {
		if i > 0 {
			width -= columnGap
		}
		if width <= 0 {
			return shown[:i]
		}
		shown[i].width = min(shown[i].width, width)
		width -= shown[i].width
	}
	return shown
}

// grow distributes extra cells among the columns by weight, up to Max. The remainder from rounding goes to the
// first column that can use it.
func grow(columns []Column, shown []shownColumn, extra int) {
	for extra > 0 {
		total := 0
		for _, s := range shown {
			if growth(columns[s.index], s.width) > 0 {
				total += columns[s.index].Weight
			}
		}
		if total == 0 {
			return
		}
		left := extra
		for i := range shown {
			c := columns[shown[i].index]
			share := min(extra*c.Weight/total, growth(c, shown[i].width), left)
			shown[i].width += share
			left -= share
		}
		if left == extra { // less than a cell for each
			for i := range shown {
				if left > 0 && growth(columns[shown[i].index], shown[i].width) > 0 {
					shown[i].width++
					left--
				}
			}
		}
		extra = left
	}
}

// growth returns how many more cells a column of that width can use.
func growth(c Column, width int) int {
	switch {
	case c.Weight <= 0:
		return 0
	case c.Max <= 0:
		return 1 << 30
	default:
		return max(c.Max-width, 0)
	}
}
