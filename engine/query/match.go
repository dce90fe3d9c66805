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

// Means reports whether a tag, team or person is meant by the text of a query: it is the same
// whatever the case, or unless it was quoted a word in it begins so. Where a value is the same,
// those that only begin so are not meant; whoever has all values sees to that.
func Means(value, text string, quoted bool) bool {
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

// nearest returns the candidate that s was probably meant to be; empty where none is near.
func nearest(s string, candidates []string) string {
	s = Fold(s)
	best, at := "", 0
	for _, c := range candidates {
		f := Fold(c)
		limit := max(1, min(len(s), len(f))/3)
		if d := distance(s, f, limit); d <= limit && (best == "" || d < at) {
			best, at = c, d
		}
	}
	return best
}

// distance is the optimal string alignment distance: insertions, deletions, substitutions and
// swaps of neighbours. Beyond limit it returns any larger number.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > 4*limit || -d > 4*limit || len(a) > 256 || len(b) > 256 {
		return limit + 1
	}
	x, y := []rune(a), []rune(b)
	rows := [3][]int{make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		prev2, prev, cur := rows[(i+1)%3], rows[(i+2)%3], rows[i%3]
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
	}
	return rows[len(x)%3][len(y)]
}
