package index

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"

	"bugle/engine/search/query"
)

// Range is a stretch of a name that matched, in runes: from From to before To.
type Range struct{ From, To int }

// The scores of fzf come from tables that Init fills; its program does that at its start.
var _ = algo.Init("default")

// matcher scores fuzzy matches like fzf. It reuses memory and must be used by one goroutine.
type matcher struct{ slab *util.Slab }

func newMatcher() *matcher { return &matcher{util.MakeSlab(16<<10, 2<<10)} }

// score adds up the scores of the words in a folded name.
func (m *matcher) score(words []needle, name []byte) int {
	total := 0
	chars := util.ToChars(name)
	for i := range words {
		if res, _ := algo.FuzzyMatchV2(true, false, true, &chars, words[i].runes, false, m.slab); res.Start >= 0 {
			total += res.Score
		}
	}
	return total
}

// Matches returns the stretches of the name of the row at that place that the query's words match,
// for whoever draws them; none where they match its tags, team or creator.
func (r *Result) Matches(i int) []Range {
	slot := r.slots(i, i+1)[0]
	b, row := r.snap.at(slot)
	name, shape := b.fold(row), b.shape(row)
	shape.mask = b.masks[row]
	var out []Range
	for k := range r.found.needles {
		out = append(out, r.found.needles[k].ranges(name, shape)...)
	}
	return joined(out)
}

// ranges returns where one word matches: at the first start of a word, or else its first occurrence, or else
// its letters.
func (n *needle) ranges(name []byte, s shape) []Range {
	if s.mask&n.mask != n.mask {
		return nil
	}
	switch n.tier(name, s) {
	case tierNone:
		return nil
	case tierFuzzy:
		chars := util.ToChars(name)
		_, at := algo.FuzzyMatchV2(true, false, true, &chars, n.runes, true, nil)
		if at == nil {
			return nil
		}
		out := make([]Range, len(*at))
		for i, p := range *at {
			out[i] = Range{p, p + 1}
		}
		return out
	}
	at := query.WordStart(string(name), string(n.text))
	if at < 0 {
		at = bytes.Index(name, n.text)
	}
	from := utf8.RuneCount(name[:at])
	return []Range{{from, from + len(n.runes)}}
}

// joined puts ranges in order, and those that touch together.
func joined(rs []Range) []Range {
	slices.SortFunc(rs, func(a, b Range) int { return a.From - b.From })
	var out []Range
	for _, r := range rs {
		if k := len(out) - 1; k >= 0 && r.From <= out[k].To {
			out[k].To = max(out[k].To, r.To)
			continue
		}
		out = append(out, r)
	}
	return out
}
