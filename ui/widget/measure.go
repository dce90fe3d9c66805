package widget

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width returns the number of cells that s takes on one line; terminal sequences take none.
func Width(s string) int {
	if w, ok := simpleWidth(s); ok {
		return w
	}
	return ansi.StringWidth(s)
}

// simpleWidth returns the width of text in which every character takes one cell regardless of its neighbors,
// and the only sequences set colors and attributes. Nearly every line of a screen is like that, and segmenting
// it into grapheme clusters takes ten times as long.
func simpleWidth(s string) (width int, ok bool) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c >= 0x20 && c <= 0x7e:
			width++
			i++
		case c == 0x1b:
			n := styleSequence(s[i:])
			if n == 0 {
				return 0, false
			}
			i += n
		case c < utf8.RuneSelf:
			return 0, false
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if !isSimple(r) {
				return 0, false
			}
			width++
			i += n
		}
	}
	return width, true
}

// styleSequence returns the length of the SGR sequence (ECMA-48, 8.3.117) at the start of s; 0 if there is
// none.
func styleSequence(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// isSimple reports whether a non-ASCII character takes one cell and does not combine with the one before it:
// Latin letters, punctuation, arrows, lines, blocks and the plain shapes that the screens draw. None of these
// has a two-cell emoji form.
func isSimple(r rune) bool {
	switch {
	case r >= 0xa1 && r < 0x250:
		return r != 0xad && r != 0xa9 && r != 0xae // the soft hyphen, and two that can be emoji
	case r >= 0x2010 && r <= 0x2027:
		return true
	case r >= 0x2500 && r <= 0x25a9:
		return true
	case r == '↑' || r == '↓' || r == '→' || r == '←' || r == '–' || r == '▸' || r == '▾' || r == '●' || r == '○' || r == '✓':
		return true
	}
	return false
}
