package index

import (
	"context"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"bugle/engine/search/query"
)

// SearchOptions say how a search sorts, and what time it is.
type SearchOptions struct {
	// Sort is one of query.Columns, which the query's own sort word overrides. Empty means the best
	// match first where the query looks for words, and the last change first where it does not.
	Sort query.Key
	Desc bool
	// Now is the time that states and ages follow, in the person's zone; time.Now where zero.
	Now time.Time
}

// Search evaluates a query. It only fails when ctx ends. Later writes do not change the result.
func (ix *Index) Search(ctx context.Context, q query.Query, o SearchOptions) (*Result, error) {
	if o.Now.IsZero() {
		o.Now = ix.idleClock()
	}
	s := ix.at(o.Now)
	r := &Result{ix: ix, snap: s, query: q, now: o.Now}
	p := plan{s: s, now: o.Now, chosen: map[int][]restriction{}}
	text, err := ix.text(ctx, s, q.Words())
	if err != nil {
		return nil, err
	}
	p.base = slices.Clone(set(s.alive))
	if text.all != nil {
		p.base.and(text.all)
	}
	p.base.not(text.out)
	for _, t := range q.Filters() {
		if err := p.narrow(ctx, t); err != nil {
			return nil, err
		}
	}
	r.plan = p
	r.set = p.without(-1)
	r.n = count(r.set)
	r.arrange(text, o)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// found is what the words of a query find.
type found struct {
	any     bool       // there are words
	ranked  [tiers]set // the slots of each tier, and not in a better one
	all     set        // of all tiers; nil where there are no words
	out     set        // what words leave out
	needles []needle
}

// text finds the rows that match all words, each anywhere.
func (ix *Index) text(ctx context.Context, s *snapshot, words []query.Word) (found, error) {
	var f found
	var best [tiers]set // at least that good, for all words so far
	for _, w := range words {
		h, err := ix.find(ctx, s, w.Text, w.Exact || w.Not)
		if err != nil {
			return f, err
		}
		n := newNeedle(w.Text, w.Exact || w.Not)
		sub, fuzzy := s.otherColumns(w.Text, &n)
		upTo := [tiers]set{tierWord: or(or(h.tiers[tierExact], h.tiers[tierPrefix]), h.tiers[tierWord])}
		if slot, ok := ix.byID(s, w); ok {
			upTo[tierWord] = or(upTo[tierWord], single(s.n, slot))
		}
		upTo[tierSub] = or(or(upTo[tierWord], h.tiers[tierSub]), sub)
		upTo[tierFuzzy] = or(or(upTo[tierSub], h.tiers[tierFuzzy]), fuzzy)
		if w.Not {
			f.out = or(f.out, upTo[tierSub])
			continue
		}
		before := best
		for t := tierWord; t < tiers; t++ {
			if best[t] = upTo[t]; f.any {
				best[t] = slices.Clone(before[t]).and(upTo[t])
			}
		}
		if !f.any {
			best[tierExact], best[tierPrefix] = h.tiers[tierExact], h.tiers[tierPrefix]
		}
		f.any = true
		f.needles = append(f.needles, n)
	}
	if !f.any {
		return f, nil
	}
	if len(f.needles) > 1 {
		// Names that begin with all the words begin with the first.
		begin := slices.Clone(or(best[tierExact], best[tierPrefix])).and(best[tierWord])
		best[tierExact], best[tierPrefix] = s.prefixMatches(phrase(words), begin)
	}
	f.rank(s.n, best)
	return f, nil
}

func phrase(words []query.Word) string {
	return query.Query{Terms: terms(words)}.Text()
}

func terms(words []query.Word) []query.Term {
	out := make([]query.Term, len(words))
	for i, w := range words {
		out[i] = query.Term{Not: w.Not, Values: []query.Value{{Text: w.Text, Quoted: w.Exact}}}
	}
	return out
}

// rank makes of sets that hold the better tiers too, those of each tier alone.
func (f *found) rank(n int, best [tiers]set) {
	f.all = best[tierFuzzy]
	if f.all == nil {
		f.all = newSet(n)
	}
	f.ranked[tierExact], f.ranked[tierPrefix] = best[tierExact], best[tierPrefix]
	f.ranked[tierWord] = slices.Clone(best[tierWord]).not(best[tierExact]).not(best[tierPrefix])
	f.ranked[tierSub] = slices.Clone(best[tierSub]).not(best[tierWord])
	f.ranked[tierFuzzy] = slices.Clone(best[tierFuzzy]).not(best[tierSub])
}

func single(n int, slot uint32) set {
	out := newSet(n)
	out[slot/64] |= 1 << (slot % 64)
	return out
}

// byID returns the row whose id is a search word, because users paste ids.
func (ix *Index) byID(s *snapshot, w query.Word) (uint32, bool) {
	if _, ok := objectID(w.Text); !ok {
		return 0, false
	}
	return ix.slot(s, w.Text)
}

// otherColumns returns the rows whose tag, team or creator matches the word, or whose state, channel or type it names.
func (s *snapshot) otherColumns(word string, n *needle) (sub, fuzzy set) {
	var subs, fuzzies []*roaring.Bitmap
	for f, key := range map[int]query.Key{statuses: query.Status, channels: query.Channel, kinds: query.Type} {
		wire, ok := query.Named(key, word)
		if i := slices.Index(s.values[f].texts, wire); ok && i > 0 && s.values[f].rows[i] != nil {
			subs = append(subs, s.values[f].rows[i])
		}
	}
	for _, f := range [...]int{tags, teams, people} {
		v := &s.values[f]
		for i := range v.folds {
			if i == 0 || v.rows[i] == nil {
				continue
			}
			switch t := n.tierOf(v, i); {
			case t <= tierSub:
				subs = append(subs, v.rows[i])
			case t == tierFuzzy:
				fuzzies = append(fuzzies, v.rows[i])
			}
		}
	}
	return s.union(subs), s.union(fuzzies)
}

// union returns the union of bitmaps.
func (s *snapshot) union(of []*roaring.Bitmap) set {
	if len(of) == 0 {
		return nil
	}
	out := newSet(s.n)
	copy(out, roaring.FastOr(of...).ToDense())
	return out
}

// rowsOf returns the rows with one of the values.
func (s *snapshot) rowsOf(f int, numbers []uint32) set {
	var of []*roaring.Bitmap
	for _, n := range numbers {
		if rows := s.values[f].rows[n]; rows != nil {
			of = append(of, rows)
		}
	}
	if out := s.union(of); out != nil {
		return out
	}
	return newSet(s.n)
}
