package index

import (
	"cmp"
	"encoding/hex"
	"math/bits"
	"slices"
	"time"

	"bugle/engine/search/query"
)

// blockRows is the number of rows in a block, equal to a container of a roaring bitmap.
const blockRows = 1 << 16

// block is a stretch of rows, column by column. Rows are only ever added: a reader that has a
// copy of the struct sees the rows that there were, whatever is added behind them.
type block struct {
	masks   []uint64 // of the names' shapes: what most names are passed over by
	pairs   []uint64
	heads   []uint32
	names   []nameRef
	records []record
	times   [columns]times
	folded  []byte // folded names
	bytes   []byte // names as they are, where the folded ones do not tell
}

// span is a range of a block's bytes.
type span struct{ at, size uint32 }

func (s span) in(b []byte) []byte { return b[s.at : s.at+s.size : s.at+s.size] }

// nameRef is what is read for a name that was not skipped, before the name itself.
type nameRef struct {
	starts uint64 // of its shape
	at     uint32 // in the block's folded bytes
	length uint32 // of the folded name; the highest bit says that the shape is plain
}

const plainBit = 1 << 31

func (k *nameRef) plain() bool { return k.length&plainBit != 0 }

// shape returns the shape of the name of row i, without its mask and pairs: a search has looked at those before.
func (b *block) shape(i int) shape {
	k := &b.names[i]
	return shape{heads: b.heads[i], starts: k.starts, plain: k.plain()}
}

// The time columns.
const (
	created = iota
	updated
	sent
	start
	end
	columns
)

// times is a column of times: in nanoseconds since 1970, or in seconds for distant times (above maxNanos and
// below -maxNanos).
type times struct {
	list []int64
	rest []rest // the nanoseconds of distant times in row order
}

type rest struct {
	row  uint32
	nsec int32
}

// noTime represents a missing time. It sorts before all times.
const noTime = -1 << 63

// maxNanos is the limit for times in nanoseconds: 146 years.
const maxNanos = 1 << 62

func (c *times) add(t time.Time) {
	sec, nsec := stamp(t)
	v := sec
	switch {
	case sec == noTime:
	case sec > -maxNanos/second && sec < maxNanos/second:
		v = sec*second + int64(nsec)
	default:
		if nsec != 0 {
			c.rest = append(c.rest, rest{uint32(len(c.list)), nsec})
		}
		if v += maxNanos; sec < 0 {
			v = sec - maxNanos
		}
	}
	c.list = append(c.list, v)
}

const second = int64(time.Second)

// stamp returns the time of a row like the function stamp.
func (c *times) stamp(i int) (sec int64, nsec int32) {
	v := c.list[i]
	if v > -maxNanos && v < maxNanos {
		if sec = v / second; v%second < 0 {
			sec--
		}
		return sec, int32(v - sec*second)
	}
	if v == noTime {
		return noTime, 0
	}
	if k, ok := slices.BinarySearchFunc(c.rest, uint32(i), func(r rest, row uint32) int { return cmp.Compare(r.row, row) }); ok {
		nsec = c.rest[k].nsec
	}
	if v < 0 {
		return v + maxNanos, nsec
	}
	return v - maxNanos, nsec
}

func stamp(t time.Time) (int64, int32) {
	if t.IsZero() {
		return noTime, 0
	}
	return t.Unix(), int32(t.Nanosecond())
}

func (c *times) at(i int) time.Time {
	sec, nsec := c.stamp(i)
	if sec == noTime {
		return time.Time{}
	}
	return time.Unix(sec, int64(nsec)).UTC()
}

// record is a row without its name and times. It contains no pointers, so that a million of them cost the
// garbage collector nothing.
type record struct {
	id        ident
	allUsers  bool
	cased     bool // name is not a span: its bits are the capitals of the folded name
	revision  int64
	version   int64
	name      span   // of the block's bytes
	campaign  uint32 // the number of its id if that is not the row's own; otherwise 0
	status    uint32 // as stored, not as advanced by the clock
	channel   uint32
	kind      uint32
	by        uint32
	updatedBy uint32
	team      uint32
	tags      uint32 // a set
	platforms uint32 // a set
	extra     uint32 // rare data; 0 for none
}

