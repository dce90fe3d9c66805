package widget

import (
	"strings"
)

// Cover draws box over base, a screen of w×h cells, with the box's upper left corner at column x and line y. What would be outside
// the screen is cut. A wide character under the box's edge becomes blank.
func Cover(base, box string, x, y, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	lines := strings.Split(Fit(base, w, h), "\n")
	if box == "" {
		return strings.Join(lines, "\n")
	}
	over := strings.Split(box, "\n")
	width := 0
	for _, line := range over {
		width = max(width, Width(line))
	}
	for i, line := range over {
		if y+i < 0 || y+i >= h {
			continue
		}
		lines[y+i] = splice(lines[y+i], fitLine(line, width), x, width, w)
	}
	return strings.Join(lines, "\n")
}

// splice draws piece, width cells wide, over line, w cells wide, at column x.
func splice(line, piece string, x, width, w int) string {
	if x < 0 {
		piece = TruncateLeft(piece, -x)
		width, x = width+x, 0
	}
	if x+width > w {
		width = w - x
		piece = fitLine(piece, max(width, 0))
	}
	if width <= 0 {
		return line
	}
	// A cut line keeps all its sequences, including those that end a color; the reset is for lines that leave a color
	// on.
	reset := ""
	if strings.Contains(line, "\x1b") || strings.Contains(piece, "\x1b") {
		reset = "\x1b[0m"
	}
	return fitLine(line, x) + reset + piece + reset + TruncateLeft(line, x+width)
}

// Center draws box over the middle of base, a screen of w×h cells, as [Cover] does.
func Center(base, box string, w, h int) string {
	x, y := CenterAt(box, w, h)
	return Cover(base, box, x, y, w, h)
}

// CenterAt returns the column and line at which Center draws a box, for the mouse.
func CenterAt(box string, w, h int) (x, y int) {
	width, height := 0, 0
	for line := range strings.SplitSeq(box, "\n") {
		width = max(width, Width(line))
		height++
	}
	return max((w-width)/2, 0), max((h-height)/2, 0)
}
