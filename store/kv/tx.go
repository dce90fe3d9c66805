package kv

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"bugle/store"
)

// Tx is an optimistic transaction: a snapshot, what it has read of it, and what it has written over it. It must only be used by
// the goroutine that runs its function, and ends with it. It is the [store.Tx] of its records.
type Tx struct {
	ctx    context.Context
	driver Driver
	snap   Snapshot
	lease  string        // of this handle of the store
	watch  store.Watcher // nil if nobody watches

	// The fields below are only used by a transaction that may write.
	reads  map[string]uint64 // key → version, 0 if there was no record
	ranges []Range
	writes map[string]Write
	order  []string // keys of writes, in the order in which they were first written
}

// begin allows writes.
func (t *Tx) begin() { t.reads, t.writes = map[string]uint64{}, map[string]Write{} }

// Workspace implements [store.Tx].
func (t *Tx) Workspace(id string) store.WorkspaceTx { return rows{t, id}.workspace() }

// Workspaces implements [store.Tx].
func (t *Tx) Workspaces() ([]string, error) { return Workspaces(t) }

// Watch implements [store.Tx].
func (t *Tx) Watch(w store.Watcher) { t.watch = w }

// Get returns a copy of the value under a key, or [store.ErrNotFound].
func (t *Tx) Get(key []byte) ([]byte, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	if w, ok := t.writes[string(key)]; ok {
		if w.Delete {
			return nil, store.ErrNotFound
		}
		return append([]byte{}, w.Value...), nil
	}
	i, err := t.snap.Get(t.ctx, key)
	if err != nil {
		return nil, err
	}
	t.note(key, i.Version)
	if i.Version == 0 {
		return nil, store.ErrNotFound
	}
	return i.Value, nil
}

// note records the version of a record that was read.
func (t *Tx) note(key []byte, version uint64) {
	if t.reads != nil {
		t.reads[string(key)] = version
	}
}

// Set stores a value. It keeps both slices, which must not change until the transaction ends.
func (t *Tx) Set(key, value []byte) error { return t.write(Write{Key: key, Value: value}) }

// Delete removes a key, if it exists.
func (t *Tx) Delete(key []byte) error { return t.write(Write{Key: key, Delete: true}) }

// write keeps a write.
func (t *Tx) write(w Write) error {
	if t.writes == nil {
		return store.ErrReadOnly
	}
	if _, ok := t.writes[string(w.Key)]; !ok {
		t.order = append(t.order, string(w.Key))
	}
	t.writes[string(w.Key)] = w
	return nil
}

// noteWritten reads the versions of the records that are written and were not read: the records are counted, so it must be
// known which of them exist.
func (t *Tx) noteWritten() error {
	var keys [][]byte
	for _, key := range t.order {
		if _, ok := t.reads[key]; !ok {
			keys = append(keys, []byte(key))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	versions, err := t.snap.Versions(t.ctx, keys)
	for i, v := range versions {
		t.reads[string(keys[i])] = v
	}
	return err
}

// change returns what the transaction has read and written.
func (t *Tx) change() (Change, error) {
	if err := t.noteWritten(); err != nil {
		return Change{}, err
	}
	c := Change{Reads: make([]Read, 0, len(t.reads)), Ranges: t.ranges, Writes: make([]Write, 0, len(t.order))}
	for key, version := range t.reads {
		c.Reads = append(c.Reads, Read{[]byte(key), version})
	}
	counts := Counts{}
	for _, key := range t.order {
		w, existed := t.writes[key], t.reads[key] != 0
		switch {
		case w.Delete && !existed:
			continue // written and deleted by this transaction, or it never existed
		case w.Delete:
			counts.Add(w.Key, -1)
		case !existed:
			counts.Add(w.Key, 1)
		}
		c.Writes = append(c.Writes, w)
	}
	c.Counts = counts.changes()
	return c, nil
}

func (t *Tx) Scan(prefix []byte, o ScanOptions, fn func(key, value []byte) error) error {
	own := t.ownWrites(prefix, o)
	seen := scanned(prefix, o)
	n := 0
	// deliver calls fn, and ends the scan at its limit.
	deliver := func(key, value []byte) error {
		if o.KeysOnly {
			value = nil
		}
		n++
		err := fn(key, value)
		if err == nil && n == o.Limit {
			err = store.Stop
		}
		if err != nil {
			seen.end(key, o)
		}
		return err
	}
	// deliverOwn delivers the own writes that come before a key, or all of them.
	deliverOwn := func(key []byte) error {
		for len(own) > 0 && (key == nil || compareKeys(own[0].Key, key, o) < 0) {
			w := own[0]
			own = own[1:]
			if w.Delete {
				continue
			}
			if err := deliver(bytes.Clone(w.Key), bytes.Clone(w.Value)); err != nil {
				return err
			}
		}
		return nil
	}
	stored := o
	if len(own) > 0 || len(prefix) == 0 {
		stored.Limit = 0 // some of the records are overwritten, or hidden
	}
	err := t.snap.Scan(t.ctx, prefix, stored, func(i Item) error {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if isHidden(i.Key) {
			return nil
		}
		if err := deliverOwn(i.Key); err != nil {
			return err
		}
		seen.add(i)
		if len(own) > 0 && bytes.Equal(own[0].Key, i.Key) {
			return nil // overwritten; it comes with the next, or at the end
		}
		return deliver(i.Key, i.Value)
	})
	if err == nil && (o.Limit == 0 || n < o.Limit) {
		err = deliverOwn(nil)
	}
	if t.reads != nil {
		t.ranges = append(t.ranges, seen)
	}
	if errors.Is(err, store.Stop) {
		return nil
	}
	return err
}

// scanned returns the range that a complete scan covers.
func scanned(prefix []byte, o ScanOptions) Range {
	r := Range{From: bytes.Clone(prefix), To: PrefixEnd(prefix)}
	switch {
	case o.From == nil:
	case o.Reverse && (r.To == nil || bytes.Compare(o.From, r.To) < 0):
		r.To = after(o.From)
	case !o.Reverse && bytes.Compare(o.From, prefix) > 0:
		r.From = bytes.Clone(o.From)
	}
	return r
}

// end cuts the range after the last key that a scan has delivered.
func (r *Range) end(last []byte, o ScanOptions) {
	if o.Reverse {
		r.From = bytes.Clone(last)
	} else {
		r.To = after(last)
	}
}

// after returns the first key after another one.
func after(key []byte) []byte { return append(bytes.Clone(key), 0) }

// ownWrites returns the transaction's own writes in the range of a scan, in the scan's order.
func (t *Tx) ownWrites(prefix []byte, o ScanOptions) []Write {
	var out []Write
	for _, w := range t.writes {
		before := o.From != nil && compareKeys(w.Key, o.From, o) < 0
		if bytes.HasPrefix(w.Key, prefix) && !before && !isHidden(w.Key) {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b Write) int { return compareKeys(a.Key, b.Key, o) })
	return out
}

// compareKeys compares keys in the order of a scan.
func compareKeys(a, b []byte, o ScanOptions) int {
	if o.Reverse {
		a, b = b, a
	}
	return bytes.Compare(a, b)
}

// LeaseHolder is a [Driver] that several processes share. LeaseHeld reports whether one of them holds a lease, see
// [store.Idempotency].
type LeaseHolder interface {
	LeaseHeld(ctx context.Context, lease string) (bool, error)
}
