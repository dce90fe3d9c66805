package index

import (
	"context"
	"slices"
	"sync"
)

// hits are the names that a word matches, by their tiers. They stay right as rows are added:
// what a slot holds never changes.
type hits struct {
	word  string // folded
	exact bool
	epoch uint64
	n     int // the slots that were looked at
	tiers [tiers]set
}

func (h *hits) all() set {
	var out set
	for _, t := range h.tiers {
		out = or(out, t)
	}
	return out
}

// whole puts the names that have the whole word somewhere into an empty set, as far as that goes.
func (h *hits) whole(out set) set {
	for _, t := range h.tiers[:tierFuzzy] {
		for i, w := range t[:min(len(t), len(out))] {
			out[i] |= w
		}
	}
	return out
}

// first returns the hits among the first n slots.
func (h *hits) first(n int) *hits {
	if h.n == n {
		return h
	}
	out := *h
	out.n = n
	for t, s := range out.tiers {
		out.tiers[t] = s[:min(len(s), (n+63)/64)]
	}
	return &out
}

// maxCachedWords is the number of words with cached hits, for earlier states of the typed query.
const maxCachedWords = 12

// words caches the hits of the most recent search words.
type words struct {
	mu   sync.Mutex
	list []*hits // the last one used at the end
}

func (ws *words) put(h *hits) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.list = slices.DeleteFunc(ws.list, func(o *hits) bool {
		return o.epoch != h.epoch || o.word == h.word && o.exact == h.exact
	})
	if len(ws.list) >= maxCachedWords {
		ws.list = slices.Delete(ws.list, 0, len(ws.list)-maxCachedWords+1)
	}
	ws.list = append(ws.list, h)
}

// get returns the hits of the word, or else those of its longest prefix that is known to match wherever the
// word does.
func (ws *words) get(epoch uint64, n *needle, exact bool) (same, wider *hits) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	word := string(n.text)
	for i, h := range ws.list {
		if h.epoch != epoch {
			continue
		}
		if h.word == word && h.exact == exact {
			ws.list = append(slices.Delete(ws.list, i, i+1), h)
			return h, nil
		}
		if h.wider(n) && (wider == nil || len(h.word) > len(wider.word)) {
			wider = h
		}
	}
	return nil, wider
}

// wider reports whether the names that the word matches are all among the hits.
func (h *hits) wider(n *needle) bool {
	if len(h.word) >= len(n.text) || string(n.text[:len(h.word)]) != h.word {
		return false
	}
	return !n.fuzzy || !h.exact && len([]rune(h.word)) >= fuzzyFrom
}

// find returns the names that match a word.
func (ix *Index) find(ctx context.Context, s *snapshot, text string, exact bool) (*hits, error) {
	n := newNeedle(text, exact)
	exact = exact || !n.fuzzy // then both are the same
	same, wider := ix.words.get(s.epoch, &n, exact)
	if same != nil && same.n >= s.n {
		return same.first(s.n), nil
	}
	h := &hits{word: string(n.text), exact: exact, epoch: s.epoch, n: s.n}
	for t := range h.tiers {
		h.tiers[t] = newSet(s.n)
	}
	look := task{n: &n}
	switch {
	case same != nil:
		look.from = same.n
		for t := range h.tiers {
			copy(h.tiers[t], same.tiers[t])
		}
	case wider != nil && wider.n >= s.n:
		look.among = wider.all()
		if look.among == nil {
			look.among = set{}
		}
	}
	if n.letters && !s.runs.full {
		var err error
		if look.known, err = s.lookUp(ctx, &n, h); err != nil {
			return nil, err
		}
		look.loose = true
	}
	if n.fuzzy || !look.loose {
		if err := s.scan(ctx, look, &h.tiers); err != nil {
			return nil, err
		}
	}
	for t := range h.tiers {
		if !slices.ContainsFunc(h.tiers[t], func(w uint64) bool { return w != 0 }) {
			h.tiers[t] = nil
		}
	}
	ix.words.put(h)
	return h, nil
}

// lookUp finds a word of letters in the lexicon, in all tiers except the fuzzy one. It returns the names that
// contain it.
func (s *snapshot) lookUp(ctx context.Context, n *needle, h *hits) (set, error) {
	var words, all set
	if len(n.text) == 1 {
		var err error
		if words, all, err = s.letter(ctx, n); err != nil {
			return nil, err
		}
	} else {
		starting, having := s.runs.find(n)
		words, all = s.union(starting), s.union(having)
	}
	exact, prefix := s.runs.leading(n)
	h.tiers[tierExact], h.tiers[tierPrefix] = s.union(exact), s.union(prefix)
	h.tiers[tierWord] = slices.Clone(words).not(h.tiers[tierExact]).not(h.tiers[tierPrefix])
	h.tiers[tierSub] = slices.Clone(all).not(words)
	return all, ctx.Err()
}
