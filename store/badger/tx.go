package badger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"

	"bugle/store"
	"bugle/store/badger/internal/files"
	"bugle/store/kv"
)

// Special positions of keys that were read and not written.
const (
	absent  = -1
	present = -2
)

// tx is a transaction on a snapshot. It buffers its writes in change until it is committed.
type tx struct {
	ctx     context.Context
	txn     *badger.Txn // the snapshot's, shared with other transactions
	db      *DB
	change  *change        // nil if it is read-only
	written map[string]int // key → index in change.writes, or absent, or present
}

func (t *tx) Get(key []byte) ([]byte, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	if t.change != nil {
		if i, ok := t.written[string(key)]; ok && i != present {
			if i == absent || t.change.writes[i].deleted {
				return nil, store.ErrNotFound
			}
			return append([]byte{}, t.change.writes[i].value...), nil
		}
		t.change.reads = append(t.change.reads, xxhash.Sum64(key))
	}
	var item *badger.Item
	var err error
	if broken := recoverMove(func() { item, err = t.txn.Get(key) }); broken != nil {
		return nil, broken
	}
	switch {
	case errors.Is(err, badger.ErrKeyNotFound):
		if err := t.db.tables.checkNewer(t.txn, key, 0); err != nil {
			return nil, t.db.explain(err)
		}
		if t.db.mayBeLost(t.txn, key) {
			return nil, store.ErrDataLost
		}
		t.note(key, absent)
		return nil, store.ErrNotFound
	case err != nil:
		return nil, t.db.explain(err)
	}
	value, err := t.value(item, nil)
	if err != nil {
		return nil, err
	}
	if err := t.db.tables.checkNewer(t.txn, key, item.Version()); err != nil {
		return nil, t.db.explain(err)
	}
	t.note(key, present)
	return value, nil
}

// note records the position of a key if the transaction may write.
func (t *tx) note(key []byte, place int) {
	if t.change == nil {
		return
	}
	if t.written == nil {
		t.written = make(map[string]int, 16)
	}
	t.written[string(key)] = place
}

// value copies the value of a record to buf. It fails with [store.ErrDataLost] if the value log does not have it.
func (t *tx) value(item *badger.Item, buf []byte) (value []byte, err error) {
	defer func() {
		if recover() != nil { // an invalid value pointer
			value, err = nil, store.ErrDataLost
		}
	}()
	value, err = item.ValueCopy(buf)
	switch errno := syscall.Errno(0); {
	case err == nil, t.db.explain(err) == store.ErrClosed:
	case errors.As(err, &errno): // the system cannot read it at the moment, which is not damage
		err = t.db.explain(err)
	default:
		err = fmt.Errorf("%w: %w", store.ErrDataLost, err)
	}
	return value, err
}

func (t *tx) Set(key, value []byte) error {
	if len(value) > maxValue-len(key)-64 { // a value log file also has a header
		return store.ErrTooLarge
	}
	return t.write(write{key: key, value: value})
}

func (t *tx) Delete(key []byte) error { return t.write(write{key: key, deleted: true}) }

// maxKey is the maximum length of a key in bytes (badger/v4/txn.go).
const maxKey = 65000

// write buffers a write if all buffered writes still fit into one Badger transaction.
func (t *tx) write(w write) error {
	if t.change == nil {
		return store.ErrReadOnly
	}
	if len(w.key) == 0 || len(w.key) > maxKey || bytes.HasPrefix(w.key, []byte("!badger!")) {
		return t.db.explain(fmt.Errorf("a key of %d bytes cannot be stored", len(w.key)))
	}
	c, stored := t.change, len(w.value)
	if stored >= inlineLimit {
		stored = 12 // a pointer into the value log
	}
	c.count, c.size = c.count+1, c.size+int64(len(w.key)+stored+12)
	if c.count >= t.db.db.MaxBatchCount() || c.size >= t.db.db.MaxBatchSize() {
		return store.ErrTooLarge
	}
	w.keyHash = xxhash.Sum64(w.key)
	if i, ok := t.written[string(w.key)]; ok && i >= 0 {
		w.existed = c.writes[i].existed
		c.writes[i] = w
		return nil
	}
	var err error
	if w.existed, err = t.existed(w.key, w.keyHash); err != nil {
		return err
	}
	if c.writes == nil {
		c.writes = make([]write, 0, 16)
	}
	t.note(w.key, len(c.writes))
	c.writes = append(c.writes, w)
	return nil
}

