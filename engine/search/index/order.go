package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"time"

	"bugle/engine/search/query"
)

// order is a list of slots sorted by a column: times newest first, names from A to Z, the latest version
// first. It includes slots of removed rows, and is immutable.
type order struct {
	epoch uint64
	slots []uint32
}

// orders caches the requested orders. New rows are merged when an order is requested again.
type orders struct {
	mu       sync.Mutex
	byColumn map[query.Key]*newestOrder
}

// newestOrder is the latest order by one column. Readers of that column wait while it is computed; readers of
// other columns do not.
type newestOrder struct {
	mu sync.Mutex
	*order
}

func (o *orders) by(column query.Key) *newestOrder {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byColumn == nil {
		o.byColumn = map[query.Key]*newestOrder{}
	}
	if o.byColumn[column] == nil {
		o.byColumn[column] = &newestOrder{}
	}
	return o.byColumn[column]
}

// sorted returns the order by updated, created, start, name or version, with at least the slots of the
// snapshot. In the background it is computed slowly: see [throttle].
func (ix *Index) sorted(s *snapshot, column query.Key, background bool) *order {
	last := ix.orders.by(column)
	last.mu.Lock()
	defer last.mu.Unlock()
	o := last.order
	switch {
	case o != nil && o.epoch == s.epoch && len(o.slots) >= s.n:
		return o
	case o != nil && o.epoch == s.epoch:
		o = &order{s.epoch, s.merge(column, o.slots)}
	default:
		o = &order{s.epoch, s.sort(column, slotsFrom(0, s.n), background)}
	}
	if last.order == nil || last.epoch <= s.epoch {
		last.order = o
	}
	return o
}

func slotsFrom(from, to int) []uint32 {
	out := make([]uint32, to-from)
	for i := range out {
		out[i] = uint32(from + i)
	}
	return out
}

// merge inserts unsorted slots into an order.
func (s *snapshot) merge(column query.Key, sorted []uint32) []uint32 {
	added := s.sort(column, slotsFrom(len(sorted), s.n), false)
	out := make([]uint32, 0, s.n)
	for _, slot := range added {
		k := s.key(column, slot)
		at, _ := slices.BinarySearchFunc(sorted, k, func(a uint32, k keyed) int {
			return s.compare(column, s.key(column, a), k)
		})
		out = append(out, sorted[:at]...)
		out = append(out, slot)
		sorted = sorted[at:]
	}
	return append(out, sorted...)
}

// keyed is a slot with what most comparisons need.
type keyed struct {
	hi, lo uint64
	slot   uint32
}

// parallelFrom is the number of slots from which sorting uses more goroutines.
const parallelFrom = 1 << 15

// throttle pauses a background sort between short periods of work. Sorting a million rows takes a processor
// for a second, and on a machine with two cores keystrokes in that second waited 20 ms. The zero value never
// pauses.
type throttle struct {
	background bool
	steps      int
}

const (
	stepsPerPause = 1 << 16 // steps between pauses, about a millisecond
	sortPause     = time.Millisecond
)

func (p *throttle) step() {
	if p.steps++; p.background && p.steps%stepsPerPause == 0 {
		time.Sleep(sortPause)
	}
}

// sort sorts slots by a column; in the background with one throttled goroutine.
func (s *snapshot) sort(column query.Key, slots []uint32, background bool) []uint32 {
	keys := make([]keyed, len(slots))
	p := &throttle{background: background}
	for i, slot := range slots {
		p.step()
		keys[i] = s.key(column, slot)
	}
	if background || len(keys) < parallelFrom {
		s.sortKeys(column, keys, 0, p)
		return put(slots, keys)
	}
	half := len(keys) / 2
	var wg sync.WaitGroup
	wg.Go(func() { s.sortKeys(column, keys[:half], 0, &throttle{}) })
	s.sortKeys(column, keys[half:], 0, p)
	wg.Wait()
	// Deep down keys hold other parts of names: the merge needs the first ones again.
	for i := range keys {
		keys[i] = s.key(column, keys[i].slot)
	}
	a, b := keys[:half], keys[half:]
	less := func(a, b keyed) int { return s.compare(column, a, b) }
	for i := range slots {
		if len(b) == 0 || len(a) > 0 && less(a[0], b[0]) <= 0 {
			slots[i], a = a[0].slot, a[1:]
		} else {
			slots[i], b = b[0].slot, b[1:]
		}
	}
	return slots
}

