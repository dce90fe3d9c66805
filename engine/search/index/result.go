package index

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"bugle/engine"
	"bugle/engine/search/query"
)

// Result is what a search found. How many there are is known at once; they are put in order as far
// as they are looked at. It may be used by several goroutines.
type Result struct {
	ix    *Index
	snap  *snapshot
	query query.Query
	now   time.Time
	plan  plan
	set   set
	n     int
	found found

	mu     sync.Mutex
	groups []group // those still to come, the first one first
	by     query.Key
	back   bool     // against the order
	got    []uint32 // in order, as far as it was looked at
	walk   *walk    // through the group that is being put in order
}

// group is a part of the result that comes before the groups behind it, and is in order within.
type group struct {
	set   set
	rows  *roaring.Bitmap // in the place of set
	fuzzy bool            // ordered by the score of the match
}

// walk iterates over the slots of an order that are in a set.
type walk struct {
	order  []uint32
	at     int
	set    set
	left   int
	stands func(slot uint32) bool // nil where all of the set do
}

// maxSubsetSort is the most rows sorted on their own. Larger sets use the order of all rows.
const maxSubsetSort = 8192

// maxScored is the most fuzzy matches sorted by score: the newest ones.
const maxScored = 2_000

// minSorted is the least number of rows sorted when the next ones are requested.
const minSorted = 512

// Len returns how many rows were found.
func (r *Result) Len() int { return r.n }

// Total returns how many rows the index had.
func (r *Result) Total() int { return r.snap.live }

// Stale reports whether a search would see other rows now: some were written, or the clock moved
// the state of some on.
func (r *Result) Stale(now time.Time) bool {
	return r.ix.dirty.Load() || r.ix.snap.Load() != r.snap || !r.snap.current(now)
}

// Row returns the row at that place, as it was at the time of the search.
func (r *Result) Row(i int) engine.Summary { return r.row(r.slots(i, i+1)[0]) }

// Rows returns the rows from one place to before another; fewer where there are no more.
func (r *Result) Rows(from, to int) []engine.Summary {
	from = min(max(from, 0), r.n)
	slots := r.slots(from, min(max(to, from), r.n))
	out := make([]engine.Summary, len(slots))
	for i, slot := range slots {
		out[i] = r.row(slot)
	}
	return out
}

// ID returns the id of the row at that place.
func (r *Result) ID(i int) string { return r.snap.text(r.snap.record(r.slots(i, i+1)[0]).id) }

// Find returns the place of the row with that id; -1 where it was not found.
func (r *Result) Find(id string) int {
	slot, ok := r.ix.slot(r.snap, id)
	if !ok || !r.set.has(slot) {
		return -1
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for from := 0; ; from = len(r.got) {
		if from == len(r.got) {
			r.extend(from + minSorted)
		}
		if i := slices.Index(r.got[from:], slot); i >= 0 {
			return from + i
		}
		if len(r.got) == from {
			return -1
		}
	}
}

func (r *Result) row(slot uint32) engine.Summary {
	sum := r.snap.row(slot)
	sum.Head = engine.HeadAt(sum, r.now)
	return sum
}

func (r *Result) slots(from, to int) []uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.extend(to)
	return r.got[from:to]
}

// arrange says how the result is put in order.
func (r *Result) arrange(f found, o SearchOptions) {
	r.found = f
	column, desc := r.query.Order()
	if column == "" {
		column, desc = o.Sort, o.Desc
	}
	if column == "" && f.any {
		r.by = query.Updated
		for t, s := range f.ranked {
			if s != nil {
				r.groups = append(r.groups, group{set: slices.Clone(s).and(r.set), fuzzy: t == tierFuzzy})
			}
		}
		return
	}
	if column == "" {
		column, desc = query.Updated, true
	}
	r.by = query.Updated
	switch column {
	case query.Updated, query.Created, query.Start, query.Version:
		r.by, r.back = column, !desc
	case query.Name:
		r.by, r.back = column, desc
	default:
		if f, ok := facetOf(column); ok {
			r.groups = r.byValue(f, desc)
			return
		}
	}
	r.groups = []group{{set: r.set}}
}