func (t *tx) Scan(prefix []byte, o kv.ScanOptions, fn func(key, value []byte) error) error {
	it := t.iterator(prefix, o)
	defer it.Close()
	proved := t.db.tables.newScanVerifier(prefix, o)
	if err := recoverMove(func() { seekStart(it, prefix, o) }); err != nil {
		return t.db.explain(err)
	}
	c := cursor{tx: t, it: it, prefix: prefix, o: o, own: t.ownWrites(prefix, o), proved: proved}
	for n := 1; ; n++ {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		key, value, err := c.next()
		if key == nil || err != nil {
			t.scanned(prefix, o, nil)
			return err
		}
		err = fn(key, value)
		if err == nil && n != o.Limit {
			continue
		}
		t.scanned(prefix, o, key)
		if errors.Is(err, store.Stop) {
			return nil
		}
		return err
	}
}

// scanned records the range that a scan has covered, up to the last key that it returned; nil: to its end. If another
// transaction adds a record in it, this one conflicts.
func (t *tx) scanned(prefix []byte, o kv.ScanOptions, last []byte) {
	if t.change == nil {
		return
	}
	s := files.Span{From: bytes.Clone(prefix), To: kv.PrefixEnd(prefix)}
	switch {
	case o.From == nil:
	case o.Reverse:
		s.To = keyAfter(o.From)
	case bytes.Compare(o.From, prefix) > 0:
		s.From = bytes.Clone(o.From)
	}
	switch {
	case last == nil:
	case o.Reverse:
		s.From = bytes.Clone(last)
	default:
		s.To = keyAfter(last)
	}
	t.change.ranges = append(t.change.ranges, s)
}

// iterator returns an iterator over the tables in [tables], which it pins while it is open.
func (t *tx) iterator(prefix []byte, o kv.ScanOptions) *badger.Iterator {
	if !o.Proved {
		return t.txn.NewIterator(iteration(prefix, o))
	}
	for {
		t.db.tables.refresh()
		before := t.db.tables.list.Load()
		it := t.txn.NewIterator(iteration(prefix, o))
		if t.db.tables.refresh(); t.db.tables.list.Load() == before {
			return it
		}
		it.Close()
	}
}

// ownWrites returns the transaction's own writes in the range of a scan, in the scan's order.
func (t *tx) ownWrites(prefix []byte, o kv.ScanOptions) []write {
	if t.change == nil {
		return nil
	}
	var out []write
	for _, w := range t.change.writes {
		before := o.From != nil && (!o.Reverse && bytes.Compare(w.key, o.From) < 0 || o.Reverse && bytes.Compare(w.key, o.From) > 0)
		if bytes.HasPrefix(w.key, prefix) && !before {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b write) int { return compareKeys(a.key, b.key, o) })
	return out
}

// compareKeys compares keys in the order of a scan.
func compareKeys(a, b []byte, o kv.ScanOptions) int {
	if o.Reverse {
		a, b = b, a
	}
	return bytes.Compare(a, b)
}

// cursor iterates over the stored records merged with the transaction's own writes.
type cursor struct {
	tx      *tx
	it      *badger.Iterator
	prefix  []byte
	o       kv.ScanOptions
	own     []write
	buf     []byte
	pending bool   // the record at the current position was already returned
	last    []byte // key of the last returned record
	proved  *scanVerifier
}

// recoverMove moves an iterator, which panics if a block of a table is truncated.
func recoverMove(move func()) (err error) {
	defer func() {
		if recover() != nil {
			err = store.ErrDataLost
		}
	}()
	move()
	return nil
}

// advance moves past the record that was returned.
func (c *cursor) advance() error {
	if !c.pending {
		return nil
	}
	c.pending = false
	c.last = append(c.last[:0], c.it.Item().Key()...)
	return recoverMove(c.it.Next)
}

// isRepeat reports whether a record was already returned: in reverse, the iterator returns the block before an
// unreadable one twice.
func (c *cursor) isRepeat() bool {
	return c.o.Reverse && c.last != nil && bytes.Compare(c.it.Item().Key(), c.last) >= 0
}