// sortKeys sorts by key, and slots with equal keys by what follows: the next part of the names, then the ids.
// Names often have long common prefixes; this reads each part only once.
func (s *snapshot) sortKeys(column query.Key, keys []keyed, depth int, p *throttle) {
	slices.SortFunc(keys, func(a, b keyed) int {
		p.step()
		return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo))
	})
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to].hi == keys[from].hi && keys[to].lo == keys[from].lo {
			to++
		}
		if same := keys[from:to]; len(same) > 1 {
			s.sortSame(column, same, depth+nameKey, p)
		}
		from = to
	}
}

// sortSame sorts slots that are equal up to depth.
func (s *snapshot) sortSame(column query.Key, keys []keyed, depth int, p *throttle) {
	more := false
	if column == query.Name {
		for i := range keys {
			b, row := s.at(keys[i].slot)
			name := b.fold(row)
			keys[i].setName(name[min(depth, len(name)):])
			more = more || len(name) > depth
		}
	}
	if more {
		s.sortKeys(column, keys, depth, p)
		return
	}
	slices.SortFunc(keys, func(a, b keyed) int {
		p.step()
		return cmp.Or(s.compareIDs(a.slot, b.slot), cmp.Compare(a.slot, b.slot))
	})
}

// nameKey is the number of bytes of a name in a sort key.
const nameKey = 16

func (k *keyed) setName(name []byte) {
	var buf [nameKey]byte
	copy(buf[:], name)
	k.hi, k.lo = binary.BigEndian.Uint64(buf[:8]), binary.BigEndian.Uint64(buf[8:])
}

func put(slots []uint32, keys []keyed) []uint32 {
	for i, k := range keys {
		slots[i] = k.slot
	}
	return slots
}

// key returns the sort key of a slot: smaller keys come first.
func (s *snapshot) key(column query.Key, slot uint32) keyed {
	b, i := s.at(slot)
	k := keyed{slot: slot}
	switch column {
	case query.Name:
		k.setName(b.fold(i))
	case query.Version:
		k.hi = ^uint64(b.records[i].version)
		sec, _ := b.times[updated].stamp(i)
		k.lo = newestKey(sec)
	default:
		sec, nsec := b.times[timeColumn(column)].stamp(i)
		k.hi, k.lo = newestKey(sec), ^uint64(nsec)
	}
	return k
}

// newestKey converts seconds to a key that sorts later times first.
func newestKey(sec int64) uint64 { return ^(uint64(sec) ^ 1<<63) }

func timeColumn(k query.Key) int {
	switch k {
	case query.Created:
		return created
	case query.Start:
		return start
	}
	return updated
}

// compare orders two slots; equal ones by id.
func (s *snapshot) compare(column query.Key, a, b keyed) int {
	if c := cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo)); c != 0 {
		return c
	}
	if column == query.Name {
		ba, i := s.at(a.slot)
		bb, j := s.at(b.slot)
		if c := bytes.Compare(ba.fold(i), bb.fold(j)); c != 0 {
			return c
		}
	}
	return cmp.Or(s.compareIDs(a.slot, b.slot), cmp.Compare(a.slot, b.slot))
}

func (s *snapshot) compareIDs(a, b uint32) int {
	x, y := s.record(a).id, s.record(b).id
	if !x.other && !y.other {
		return bytes.Compare(x.bytes[:], y.bytes[:])
	}
	return strings.Compare(s.text(x), s.text(y))
}
