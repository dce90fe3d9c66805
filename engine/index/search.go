package index

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"bugle/engine/catalog"
	"bugle/engine/query"
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

// Search finds the rows that a query asks for. It fails only when ctx ends. The result stays as it
// is, whatever is written afterwards.
func (ix *Index) Search(ctx context.Context, q query.Query, o SearchOptions) (*Result, error) {
	if o.Now.IsZero() {
		o.Now = ix.restful()
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
	for _, t := range q.Narrowing() {
		if err := p.narrow(ctx, t); err != nil {
			return nil, err
		}
	}
	r.plan = p
	r.set = p.lifted(-1)
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

// text finds what the words match: all of them, each somewhere.
func (ix *Index) text(ctx context.Context, s *snapshot, words []query.Word) (found, error) {
	var f found
	var best [tiers]set // at least that good, for all words so far
	for _, w := range words {
		h, err := ix.find(ctx, s, w.Text, w.Exact || w.Not)
		if err != nil {
			return f, err
		}
		n := newNeedle(w.Text, w.Exact || w.Not)
		sub, fuzzy := s.elsewhere(&n)
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
		best[tierExact], best[tierPrefix] = s.starting(phrase(words), begin)
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

// byID gives the row whose id a word is: ids are pasted.
func (ix *Index) byID(s *snapshot, w query.Word) (uint32, bool) {
	if _, ok := objectID(w.Text); !ok {
		return 0, false
	}
	return ix.slot(s, w.Text)
}

// elsewhere gives the rows whose tag, team or creator the word matches.
func (s *snapshot) elsewhere(n *needle) (sub, fuzzy set) {
	var subs, fuzzies []*roaring.Bitmap
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

// union gives the rows that are in one of the bitmaps.
func (s *snapshot) union(of []*roaring.Bitmap) set {
	if len(of) == 0 {
		return nil
	}
	out := newSet(s.n)
	copy(out, roaring.FastOr(of...).ToDense())
	return out
}

// rowsOf gives the rows that have one of the values.
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

// plan is what a query narrows to, in parts, so that a facet can be counted without its own.
type plan struct {
	s        *snapshot
	now      time.Time
	base     set                   // words, and what belongs to no facet
	chosen   map[int][]restriction // what is chosen in each facet: all of them must hold
	archived bool                  // the archived too
}

// restriction is what is chosen in a facet: any of the values.
type restriction struct {
	set     set
	numbers []uint32
}

// lifted gives the rows with all restrictions but those of one facet; of -1, with all.
func (p *plan) lifted(facet int) set {
	out := p.base
	own := func() set {
		if len(out) > 0 && len(p.base) > 0 && &out[0] == &p.base[0] {
			out = slices.Clone(out)
		}
		return out
	}
	for f, rs := range p.chosen {
		if f == facet {
			continue
		}
		for _, r := range rs {
			own().and(r.set)
		}
	}
	if !p.archived && len(p.chosen[statuses]) == 0 && facet != statuses {
		own().not(p.s.archived())
	}
	return out
}

// archived gives the archived rows.
func (s *snapshot) archived() set {
	n, ok := s.values[statuses].find(string(catalog.Archived))
	if !ok {
		return nil
	}
	return s.rowsOf(statuses, []uint32{n})
}

// visible gives the rows that are not archived.
func (s *snapshot) visible() set { return slices.Clone(set(s.alive)).not(s.archived()) }

// narrow takes a term into the plan.
func (p *plan) narrow(ctx context.Context, t query.Term) error {
	if f, ok := facetOf(t.Key); ok {
		p.choose(f, t.Not, p.numbers(f, t))
		return nil
	}
	var in set
	var err error
	switch t.Key {
	case query.Is:
		p.is(t)
		return nil
	case query.Updated, query.Created, query.Start:
		in, err = p.within(ctx, t)
	case query.Version:
		in, err = p.s.rows(ctx, versions(t))
	case query.ID:
		in, err = p.s.rows(ctx, p.s.ids(t))
	default:
		return nil
	}
	if t.Not {
		p.base.not(in)
	} else {
		p.base.and(in)
	}
	return err
}

func facetOf(k query.Key) (int, bool) {
	i := slices.Index(query.Facets, k)
	return i, i >= 0
}

// numbers gives the values that a term means.
func (p *plan) numbers(f int, t query.Term) []uint32 {
	v := &p.s.values[f]
	var out []uint32
	for _, val := range t.Values {
		if query.Listed(t.Key) == nil {
			out = append(out, v.meant(val.Text, val.Quoted, p.s.alive)...)
		} else if n, ok := v.find(query.Wire(t.Key, val.Text)); ok {
			out = append(out, n)
		}
	}
	return out
}

// choose narrows to values of a facet. Where a row can have only one value, what is chosen twice
// adds up; of tags and platforms a row must have both.
func (p *plan) choose(f int, not bool, numbers []uint32) {
	in := p.s.rowsOf(f, numbers)
	switch rs := p.chosen[f]; {
	case not:
		p.base.not(in)
	case len(rs) > 0 && f != tags && f != platforms:
		for i, w := range in {
			rs[0].set[i] |= w
		}
		rs[0].numbers = append(rs[0].numbers, numbers...)
	default:
		p.chosen[f] = append(rs, restriction{in, numbers})
	}
}

// is takes one of the words archived, all and live.
func (p *plan) is(t query.Term) {
	var states []uint32
	add := func(keep func(catalog.State) bool) {
		for n, text := range p.s.values[statuses].texts {
			if keep(catalog.State(text)) {
				states = append(states, uint32(n))
			}
		}
	}
	archivedToo, others := false, false
	for _, v := range t.Values {
		switch v.Text {
		case query.IsAll:
			p.archived = p.archived || !t.Not
			return
		case query.IsArchived:
			archivedToo = true
			add(func(st catalog.State) bool { return st == catalog.Archived })
		case query.IsLive:
			others = true
			add(catalog.State.Live)
		}
	}
	if t.Not || !others {
		p.choose(statuses, t.Not, states)
		return
	}
	p.archived = p.archived || archivedToo
	p.base.and(p.s.rowsOf(statuses, states))
}

// within gives the rows with a time that the term asks for.
func (p *plan) within(ctx context.Context, t query.Term) (set, error) {
	type bounds struct {
		from, to         int64
		fromNano, toNano int32
	}
	var all []bounds
	for _, v := range t.Values {
		from, to, ok := query.Range(v.Text, p.now)
		if !ok {
			continue
		}
		b := bounds{to: 1<<63 - 1, from: never + 1}
		if !from.IsZero() {
			b.from, b.fromNano = stamp(from)
		}
		if !to.IsZero() {
			b.to, b.toNano = stamp(to)
		}
		all = append(all, b)
	}
	c := timeColumn(t.Key)
	return p.s.rows(ctx, func(b *block, i int) bool {
		sec, nsec := b.times[c].sec[i], b.times[c].nsec[i]
		for k := range all {
			r := &all[k]
			if (sec > r.from || sec == r.from && nsec >= r.fromNano) && (sec < r.to || sec == r.to && nsec < r.toNano) {
				return true
			}
		}
		return false
	})
}

func versions(t query.Term) func(*block, int) bool {
	var want []int64
	for _, v := range t.Values {
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			want = append(want, n)
		}
	}
	return func(b *block, i int) bool { return slices.Contains(want, b.records[i].version) }
}

// ids matches identifiers of a campaign or one of its versions, or how they begin.
func (s *snapshot) ids(t query.Term) func(*block, int) bool {
	return func(b *block, i int) bool {
		id, campaign := s.text(b.records[i].id), s.text(b.records[i].campaign)
		return slices.ContainsFunc(t.Values, func(v query.Value) bool {
			return strings.HasPrefix(id, v.Text) || strings.HasPrefix(campaign, v.Text)
		})
	}
}

// rows gives the slots that keep takes.
func (s *snapshot) rows(ctx context.Context, keep func(*block, int) bool) (set, error) {
	out := newSet(s.n)
	err := parallel(ctx, (s.n+scanned-1)/scanned, func(part int) {
		lo := part * scanned
		hi := min(lo+scanned, s.n)
		b, base := s.blocks[lo/blockRows], lo/blockRows*blockRows
		for slot := lo; slot < hi; slot++ {
			if keep(b, slot-base) {
				out[slot/64] |= 1 << (slot % 64)
			}
		}
	})
	return out, err
}
