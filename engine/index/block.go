package index

import (
	"encoding/hex"
	"time"
)

// blockRows is how many rows a block has: as many as a container of a roaring bitmap.
const blockRows = 1 << 16

// block is a stretch of rows, column by column. Rows are only ever added: a reader that has a
// copy of the struct sees the rows that there were, whatever is added behind them.
type block struct {
	masks   []uint64 // of the names' shapes: what most names are passed over by
	pairs   []uint64
	heads   []uint32
	names   []sketch
	records []record
	times   [columns]times
	folded  []byte // folded names
	bytes   []byte // names as they are
}

// span is a stretch of a block's bytes.
type span struct{ at, size uint32 }

func (s span) in(b []byte) []byte { return b[s.at : s.at+s.size : s.at+s.size] }

// sketch is what is looked at of a name that was not passed over, and then the name itself.
type sketch struct {
	starts uint64 // of its shape
	fold   span   // of the block's folded bytes
	heads  uint32
	plain  bool
}

func (k *sketch) shape() shape {
	return shape{heads: k.heads, starts: k.starts, plain: k.plain}
}

// The times of a row.
const (
	created = iota
	updated
	sent
	start
	end
	columns
)

// times is a column of times, in seconds since 1970 and nanoseconds.
type times struct {
	sec  []int64
	nsec []int32
}

// never stands for no time. It is earlier than all times.
const never = -1 << 63

func (c *times) add(t time.Time) {
	sec, nsec := stamp(t)
	c.sec, c.nsec = append(c.sec, sec), append(c.nsec, nsec)
}

func stamp(t time.Time) (int64, int32) {
	if t.IsZero() {
		return never, 0
	}
	return t.Unix(), int32(t.Nanosecond())
}

func (c *times) at(i int) time.Time {
	if c.sec[i] == never {
		return time.Time{}
	}
	return time.Unix(c.sec[i], int64(c.nsec[i])).UTC()
}

// record is what a row has beside its name and times. It holds no pointers: a million of them
// cost the garbage collector nothing.
type record struct {
	id, campaign ident
	revision     int64
	version      int64
	name         span
	status       uint32 // as stored, not as the clock moved it on
	channel      uint32
	kind         uint32
	by           uint32
	updatedBy    uint32
	team         uint32
	tags         uint32 // a set
	platforms    uint32 // a set
	extra        uint32 // what few rows have; 0 for nothing
	allUsers     bool
}

// ident is an identifier: the bytes of an ObjectId, or the number of another text.
type ident struct {
	bytes [12]byte
	other bool
}

// objectID gives the ident of an identifier as spec.md has them: 24 digits, in lower case.
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

func (b *block) fold(i int) []byte { return b.names[i].fold.in(b.folded) }

// addName adds the folded name and what is kept of it.
func (b *block) addName(folded string) {
	at := len(b.folded)
	b.folded = append(b.folded, folded...)
	s := shapeOf(b.folded[at:])
	k := sketch{starts: s.starts, heads: s.heads, fold: span{uint32(at), uint32(len(folded))}, plain: s.plain}
	b.masks = append(b.masks, s.mask)
	b.pairs = append(b.pairs, s.pairs)
	b.heads = append(b.heads, s.heads)
	b.names = append(b.names, k)
}

// next gives an empty block with room for as much as this one has: a large index grows further.
func (b *block) next() *block {
	out := &block{
		masks: room(b.masks), pairs: room(b.pairs), heads: room(b.heads), names: room(b.names), records: room(b.records), folded: room(b.folded), bytes: room(b.bytes),
	}
	for i := range b.times {
		out.times[i] = times{room(b.times[i].sec), room(b.times[i].nsec)}
	}
	return out
}

func room[T any](s []T) []T { return make([]T, 0, len(s)+len(s)/64) }

// sealed gives the block without room to grow.
func (b *block) sealed() *block {
	out := &block{
		masks: fit(b.masks), pairs: fit(b.pairs), heads: fit(b.heads), names: fit(b.names), records: fit(b.records), folded: fit(b.folded), bytes: fit(b.bytes),
	}
	for i := range b.times {
		out.times[i] = times{fit(b.times[i].sec), fit(b.times[i].nsec)}
	}
	return out
}

// fit gives a copy with no room behind it, or the slice itself where it has little.
func fit[T any](s []T) []T {
	if cap(s)-len(s) <= len(s)/8 {
		return s
	}
	out := make([]T, len(s))
	copy(out, s)
	return out
}
