package index

import (
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// bufferPool reuses sets during a page: those of a million rows have 125 KB each, and a page needs several.
type bufferPool struct{ free, inUse []set }

var bufferPools = sync.Pool{New: func() any { return new(bufferPool) }}

// set returns an empty set.
func (l *bufferPool) set(slots int) set {
	words := (slots + 63) / 64
	var out set
	if k := len(l.free) - 1; k >= 0 {
		out, l.free = l.free[k], l.free[:k]
	}
	if cap(out) < words {
		out = make(set, words)
	} else {
		out = out[:words]
		clear(out)
	}
	l.inUse = append(l.inUse, out)
	return out
}

// release returns all sets to the pool.
func (l *bufferPool) release() {
	l.free, l.inUse = append(l.free, l.inUse...), l.inUse[:0]
	bufferPools.Put(l)
}

// dense returns rows as a set.
func (l *bufferPool) dense(s *snapshot, rows *roaring.Bitmap) set {
	out := l.set(s.n)
	rows.WriteDenseTo(out)
	return out
}

// drop takes rows out of a set; nil are none.
func (l *bufferPool) drop(s *snapshot, from set, rows *roaring.Bitmap) {
	switch {
	case rows == nil:
	case rows.GetCardinality() > maxSubsetSort:
		from.not(l.dense(s, rows))
	default:
		rows.Iterate(func(slot uint32) bool {
			from[slot/64] &^= 1 << (slot % 64)
			return true
		})
	}
}
