// Package phrase puts numbers and misspelled names into plain English.
package phrase

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// maxBytes is from how many bytes on words are not compared letter by letter.
const maxBytes = 64

// minPrefix is from how many letters on the beginning of one candidate alone is taken for it.
const minPrefix = 3

// Nearest returns the candidate that s was probably meant to be, whatever its case; "" where none is near. That is
// the only one that begins with s, or the one with the fewest other letters: about a third may differ. It allocates
// nothing, and texts of more than 64 bytes are near to nothing.
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

// lowercase are a word in small letters.
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

// distance is the optimal string alignment distance: insertions, deletions, substitutions and
// swaps of neighbors.
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
