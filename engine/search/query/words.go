package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/junegunn/fzf/src/algo"
)

// Fold returns a text for comparison: in lower case, with Latin letters without accents. The number of runes
// stays the same.
func Fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return foldRunes(s)
		}
	}
	return strings.ToLower(s)
}

// foldRunes converts to upper case and then to lower case, so that letters with several forms become one.
func foldRunes(s string) string {
	rs := algo.NormalizeRunes([]rune(s))
	for i, r := range rs {
		rs[i] = unicode.ToLower(unicode.ToUpper(r))
	}
	return string(rs)
}

// Matches reports whether a tag, team or creator matches a query's text: if it is equal ignoring case or,
// unless the text was quoted, one of its words starts with it. If a value is equal, the caller must ignore
// those that only start with it.
func Matches(value, text string, quoted bool) bool {
	return Same(value, text) || !quoted && WordStart(Fold(value), Fold(text)) >= 0
}

// Same reports whether two values are equal ignoring case.
func Same(a, b string) bool { return a == b || Fold(a) == Fold(b) }

// WordStart returns the byte offset in s at which text occurs at the start of a word, or -1.
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
