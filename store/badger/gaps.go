package badger

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"bugle/store/badger/internal/files"
)

// A block that is not what was written ends what the database's iterator reads of its table, without a
// word: all records of the table that come after it would be missing. So a scan that has come past such
// a block begins anew behind it.

// gaps are the blocks that were found not to be what was written, since the store was opened.
type gaps struct {
	mu  sync.Mutex // of who adds
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

// gapSkipper is the gaps that lie before a scan of a range.
type gapSkipper struct {
	all      *gaps
	from, to []byte // the range; nil ends are open
	reverse  bool
	seen     int          // how many of all are among before, or do not matter
	before   []files.Span // those that the scan has not come past
}

// skip returns where to seek instead of going on with the record of key, nil where that is the next one.
// A nil key is the end of what is read.
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

// keyBefore returns a key before another, so near that no record has one between them.
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
