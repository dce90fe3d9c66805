package badger

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"bugle/store/badger/internal/files"
)

// A damaged block silently ends Badger's iteration over its table: all later records of the table would be missing. So
// a scan that comes past such a block starts again behind it.

// gaps is the set of damaged blocks found since the store was opened.
type gaps struct {
	mu  sync.Mutex // serializes additions
	all atomic.Pointer[[]files.Span]
}

func (g *gaps) add(some []files.Span) {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.Concat(g.list(), some)
	g.all.Store(&all)
}

func (g *gaps) list() []files.Span {
	if all := g.all.Load(); all != nil {
		return *all
	}
	return nil
}

// gapSkipper tracks the gaps ahead of a scan.
type gapSkipper struct {
	all      *gaps
	from, to []byte // the range of the scan; nil means open
	reverse  bool
	seen     int          // how many gaps were taken over or are irrelevant
	before   []files.Span // gaps that the scan has not passed
}

// skip returns where to seek instead of continuing with the record of key, or nil to continue. A nil key is the end of
// the iteration.
func (d *gapSkipper) skip(key []byte) []byte {
	if all := d.all.list(); len(all) > d.seen {
		for _, g := range all[d.seen:] {
			if (d.to == nil || bytes.Compare(g.From, d.to) < 0) && (g.To == nil || bytes.Compare(g.To, d.from) > 0) {
				d.before = append(d.before, g)
			}
		}
		d.seen = len(all)
	}
	next := -1
	for i, g := range d.before {
		switch {
		case d.reverse && (key == nil || bytes.Compare(key, g.From) < 0):
			if next < 0 || bytes.Compare(g.From, d.before[next].From) > 0 {
				next = i
			}
		case !d.reverse && g.To != nil && (key == nil || bytes.Compare(key, g.To) >= 0):
			if next < 0 || bytes.Compare(g.To, d.before[next].To) < 0 {
				next = i
			}
		}
	}
	if next < 0 {
		return nil
	}
	g := d.before[next]
	d.before = slices.Delete(d.before, next, next+1)
	if d.reverse {
		return keyBefore(g.From)
	}
	return g.To
}

// keyBefore returns a key before key that no record's key lies between.
func keyBefore(key []byte) []byte {
	n := len(key) - 1
	switch {
	case n < 0:
		return []byte{0}
	case key[n] == 0:
		return bytes.Clone(key[:n])
	}
	out := append(bytes.Clone(key[:n]), key[n]-1)
	return append(out, bytes.Repeat([]byte{0xff}, 16)...)
}
