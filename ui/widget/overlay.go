package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Cover draws box over base, a screen of w×h cells, with the box's upper left corner at column x and line y. What would be outside
// the screen is cut. Text that the box covers in part is left out; frames are cut. A wide character under the box's edge becomes
// blank.
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
	from, to := snapToText(line, x, x+width)
	left := fitLine(line, from)
	if from < x {
		left += reset + spaces(x-from)
	}
	right := spaces(to-x-width) + TruncateLeft(line, to)
	return left + reset + piece + reset + right
}

// snapToText widens the columns from x to end of a line so that they cut no text. A text extends over single
// spaces; two spaces or a frame end it.
func snapToText(line string, x, end int) (from, to int) {
	var cells []string // by column; "" after a wide character
	for rest := ansi.Strip(line); rest != ""; {
		c, width := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		rest = rest[len(c):]
		cells = append(cells, c)
		for ; width > 1; width-- {
			cells = append(cells, "")
		}
	}
	text := func(i int) bool { // column i is part of a text
		if i < 0 || i >= len(cells) || isFrame(cells[i]) {
			return false
		}
		solid := func(i int) bool { return i >= 0 && i < len(cells) && cells[i] != " " && !isFrame(cells[i]) }
		return cells[i] != " " || solid(i-1) && solid(i+1)
	}
	from, to = x, end
	if text(x-1) && text(x) {
		for from > 0 && text(from-1) {
			from--
		}
	}
	if text(end-1) && text(end) {
		for to < len(cells) && text(to) {
			to++
		}
	}
	return from, to
}

// isFrame reports whether a character is used for frames, rules and bars.
func isFrame(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x2500 && r <= 0x25A0
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
