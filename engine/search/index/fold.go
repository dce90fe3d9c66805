package index

import (
	"math/bits"
	"slices"
	"unicode/utf8"

	"bugle/engine/search/query"
)

// shape is a summary of a folded name, with which most names can be skipped without reading them.
type shape struct {
	mask   uint64 // which characters it has, see charBit
	pairs  uint64 // which pairs of bytes it has, see pairsOf
	heads  uint32 // which characters stand at the start of a word, see headBit
	starts uint64 // the bytes at which words start; of plain names only
	plain  bool   // ASCII, and not longer than starts has bits
}

// charBit returns the bit of a character in a mask. Letters and digits have a bit of their own.
func charBit(r rune) uint64 {
	switch {
	case r >= 'a' && r <= 'z':
		return 1 << (r - 'a')
	case r >= '0' && r <= '9':
		return 1 << (26 + r - '0')
	case r < utf8.RuneSelf:
		return 1 << (36 + r%12)
	}
	return 1 << (48 + r%16)
}

// headBit returns the bit of a character at the start of a word. Letters have a bit of their own.
func headBit(r rune) uint32 {
	if r >= 'a' && r <= 'z' {
		return 1 << (r - 'a')
	}
	return 1 << (26 + r%6)
}

// pairsOf returns bits for the pairs of adjacent bytes. A name only contains a text if its bits include the
// text's.
func pairsOf(text []byte) uint64 {
	var out uint64
	for i := 1; i < len(text); i++ {
		pair := uint32(text[i-1])<<8 | uint32(text[i])
		out |= 1 << (pair * 0x9E3779B1 >> 26)
	}
	return out
}

// shapeOf returns the shape. A word starts after a character that is not part of a word.
func shapeOf(folded []byte) shape {
	s := shape{pairs: pairsOf(folded), plain: len(folded) <= 64}
	inWord := false
	for i, b := range folded {
		if b >= utf8.RuneSelf {
			return wideShape(folded)
		}
		s.mask |= charBit(rune(b))
		if !inWord {
			s.heads |= headBit(rune(b))
			if i < 64 {
				s.starts |= 1 << i
			}
		}
		inWord = b >= 'a' && b <= 'z' || b >= '0' && b <= '9'
	}
	return s
}

func wideShape(folded []byte) shape {
	s := shape{pairs: pairsOf(folded)}
	inWord := false
	for _, r := range string(folded) {
		s.mask |= charBit(r)
		if !inWord {
			s.heads |= headBit(r)
		}
		inWord = query.IsWord(r)
	}
	return s
}

// The quality of a match, best first.
const (
	tierExact  = iota // the whole name
	tierPrefix        // the name starts with it
	tierWord          // a word in the name starts with it
	tierSub           // anywhere in the name, a tag, the team or the creator
	tierFuzzy         // its letters in order
	tiers
	tierNone = tiers
)

// The shortest words for fuzzy matching. Nearly every name contains the letters of a word with two
// characters. Three characters match initials, and longer words match any letters within the window.
const (
	initialsFrom = 3
	fuzzyFrom    = 4
)

// fuzzyWindow is the largest distance of consecutive letters in a fuzzy match, unless the next one starts a
// word.
const fuzzyWindow = 4

// needle is a prepared search word.
type needle struct {
	text  []byte // folded
	runes []rune
	mask  uint64
	pairs uint64
	head  uint32
	fuzzy bool   // also match its letters
	heads uint32 // of the letters that must start words then
	ascii bool
	// initials reports that all letters of a fuzzy match must start words.
	initials bool
	// letters reports that it consists of letters, so that the lexicon contains it.
	letters bool
}

func newNeedle(text string, exact bool) needle {
	folded := query.Fold(text)
	n := needle{text: []byte(folded), runes: []rune(folded)}
	n.fuzzy, n.ascii = !exact && len(n.runes) >= initialsFrom, len(n.runes) == len(n.text)
	n.pairs = pairsOf(n.text)
	n.letters = len(n.runes) > 0 && !slices.ContainsFunc(n.runes, func(r rune) bool { return !isLetter(r) })
	n.initials = len(n.runes) < fuzzyFrom
	for i, r := range n.runes {
		n.mask |= charBit(r)
		if i == 0 {
			n.head = headBit(r)
		}
		if i == 0 || n.initials {
			n.heads |= headBit(r)
		}
	}
	return n
}

// plainFuzzy reports whether the letters of the word occur in a plain name in order: the first one at the
// start of a word, each other one at the start of a later word or within the window. It tries all ways at
// once, with one bit for each possible position of the last letter.
func (n *needle) plainFuzzy(name []byte, starts uint64) bool {
	at := places(name, n.text[0]) & starts
	for _, c := range n.text[1:] {
		if at == 0 {
			return false
		}
		near := at<<1 | at<<2 | at<<3 | at<<4 // within reach
		if n.initials {
			near = 0
		}
		first := at & -at
		later := ^(first | (first - 1))
		at = places(name, c) & (near | starts&later)
	}
	return at != 0
}

// places returns the positions of c in a name of up to 64 bytes, as bits.
func places(name []byte, c byte) uint64 {
	const low, high = 0x0101010101010101, 0x8080808080808080
	var out uint64
	i := 0
	for want := low * uint64(c); i+8 <= len(name); i += 8 {
		b := name[i : i+8 : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		x ^= want // ASCII: the high bits are free
		zero := ^(x + ^uint64(high)) & high
		// Gathers the high bits of the eight bytes in one byte.
		out |= (zero >> 7 * 0x0102040810204080 >> 56) << i
	}
	for ; i < len(name); i++ {
		if name[i] == c {
			out |= 1 << i
		}
	}
	return out
}

// wideFuzzy is plainFuzzy for any text.
func (n *needle) wideFuzzy(name []byte) bool {
	text := []rune(string(name))
	starts := make([]bool, len(text))
	for i := range text {
		starts[i] = i == 0 || !query.IsWord(text[i-1])
	}
	within := fuzzyWindow
	if n.initials {
		within = 0
	}
	at, next := make([]bool, len(text)), make([]bool, len(text))
	for i, r := range text {
		at[i] = starts[i] && r == n.runes[0]
	}
	for _, c := range n.runes[1:] {
		seen, last := false, -fuzzyWindow-1 // whether, and where, the letter before was last
		for i, r := range text {
			next[i] = r == c && (i-last <= within || starts[i] && seen)
			if at[i] {
				seen, last = true, i
			}
		}
		at, next = next, at
	}
	for _, ok := range at {
		if ok {
			return true
		}
	}
	return false
}

// plainStarts returns the word starts from a position on.
func plainStarts(starts uint64, from int) uint64 {
	if from > 63 {
		return 0
	}
	return starts >> from << from
}

// count returns the number of set bits.
func count(set []uint64) int {
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}