// ident is an identifier: the bytes of an ObjectId, or the number of another text.
type ident struct {
	bytes [12]byte
	other bool
}

// objectID returns the ident of an identifier: 24 hexadecimal digits in lower case (CONTRACT.md, Records).
func objectID(s string) (ident, bool) {
	var out ident
	if len(s) != 24 {
		return out, false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return out, false
		}
	}
	_, err := hex.Decode(out.bytes[:], []byte(s))
	return out, err == nil
}

func numbered(n uint32) ident {
	return ident{bytes: [12]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, other: true}
}

func (id ident) number() uint32 {
	return uint32(id.bytes[0])<<24 | uint32(id.bytes[1])<<16 | uint32(id.bytes[2])<<8 | uint32(id.bytes[3])
}

func (b *block) fold(i int) []byte {
	k := &b.names[i]
	return span{k.at, k.length &^ plainBit}.in(b.folded)
}

// addName adds the folded name and what is kept of it. It returns how the name is written.
func (b *block) addName(name string) (where span, cased bool) {
	folded := query.Fold(name)
	at := len(b.folded)
	b.folded = append(b.folded, folded...)
	s := shapeOf(b.folded[at:])
	k := nameRef{starts: s.starts, at: uint32(at), length: uint32(len(folded))}
	if s.plain {
		k.length |= plainBit
	}
	b.masks = append(b.masks, s.mask)
	b.pairs = append(b.pairs, s.pairs)
	b.heads = append(b.heads, s.heads)
	b.names = append(b.names, k)
	if s.plain && isASCII(name) {
		capitals := uint64(0)
		for i := range len(name) {
			if name[i] != folded[i] {
				capitals |= 1 << i
			}
		}
		return span{uint32(capitals >> 32), uint32(capitals)}, true
	}
	where = span{uint32(len(b.bytes)), uint32(len(name))}
	b.bytes = append(b.bytes, name...)
	return where, false
}

// name returns a name as it is written.
func (b *block) name(i int) string {
	r := &b.records[i]
	if !r.cased {
		return string(r.name.in(b.bytes))
	}
	var buf [64]byte
	out := buf[:copy(buf[:], b.fold(i))]
	for c := uint64(r.name.at)<<32 | uint64(r.name.size); c != 0; c &= c - 1 {
		out[bits.TrailingZeros64(c)] -= 'a' - 'A'
	}
	return string(out)
}

// next returns an empty block with room for as much as this one has: a large index grows further.
func (b *block) next() *block {
	out := &block{
		masks: grow(b.masks), pairs: grow(b.pairs), heads: grow(b.heads), names: grow(b.names), records: grow(b.records), folded: grow(b.folded), bytes: grow(b.bytes),
	}
	for i := range b.times {
		out.times[i].list = grow(b.times[i].list)
	}
	return out
}

func grow[T any](s []T) []T { return make([]T, 0, len(s)+len(s)/64) }

// sealed returns the block without room to grow.
func (b *block) sealed() *block {
	out := &block{
		masks: shrink(b.masks), pairs: shrink(b.pairs), heads: shrink(b.heads), names: shrink(b.names), records: shrink(b.records), folded: shrink(b.folded), bytes: shrink(b.bytes),
	}
	for i := range b.times {
		out.times[i] = times{shrink(b.times[i].list), shrink(b.times[i].rest)}
	}
	return out
}

// shrink returns a copy without spare capacity, or the slice itself if it has little.
func shrink[T any](s []T) []T {
	if cap(s)-len(s) <= len(s)/8 {
		return s
	}
	out := make([]T, len(s))
	copy(out, s)
	return out
}
