package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/junegunn/fzf/src/algo"
)

// Fold returns a text as it is compared: in lower case, and Latin letters without their accents. It
// has as many runes as the text.
func Fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return foldRunes(s)
		}
	}
	return strings.ToLower(s)
}

// foldRunes goes by the upper case to the lower, so that letters with several forms become one.
func foldRunes(s string) string {
	rs := algo.NormalizeRunes([]rune(s))
	for i, r := range rs {
		rs[i] = unicode.ToLower(unicode.ToUpper(r))
	}
	return string(rs)
}

// Matches reports whether a tag, team or person is meant by the text of a query: it is the same
// whatever the case, or unless it was quoted a word in it begins so. Where a value is the same,
// those that only begin so are not meant; whoever has all values sees to that.
func Matches(value, text string, quoted bool) bool {
	return Same(value, text) || !quoted && WordStart(Fold(value), Fold(text)) >= 0
}

// Same reports whether two values are the same whatever their case.
func Same(a, b string) bool { return a == b || Fold(a) == Fold(b) }

// WordStart returns where in s, in bytes, text stands at the start of a word; -1 where it does not.
func WordStart(s, text string) int {
	for from := 0; text != ""; {
		i := strings.Index(s[from:], text)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		if i == 0 || !IsWord(before) {
			return i
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		from = i + n
	}
	return -1
}

// IsWord reports whether a rune is part of a word.
func IsWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }
