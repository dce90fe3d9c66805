package widget

// Align is the side of its column that a cell stands at.
type Align int

// The sides. Numbers stand right, so that their digits line up.
const (
	AlignLeft Align = iota
	AlignRight
)

// Column is one column of a Table.
type Column struct {
	// Title heads the column; a sort sign is part of it.
	Title string
	// Min is the least width in cells that the column is worth showing at.
	Min int
	// Max is the width beyond which it gains nothing; 0: none.
	Max int
	// Weight is its share of the width that is left over; a column of weight 0 stays at Min.
	Weight int
	// Align is where its cells stand.
	Align Align
	// Priority says how soon the column goes when the table is narrow: the highest first, of equal ones
	// the one further right. 0 never goes.
	Priority int
}

// columnGap is the number of cells between two columns.
const columnGap = 2

// shownColumn is a column that found room: its index and the width it got.
type shownColumn struct{ index, width int }

// layout shares width cells among the columns. It drops columns by priority until the rest fit at their
// least widths, then gives out what is left by weight. When not even those that never go fit, the last
// ones are narrowed, and left out where nothing remains.
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

// shrink keeps what fits from the left, the last one narrowed.
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

// grow shares extra cells among the columns by their weights, none beyond its Max. What rounding leaves
// goes to the first that can take it.
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
		if left == extra { // less than a cell for anyone
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

// growth is how many more cells a column of that width can use.
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
