package index

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/search/query"
)

// plan is a query as parts, so that a facet can be counted without its own filter.
type plan struct {
	s        *snapshot
	now      time.Time
	base     set                   // words, and filters that are not facets
	chosen   map[int][]restriction // filters of each facet; all must match
	archived bool                  // include archived rows
}

// restriction is a facet's filter: any of the values.
type restriction struct {
	set     set
	numbers []uint32
}

// without returns the rows with all restrictions except those of one facet; all of them for -1.
func (p *plan) without(facet int) set {
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

// archived returns the archived rows.
func (s *snapshot) archived() set {
	n, ok := s.values[statuses].find(string(catalog.Archived))
	if !ok {
		return nil
	}
	return s.rowsOf(statuses, []uint32{n})
}

// visible returns the rows that are not archived.
func (s *snapshot) visible() set { return slices.Clone(set(s.alive)).not(s.archived()) }

// narrow adds a term to the plan.
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

// numbers returns the values that a term selects.
func (p *plan) numbers(f int, t query.Term) []uint32 {
	v := &p.s.values[f]
	var out []uint32
	for _, val := range t.Values {
		if query.Options(t.Key) == nil {
			out = append(out, v.meant(val.Text, val.Quoted, p.s.alive)...)
		} else if n, ok := v.find(query.Wire(t.Key, val.Text)); ok {
			out = append(out, n)
		}
	}
	return out
}

// choose filters by values of a facet. If a row has only one value, several terms add up; of tags and
// platforms a row must have all.
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

// is handles the values archived, all and live.
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

// within returns the rows with a time that the term selects.
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
		b := bounds{to: 1<<63 - 1, from: noTime + 1}
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
		sec, nsec := b.times[c].stamp(i)
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

// ids matches identifiers, or their prefixes, of a campaign or one of its versions.
func (s *snapshot) ids(t query.Term) func(*block, int) bool {
	return func(b *block, i int) bool {
		id, campaign := s.text(b.records[i].id), s.campaignOf(&b.records[i])
		return slices.ContainsFunc(t.Values, func(v query.Value) bool {
			return strings.HasPrefix(id, v.Text) || strings.HasPrefix(campaign, v.Text)
		})
	}
}

// rows returns the slots that keep selects.
func (s *snapshot) rows(ctx context.Context, keep func(*block, int) bool) (set, error) {
	out := newSet(s.n)
	err := parallel(ctx, (s.n+scanBatch-1)/scanBatch, func(part int) {
		lo := part * scanBatch
		hi := min(lo+scanBatch, s.n)
		b, base := s.blocks[lo/blockRows], lo/blockRows*blockRows
		for slot := lo; slot < hi; slot++ {
			if keep(b, slot-base) {
				out[slot/64] |= 1 << (slot % 64)
			}
		}
	})
	return out, err
}