// byValue returns a group for each value of a column, in the order of the values; rows without one
// are the last.
func (r *Result) byValue(facet int, desc bool) []group {
	var out []group
	all := roaring.FromDense(r.set, false)
	rest := slices.Clone(r.set)
	if facet == tags || facet == platforms {
		return []group{{set: r.set}}
	}
	numbers := r.snap.sortedValues(facet)
	if desc {
		slices.Reverse(numbers)
	}
	for _, n := range numbers {
		if rows := roaring.And(all, r.snap.values[facet].rows[n]); !rows.IsEmpty() {
			out = append(out, group{rows: rows})
			for it := rows.Iterator(); it.HasNext(); {
				slot := it.Next()
				rest[slot/64] &^= 1 << (slot % 64)
			}
		}
	}
	return append(out, group{set: rest})
}

// extend puts rows in order until there are n, or all.
func (r *Result) extend(n int) {
	for len(r.got) < n {
		switch {
		case r.walk != nil:
			r.step(max(n-len(r.got), minSorted))
		case len(r.groups) > 0:
			g := r.groups[0]
			r.groups = r.groups[1:]
			r.open(g)
		default:
			return
		}
	}
}

// open begins with a group: a small one is sorted at once.
func (r *Result) open(g group) {
	n := 0
	if g.rows != nil {
		n = int(g.rows.GetCardinality())
	} else {
		n = count(g.set)
	}
	switch {
	case n == 0:
	case g.fuzzy:
		r.openFuzzy(g.set, n)
	case n > maxSubsetSort:
		if g.rows != nil {
			g.set = r.snap.union([]*roaring.Bitmap{g.rows})
		}
		r.walk = r.newWalk(g.set, n)
	case g.rows != nil:
		r.got = append(r.got, r.inOrder(g.rows.ToArray())...)
	default:
		r.got = append(r.got, r.inOrder(g.set.slots(n))...)
	}
}

// inOrder sorts slots as the result is sorted.
func (r *Result) inOrder(slots []uint32) []uint32 {
	slots = r.snap.sort(r.by, slots, false)
	if r.back {
		slices.Reverse(slots)
	}
	return slots
}

func (r *Result) newWalk(s set, n int) *walk {
	return &walk{order: r.ix.sorted(r.snap, r.by, false).slots, set: s, left: n}
}

// step takes n more rows of the walk, or all that are left.
func (r *Result) step(n int) {
	w := r.walk
	r.got = slices.Grow(r.got, min(n, w.left))
	r.got = w.take(r.got, n, r.back)
	if w.left == 0 {
		r.walk = nil
	}
}

func (w *walk) take(out []uint32, n int, back bool) []uint32 {
	for ; n > 0 && w.left > 0 && w.at < len(w.order); w.at++ {
		slot := w.order[w.at]
		if back {
			slot = w.order[len(w.order)-1-w.at]
		}
		if w.set.has(slot) {
			w.left--
			if w.stands != nil && !w.stands(slot) {
				continue
			}
			out = append(out, slot)
			n--
		}
	}
	return out
}

// openFuzzy orders fuzzy matches by their score, and leaves those beyond scored to a walk.
func (r *Result) openFuzzy(s set, n int) {
	var slots []uint32
	if n <= maxScored {
		slots = r.inOrder(s.slots(n))
	} else {
		w := r.newWalk(s, n)
		slots = w.take(nil, maxScored, false)
		if w.left > 0 {
			r.walk = w
		}
	}
	scores := make([]int, len(slots))
	const part = 256
	_ = parallel(context.Background(), (len(slots)+part-1)/part, func(k int) {
		m := newMatcher()
		for i := k * part; i < min(k*part+part, len(slots)); i++ {
			b, row := r.snap.at(slots[i])
			scores[i] = m.score(r.found.needles, b.fold(row))
		}
	})
	at := make([]int, len(slots))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return scores[b] - scores[a] })
	for _, i := range at {
		r.got = append(r.got, slots[i])
	}
}
