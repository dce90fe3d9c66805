package index

import (
	"bytes"
	"math/bits"
	"unicode/utf8"

	"bugle/engine/search/query"
)

// tier returns the quality of the match in a name whose mask has all characters of the word.
func (n *needle) tier(name []byte, s shape) int {
	i := bytes.Index(name, n.text)
	switch {
	case i < 0:
		if n.fuzzy && s.heads&n.heads == n.heads && n.fuzzyIn(name, s) {
			return tierFuzzy
		}
		return tierNone
	case i == 0 && len(name) == len(n.text):
		return tierExact
	case i == 0:
		return tierPrefix
	case s.heads&n.head == 0:
		return tierSub
	case s.plain:
		for at := plainStarts(s.starts, i); at != 0; at &= at - 1 {
			if bytes.HasPrefix(name[bits.TrailingZeros64(at):], n.text) {
				return tierWord
			}
		}
		return tierSub
	case wordStart(name, n.text):
		return tierWord
	}
	return tierSub
}

func (n *needle) fuzzyIn(name []byte, s shape) bool {
	if s.plain {
		return n.ascii && n.plainFuzzy(name, s.starts)
	}
	return subsequence(name, n.text) && n.wideFuzzy(name)
}

// subsequence reports whether the bytes of text occur in name in order.
func subsequence(name, text []byte) bool {
	for _, c := range text {
		i := bytes.IndexByte(name, c)
		if i < 0 {
			return false
		}
		name = name[i+1:]
	}
	return true
}

func wordStart(name, text []byte) bool {
	for from := 0; ; {
		i := bytes.Index(name[from:], text)
		if i < 0 {
			return false
		}
		i += from
		if before, _ := utf8.DecodeLastRune(name[:i]); i == 0 || !query.IsWord(before) {
			return true
		}
		_, size := utf8.DecodeRune(name[i:])
		from = i + size
	}
}

// tierOf returns the quality of the match in one of the values.
func (n *needle) tierOf(v *values, i int) int {
	if v.shapes[i].mask&n.mask != n.mask || !n.fuzzy && v.shapes[i].pairs&n.pairs != n.pairs {
		return tierNone
	}
	return n.tier([]byte(v.folds[i]), v.shapes[i])
}
