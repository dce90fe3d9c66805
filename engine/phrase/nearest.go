// Package phrase formats numbers and suggests corrections of misspelled names.
package phrase

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// maxBytes is the longest text that is compared by edit distance.
const maxBytes = 64

// minPrefix is the shortest text for which a single candidate with that prefix is suggested.
const minPrefix = 3

// Nearest returns the candidate that s was probably meant to be, ignoring case, or "". That is the only
// candidate with the prefix s, or else the one with the smallest edit distance, up to about a third of the
// letters. It does not allocate, and returns "" for texts of more than 64 bytes.
func Nearest(s string, candidates []string) string {
	best, at := "", 0
	begun, begin := "", 0
	var sought, other lowercase
	sought.read(s)
	for _, c := range candidates {
		other.read(c)
		if sought.n >= minPrefix && !sought.long && sought.n < other.n && slices.Equal(sought.small[:sought.n], other.small[:sought.n]) {
			begun, begin = c, begin+1
		}
		limit := max(1, min(len(s), len(c))/3)
		d := maxBytes
		if !sought.long && !other.long {
			if apart := sought.n - other.n; max(apart, -apart) > limit {
				continue
			}
			d = distance(sought.small[:sought.n], other.small[:other.n])
		}
		if d <= limit && (best == "" || d < at) {
			best, at = c, d
		}
	}
	if begin == 1 && (best == "" || at > 0) {
		return begun
	}
	return best
}

// lowercase is a word in lower case.
type lowercase struct {
	small [maxBytes]rune
	n     int
	long  bool
}

func (l *lowercase) read(s string) {
	l.n, l.long = 0, false
	bytes := 0
	for _, r := range s {
		r = unicode.ToLower(r)
		if bytes += utf8.RuneLen(r); bytes > maxBytes {
			l.long = true
			return
		}
		l.small[l.n] = r
		l.n++
	}
}

// distance returns the optimal string alignment distance: insertions, deletions, substitutions and
// transpositions.
func distance(a, b []rune) int {
	var rows [3][maxBytes + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur, prev, prev2 := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
