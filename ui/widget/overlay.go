package widget

import "strings"

// Overlay draws box over base, a screen of w×h cells, with the box's upper left corner at column x and
// line y. What would lie outside the screen is cut. Colours of the screen go on beside the box, and a
// wide character that the box's edge goes through becomes blank.
func Overlay(base, box string, x, y, w, h int) string {
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

// splice puts piece, width cells wide, over line, w cells wide, from column x on.
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
	// A cut line keeps all its sequences, those that end a colour among them; the reset is for lines
	// that leave a colour on.
	reset := ""
	if strings.Contains(line, "\x1b") || strings.Contains(piece, "\x1b") {
		reset = "\x1b[0m"
	}
	left := fitLine(line, x)
	right := TruncateLeft(line, x+width)
	return left + reset + piece + reset + right
}

// Center draws box over the middle of base, a screen of w×h cells.
func Center(base, box string, w, h int) string {
	x, y := CenterAt(box, w, h)
	return Overlay(base, box, x, y, w, h)
}

// CenterAt gives the column and line at which Center draws a box, for the mouse.
func CenterAt(box string, w, h int) (x, y int) {
	width, height := 0, 0
	for line := range strings.SplitSeq(box, "\n") {
		width = max(width, Width(line))
		height++
	}
	return max((w-width)/2, 0), max((h-height)/2, 0)
}
