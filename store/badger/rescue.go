package badger

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/y"

	"bugle/store/kv"
)

// Rescued is the result of [DB.Rescue].
type Rescued struct {
	Records int `json:"records"` // written to the new store
	// Missing has a sentence for each thing that could not be read, or may be out of date.
	Missing []string `json:"missing"`
}

// Rescue copies everything of the store that can be read into an empty one. A damaged block ends a scan, so each part of the
// store is read from both of its ends, and where that leaves a gap, from places within it. progress, which may be nil, is
// called with the number of records.
func (db *DB) Rescue(ctx context.Context, to *DB, progress func(records int)) (Rescued, error) {
	out := Rescued{Missing: []string{}}
	snap, err := db.driver.Snapshot(ctx)
	if err != nil {
		return out, err
	}
	defer snap.Release()
	r := rescue{ctx: ctx, snap: snap.(*snapshot), batch: batch{to: to}}
	bounds := db.driver.bounds()
	for i, from := range bounds {
		r.found = map[string]uint64{}
		var end []byte
		if i+1 < len(bounds) {
			end = bounds[i+1]
		}
		if err := r.segment(from, end); err != nil {
			return out, err
		}
		out.Records += len(r.found)
		if progress != nil {
			progress(out.Records)
		}
	}
	if err := r.batch.flush(ctx); err != nil {
		return out, err
	}
	if err := kv.Prepare(ctx, to, true); err != nil { // its format number may be lost
		return out, err
	}
	lost, err := kv.Missing(ctx, db.Store, to.Store)
	if err != nil {
		return out, err
	}
	checked, err := to.Check(ctx, nil)
	for _, f := range checked.Findings {
		lost = append(lost, f.What)
	}
	out.Missing = append(out.Missing, lost...)
	return out, err
}

// bounds returns the first keys of the tables, sorted, and before them the first key of all. Between two of them a scan
// reads at most one table of each level.
func (d *driver) bounds() [][]byte {
	out := [][]byte{{0}}
	for _, t := range d.db.Tables() {
		out = append(out, y.Copy(y.ParseKey(t.Left)), after(y.ParseKey(t.Right)))
	}
	slices.SortFunc(out, bytes.Compare)
	return slices.CompactFunc(out, bytes.Equal)
}

// after returns the first key after another one.
func after(key []byte) []byte { return append(bytes.Clone(key), 0) }

// rescue copies records.
type rescue struct {
	ctx   context.Context
	snap  *snapshot
	batch batch
	found map[string]uint64 // versions of the records of the segment
}

// maxProbes is how many places within one gap are looked at.
const maxProbes = 1000

// gap is an open range of keys in which nothing was found yet.
type gap struct{ from, to []byte }

// segment copies the records from one key to another, exclusive; nil is the end of all keys.
func (r *rescue) segment(from, to []byte) error {
	forward, err := r.scan(from, to, false)
	if err != nil {
		return err
	}
	backward, err := r.scan(from, to, true)
	if err != nil {
		return err
	}
	gaps := gapsOf(forward, backward, from, to)
	for probes := 0; len(gaps) > 0 && probes < maxProbes; probes++ {
		g := gaps[0]
		gaps = gaps[1:]
		middle := between(g.from, g.to)
		if middle == nil {
			continue
		}
		before := len(r.found)
		right, err := r.scan(middle, g.to, false)
		if err != nil {
			return err
		}
		left, err := r.scan(after(g.from), middle, true)
		if err != nil {
			return err
		}
		low, high := middle, middle
		if len(r.found) > before {
			if len(left) > 0 {
				low = left[len(left)-1]
			}
			if len(right) > 0 {
				high = right[len(right)-1]
			}
		}
		gaps = append(gaps, gap{g.from, low}, gap{high, g.to})
	}
	return nil
}

// gapsOf returns what lies between the last key that a forward scan has found on its own and the first of a backward one.
// It returns nothing if both have found the same.
func gapsOf(forward, backward [][]byte, from, to []byte) []gap {
	low, high := from, to
	seen := map[string]bool{}
	for _, k := range backward {
		seen[string(k)] = true
	}
	same := len(forward) == len(backward) && len(forward) > 0
	for _, k := range forward {
		same = same && seen[string(k)]
	}
	if same {
		return nil
	}
	for _, k := range forward {
		if !seen[string(k)] {
			low = k
		}
		delete(seen, string(k))
	}
	for _, k := range backward { // in descending order
		if seen[string(k)] {
			high = k
		}
	}
	if high == nil || bytes.Compare(low, high) >= 0 {
		return nil
	}
	return []gap{{low, high}}
}

// between returns a key about in the middle between two keys, or nil if they are too close.
func between(a, b []byte) []byte {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	const digits = 6 // bytes that are halved
	at := func(k []byte) (v uint64) {
		for i := n; i < n+digits; i++ {
			v <<= 8
			if i < len(k) {
				v |= uint64(k[i])
			}
		}
		return v
	}
	low, high := at(a), at(b)
	if high < low+2 {
		return nil
	}
	mid := bytes.Clone(b[:n])
	for i := digits - 1; i >= 0; i-- {
		mid = append(mid, byte((low+(high-low)/2)>>(8*i)))
	}
	return mid
}

// scan copies the records from one key to another, exclusive, until the end or a damaged block, and returns their keys.
func (r *rescue) scan(from, to []byte, backward bool) (keys [][]byte, err error) {
	io := badger.DefaultIteratorOptions
	io.PrefetchValues = false
	io.Reverse = backward
	it := r.snap.txn.NewIterator(io)
	defer it.Close()
	defer guard(func(any) { err = nil })() // a damaged block: the scan ends
	switch {
	case !backward:
		it.Seek(from)
	case to == nil:
		it.Rewind()
	default:
		it.Seek(to)
	}
	for ; it.Valid(); it.Next() {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		item := it.Item()
		key := item.KeyCopy(nil)
		switch {
		case backward && to != nil && bytes.Equal(key, to):
			continue
		case backward && bytes.Compare(key, from) < 0, !backward && to != nil && bytes.Compare(key, to) >= 0:
			return keys, nil
		}
		keys = append(keys, key)
		// Where one level ends at a damaged block, an older version of a later record may come from another level.
		if r.found[string(key)] >= item.Version() || key[0] == 0 {
			continue
		}
		value, err := item.ValueCopy(nil)
		if err != nil {
			continue // in the value log
		}
		r.found[string(key)] = item.Version()
		if err := r.batch.add(r.ctx, key, value); err != nil {
			return nil, fmt.Errorf("writing to the new store: %w", err)
		}
	}
	return keys, nil
}

// batch writes records to a store, many in one transaction.
type batch struct {
	to     kv.DB
	writes []kv.Write
	size   int
}

func (b *batch) add(ctx context.Context, key, value []byte) error {
	b.writes = append(b.writes, kv.Write{Key: bytes.Clone(key), Value: bytes.Clone(value)})
	if b.size += len(key) + len(value); len(b.writes) < 1000 && b.size < 1<<20 {
		return nil
	}
	return b.flush(ctx)
}

func (b *batch) flush(ctx context.Context) error {
	err := b.to.Update(ctx, func(tx kv.Tx) error {
		for _, w := range b.writes {
			if err := tx.Set(w.Key, w.Value); err != nil {
				return err
			}
		}
		return nil
	})
	b.writes, b.size = b.writes[:0], 0
	return err
}
