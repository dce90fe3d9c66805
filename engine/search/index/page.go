package index

import (
	"context"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/query"
)

// Filter filters rows like the operations of the API, by complete values. Empty fields match everything.
type Filter struct {
	IDs       []string // of a row, or of the campaign that it is a version of
	Status    []catalog.State
	Without   []catalog.State // excluded, regardless of Status
	Channels  []catalog.Channel
	Types     []catalog.DeliveryType
	CreatedBy []string
	Tags      []string // any of them
	Name      string   // part of the name, case-insensitive
	Created   engine.DateRange
	Start     engine.DateRange
	Version   int
	Nested    bool // include nodes of flows and children of campaigns
}

// Page returns the matching rows as of a time, from one position up to but excluding another: last changed
// first, then by id. It only fails when ctx ends.
func (ix *Index) Page(ctx context.Context, f Filter, now time.Time, from, to int) ([]engine.Summary, error) {
	s := ix.at(now)
	pool := bufferPools.Get().(*bufferPool)
	defer pool.release()
	in, err := ix.passing(ctx, s, &f, pool)
	if err != nil {
		return nil, err
	}
	slots := ix.newest(s, in, f.rest(s), from, to)
	out := make([]engine.Summary, len(slots))
	for i, slot := range slots {
		out[i] = s.row(slot)
		out[i].Head = engine.HeadAt(out[i], now)
	}
	return out, nil
}

// Children returns the number of rows with a parent campaign.
func (ix *Index) Children(parent string) int {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.writer.children[parent]
}

// passing returns a superset of the matching rows; [Filter.rest] excludes the others.
func (ix *Index) passing(ctx context.Context, s *snapshot, f *Filter, l *bufferPool) (set, error) {
	// The smallest sets come first, and are the room for the others.
	in, err := ix.identified(ctx, s, f.IDs)
	if err != nil {
		return nil, err
	}
	and := func(other set) {
		if in == nil {
			in = other
		} else {
			in.and(other)
		}
	}
	if part := longestASCII(strings.ToLower(f.Name)); part != "" {
		h, err := ix.find(ctx, s, part, true)
		if err != nil {
			return nil, err
		}
		and(h.whole(l.set(s.n)))
	}
	narrowed(ix, s, statuses, f.Status, l, and)
	narrowed(ix, s, channels, f.Channels, l, and)
	narrowed(ix, s, kinds, f.Types, l, and)
	narrowed(ix, s, people, f.CreatedBy, l, and)
	narrowed(ix, s, tags, f.Tags, l, and)
	if in == nil {
		in = l.set(s.n)
		copy(in, s.alive)
	} else {
		in.and(s.alive)
	}
	for _, st := range f.Without {
		if n, ok := ix.valueOf(s, statuses, string(st)); ok {
			l.drop(s, in, s.values[statuses].rows[n])
		}
	}
	if !f.Nested {
		l.drop(s, in, s.nested)
	}
	return in, ctx.Err()
}

// identified returns the rows with those ids or campaign ids, or nil if none are requested.
func (ix *Index) identified(ctx context.Context, s *snapshot, ids []string) (set, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out := newSet(s.n)
	for _, id := range ids {
		if slot, ok := ix.slot(s, id); ok {
			out[slot/64] |= 1 << (slot % 64)
		}
		n, ok := ix.campaign(s, id)
		if !ok {
			continue
		}
		of, err := s.rows(ctx, func(b *block, i int) bool { return b.records[i].campaign == n })
		if err != nil {
			return nil, err
		}
		for i, w := range of {
			out[i] |= w
		}
	}
	return out, nil
}

// narrowed filters by rows with one of the values.
func narrowed[T ~string](ix *Index, s *snapshot, f int, texts []T, l *bufferPool, and func(set)) {
	if len(texts) == 0 {
		return
	}
	var of []*roaring.Bitmap
	for _, t := range texts {
		if n, ok := ix.valueOf(s, f, string(t)); ok {
			of = append(of, s.values[f].rows[n])
		}
	}
	switch len(of) {
	case 0:
		and(l.set(s.n))
	case 1:
		and(l.dense(s, of[0]))
	default:
		and(s.union(of))
	}
}

// valueOf returns the number of a column's value, or false if no row has it.
func (ix *Index) valueOf(s *snapshot, f int, text string) (uint32, bool) {
	v := &s.values[f]
	if len(v.texts) <= linearLimit {
		n, ok := v.find(text)
		return n, ok && v.rows[n] != nil
	}
	ix.mu.RLock()
	n, ok := ix.writer.dicts[f].numbers[text]
	epoch := ix.writer.epoch
	ix.mu.RUnlock()
	if epoch != s.epoch {
		n, ok = v.find(text)
	}
	return n, ok && int(n) < len(v.rows) && v.rows[n] != nil
}

// linearLimit is the most values that are searched linearly.
const linearLimit = 16

// rest returns the test for the conditions that are not evaluated with sets, or nil if there are none.
func (f *Filter) rest(s *snapshot) func(slot uint32) bool {
	dated, starts, version := f.Created != (engine.DateRange{}), f.Start != (engine.DateRange{}), f.Version > 0
	if f.Name == "" && !dated && !starts && !version {
		return nil
	}
	part := strings.ToLower(f.Name)
	wide := !isASCII(part)
	return func(slot uint32) bool {
		b, i := s.at(slot)
		if version && b.records[i].version != int64(f.Version) {
			return false
		}
		if dated && !f.Created.Contains(b.times[created].at(i)) || starts && !f.Start.Contains(b.times[start].at(i)) {
			return false
		}
		return part == "" || !wide && b.records[i].cased || strings.Contains(strings.ToLower(b.name(i)), part)
	}
}

// longestASCII returns the longest ASCII substring. Letters of other alphabets may be equal in lower case but
// differ when folded, so their words cannot be looked up.
func longestASCII(s string) string {
	best, from := "", 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] < 0x80 {
			continue
		}
		if i-from > len(best) {
			best = s[from:i]
		}
		from = i + 1
	}
	return best
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// newest returns slots of a set that pass a test, from one position up to but excluding another, last changed
// first.
func (ix *Index) newest(s *snapshot, in set, stands func(uint32) bool, from, to int) []uint32 {
	n := count(in)
	if from >= n {
		return nil
	}
	if to = min(to, n); n <= minSubsetSort {
		slots := s.sort(query.Updated, in.slots(n), false)
		if stands != nil {
			kept := slots[:0]
			for _, slot := range slots {
				if stands(slot) {
					kept = append(kept, slot)
				}
			}
			slots = kept
		}
		return slots[min(from, len(slots)):min(to, len(slots))]
	}
	w := walk{order: ix.sorted(s, query.Updated, false).slots, set: in, left: n, stands: stands}
	slots := w.take(make([]uint32, 0, min(to, n)), to, false)
	return slots[min(from, len(slots)):]
}

// minSubsetSort is the most rows always sorted on their own for a page. The first rows of larger sets are
// usually found quickly in the order of all rows.
const minSubsetSort = 128
