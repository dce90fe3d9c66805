package index

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"bugle/engine/search/query"
)

// Facet is a column with few values that a list can be filtered by.
type Facet struct {
	Key    query.Key
	Values []FacetValue
	// All counts the rows without the filter of this facet.
	All int
}

// FacetValue is one value of a facet.
type FacetValue struct {
	Text   string // the query language's spelling; argument of query.Toggle
	Wire   string // as in rows
	Count  int    // rows with the value that match the query without this facet
	Chosen bool
}

// Facets counts the values of each facet under the query, each facet with its own restriction
// lifted: what choosing another value would show. States, channels, types and platforms come in
// the order of the specification, with those that no row has; tags, people and teams with the most
// frequent first, and only those that rows have or that are chosen.
func (r *Result) Facets(ctx context.Context) ([]Facet, error) {
	out := make([]Facet, facets)
	err := parallel(ctx, facets, func(f int) {
		rows, n := r.set, r.n
		if len(r.plan.chosen[f]) > 0 || f == statuses && !r.plan.archived {
			rows = r.plan.without(f)
			n = count(rows)
		}
		out[f] = r.facet(f, r.snap.count(f, rows, n))
		out[f].All = n
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (r *Result) facet(f int, counts []int) Facet {
	key := query.Facets[f]
	v := &r.snap.values[f]
	chosen := map[uint32]bool{}
	for _, restriction := range r.plan.chosen[f] {
		for _, n := range restriction.numbers {
			chosen[n] = true
		}
	}
	listed := map[string]bool{}
	for _, wire := range query.Options(key) {
		listed[wire] = true
	}
	var out []FacetValue
	seen := map[string]bool{}
	for n := 1; n < len(v.texts); n++ {
		c, wire := counts[n], v.texts[n]
		if c > 0 || chosen[uint32(n)] || listed[wire] {
			out = append(out, FacetValue{query.Text(key, wire), wire, c, chosen[uint32(n)]})
			seen[wire] = true
		}
	}
	for wire := range listed {
		if !seen[wire] {
			text := query.Text(key, wire)
			out = append(out, FacetValue{text, wire, 0, r.query.Has(key, text)})
		}
	}
	order := query.Options(key)
	slices.SortFunc(out, func(a, b FacetValue) int {
		if order != nil {
			return cmp.Or(cmp.Compare(place(order, a.Wire), place(order, b.Wire)), strings.Compare(a.Wire, b.Wire))
		}
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Wire, b.Wire))
	})
	return Facet{Key: key, Values: out}
}

// place returns the position of a value in an order; unknown ones are last.
func place(order []string, wire string) int {
	if i := slices.Index(order, wire); i >= 0 {
		return i
	}
	return len(order)
}

// count returns the number of rows of a set of n for each value of a column.
func (s *snapshot) count(f int, in set, n int) []int {
	out := make([]int, len(s.values[f].texts))
	if n < countRowsBelow*len(out) && s.countRows(f, in, out) {
		return out
	}
	rows := roaring.FromDense(in, false)
	for n, has := range s.values[f].rows {
		if has != nil {
			out[n] = int(rows.AndCardinality(has))
		}
	}
	return out
}

// countRowsBelow is the number of rows per value up to which counting goes row by row.
const countRowsBelow = 64

// countRows counts row by row, which is faster for many values and few rows. It returns false for columns
// that it does not support.
func (s *snapshot) countRows(f int, in set, out []int) bool {
	switch f {
	case tags:
		in.each(func(slot uint32) {
			list := s.tags[s.record(slot).tags]
			for i, n := range list {
				if !slices.Contains(list[:i], n) {
					out[n]++
				}
			}
		})
	case people:
		in.each(func(slot uint32) { out[s.record(slot).by]++ })
	case teams:
		in.each(func(slot uint32) { out[s.record(slot).team]++ })
	default:
		return false
	}
	return true
}

// sortedValues returns the numbers of a column's values in sort order.
func (s *snapshot) sortedValues(f int) []uint32 {
	v := &s.values[f]
	var out []uint32
	for n := 1; n < len(v.texts); n++ {
		if v.rows[n] != nil {
			out = append(out, uint32(n))
		}
	}
	order := query.Options(query.Facets[f])
	slices.SortFunc(out, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(place(order, v.texts[a]), place(order, v.texts[b])),
			strings.Compare(v.folds[a], v.folds[b]), strings.Compare(v.texts[a], v.texts[b]))
	})
	return out
}
