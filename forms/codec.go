package forms

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"bugle/engine/visible"
)

// Widgets drop control characters and rewrite tabs and carriage returns. So that none is lost,
// a widget is given stand-ins for them out of a private use area, one cell wide each, and what it
// returns is translated again. The general punctuation block has a second area: its characters
// that change the direction of text would scramble the line that they stand in, and others of it
// are not seen at all. What else is of that kind is in a third area.
const (
	standIn       = 0xF0000 // + the character, U+0000 to U+00AD; + 0xFF for U+FFFD
	standInPunc   = 0xF0100 // + the character's distance from U+2000
	standInFormat = 0xF0200 // + the character's place in formats
	standInEnd    = 0xF2000
)

// formats are the characters that nobody sees, at least in some places (see package visible), and that
// have no place in the other areas, in order.
var formats = func() []rune {
	var out []rune
	for _, table := range []*unicode.RangeTable{unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector} {
		for _, t := range table.R16 {
			for r := rune(t.Lo); r <= rune(t.Hi); r += rune(t.Stride) {
				out = append(out, r)
			}
		}
		for _, t := range table.R32 {
			for r := rune(t.Lo); r <= rune(t.Hi); r += rune(t.Stride) { //nolint:gosec // a character
				out = append(out, r)
			}
		}
	}
	out = slices.DeleteFunc(out, func(r rune) bool { return r < 0x100 || r >= 0x2000 && r < 0x2100 })
	slices.Sort(out)
	return slices.Compact(out)
}()

// pack returns s as a widget may hold it. It reports false where s has private characters of its
// own in the same area: they would come back as something else.
func pack(s string, keepLines bool) (string, bool) {
	if strings.ContainsFunc(s, isStandIn) {
		return "", false
	}
	if !unseen(s) {
		return s, true
	}
	var b strings.Builder
	for r, drawn := range visible.Runes(s) {
		switch {
		case r == '\n' && keepLines || drawn && r != unicode.ReplacementChar:
		case r == unicode.ReplacementChar:
			r = standIn + 0xFF
		case r < 0x100:
			r += standIn
		case r >= 0x2000 && r < 0x2100:
			r += standInPunc - 0x2000
		default:
			at, _ := slices.BinarySearch(formats, r)
			r = standInFormat + rune(at) //nolint:gosec // fewer than the area has
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// unpack is the way back from pack.
func unpack(s string) string {
	if !strings.ContainsFunc(s, isStandIn) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !isStandIn(r):
			return r
		case r == standIn+0xFF:
			return unicode.ReplacementChar
		case r >= standInFormat+rune(len(formats)):
			return r
		case r >= standInFormat:
			return formats[r-standInFormat]
		case r >= standInPunc:
			return r - standInPunc + 0x2000
		}
		return r - standIn
	}, s)
}

func isStandIn(r rune) bool { return r >= standIn && r < standInEnd }

// unseen reports whether s has characters that a terminal obeys instead of showing, or that nobody sees.
func unseen(s string) bool {
	return strings.ContainsRune(s, unicode.ReplacementChar) || visible.HasHidden(s)
}

// symbol is what is drawn for a hidden character: one cell.
func symbol(r rune) rune {
	switch {
	case r == '\n':
		return '↵'
	case r == '\t':
		return '⇥'
	case r < 0x20:
		return 0x2400 + r
	case r == 0x7F:
		return 0x2421
	case r == unicode.ReplacementChar:
		return r
	}
	return '·'
}

// showStandIns draws what a widget drew with every stand-in as a symbol.
func showStandIns(view string) string {
	if !strings.ContainsFunc(view, isStandIn) {
		return view
	}
	return strings.Map(func(r rune) rune {
		if isStandIn(r) {
			for _, o := range unpack(string(r)) {
				return symbol(o)
			}
		}
		return r
	}, view)
}

// oneLine returns s as one line that a terminal shows and does not obey.
func oneLine(s string) string {
	if !unseen(s) {
		return s
	}
	var b strings.Builder
	for r, drawn := range visible.Runes(s) {
		if !drawn {
			r = symbol(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fit cuts a line, which may carry styles, to w cells.
func fit(line string, w int) string {
	if ansi.StringWidth(line) <= w {
		return line
	}
	return ansi.Truncate(line, max(w, 0), "…")
}

// head returns the first n characters of s, cheaply for a long s.
func head(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// wrapMost breaks a plain text into at most n lines of w cells. Where there is more, the last line ends
// with an ellipsis after a whole word.
func wrapMost(text string, w, n int) []string {
	w = max(w, 1)
	lines := strings.Split(ansi.Wrap(head(text, w*(n+1)), w, ""), "\n")
	if len(lines) <= n {
		return lines
	}
	last := strings.TrimRight(lines[n-1], " ")
	for ansi.StringWidth(last) > w-2 {
		at := strings.LastIndexByte(last, ' ')
		if at <= 0 {
			last = ansi.Truncate(last, w-2, "")
			break
		}
		last = strings.TrimRight(last[:at], " ")
	}
	if strings.HasSuffix(last, "-") { // in the middle of a word, where such a word may be parted
		return append(lines[:n-1], last+"…")
	}
	return append(lines[:n-1], last+" …")
}