// next returns the next record, or a nil key at the end.
func (c *cursor) next() (key, value []byte, err error) {
	for {
		if err := c.advance(); err != nil {
			return nil, nil, c.tx.db.explain(err)
		}
		stored := c.it.ValidForPrefix(c.prefix)
		if stored && c.isRepeat() {
			if err := recoverMove(c.it.Next); err != nil {
				return nil, nil, c.tx.db.explain(err)
			}
			continue
		}
		if stored && isInternal(c.it.Item().Key()) {
			c.pending = true
			continue
		}
		var at []byte
		if stored {
			at = c.it.Item().Key()
		}
		instead := c.proved.check(at)
		if c.proved.err != nil {
			return nil, nil, c.tx.db.explain(c.proved.err)
		}
		if instead != nil {
			if err := recoverMove(func() { c.it.Seek(instead) }); err != nil {
				return nil, nil, c.tx.db.explain(err)
			}
			if key, value, err := c.atGapEnd(instead); key != nil || err != nil {
				return key, value, err
			}
			continue
		}
		if len(c.own) == 0 {
			if !stored {
				return nil, nil, nil
			}
			return c.current()
		}
		which := -1
		if stored {
			which = compareKeys(c.own[0].key, c.it.Item().Key(), c.o)
		}
		if which > 0 {
			return c.current()
		}
		c.pending = which == 0 // it was overwritten
		w := c.own[0]
		c.own = c.own[1:]
		if w.deleted {
			continue
		}
		if c.o.KeysOnly {
			return bytes.Clone(w.key), nil, nil
		}
		c.buf = append(c.buf[:0], w.value...)
		return bytes.Clone(w.key), c.buf, nil
	}
}

// atGapEnd returns the record of the key at which a scan continues after an unreadable part of a table: that key begins
// the next block, where the iterator cannot start. It returns a nil key if the record does not exist or was already
// returned.
func (c *cursor) atGapEnd(instead []byte) (key, value []byte, err error) {
	key = bytes.Clone(instead[:len(instead)-1])
	if c.o.Reverse || !bytes.HasPrefix(key, c.prefix) || bytes.Compare(key, c.o.From) < 0 || bytes.Equal(key, c.last) || isInternal(key) {
		return nil, nil, nil
	}
	if len(c.own) > 0 && compareKeys(c.own[0].key, key, c.o) <= 0 {
		return nil, nil, nil
	}
	switch value, err = c.tx.Get(key); {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil, nil
	case errors.Is(err, store.ErrDataLost):
		return key, nil, nil
	case c.o.KeysOnly:
		value = nil
	}
	return key, value, err
}

// current returns the record at the cursor's position.
func (c *cursor) current() (key, value []byte, err error) {
	item := c.it.Item()
	c.pending = true
	if c.tx.change != nil {
		c.tx.change.reads = append(c.tx.change.reads, xxhash.Sum64(item.Key()))
	}
	if c.o.KeysOnly {
		return item.Key(), nil, nil
	}
	value, err = c.tx.value(item, c.buf)
	if errors.Is(err, store.ErrDataLost) {
		value, err = nil, nil // no record is empty: an empty value reports the damage
	}
	if err != nil {
		return nil, nil, c.tx.db.explain(err)
	}
	c.buf = value
	return item.Key(), value, nil
}

func iteration(prefix []byte, o kv.ScanOptions) badger.IteratorOptions {
	io := badger.DefaultIteratorOptions
	io.Reverse = o.Reverse
	io.PrefetchValues = false // it starts a goroutine for each value, and values are inline
	if !o.Reverse {
		io.Prefix = prefix // Badger's prefixes only work in forward scans
	}
	return io
}

// seekStart moves the iterator to the first record of the scan.
func seekStart(it *badger.Iterator, prefix []byte, o kv.ScanOptions) {
	from := o.From
	switch {
	case !o.Reverse && string(from) < string(prefix):
		from = prefix
	case o.Reverse && from == nil:
		from = kv.PrefixEnd(prefix)
	}
	if from == nil {
		it.Rewind()
	} else {
		it.Seek(from)
	}
	if o.Reverse {
		for it.Valid() && string(it.Item().Key()) > string(prefix) && !it.ValidForPrefix(prefix) {
			it.Next() // beyond the range
		}
	}
}
