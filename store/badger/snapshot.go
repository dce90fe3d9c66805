package badger

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/dgraph-io/badger/v4"

	"bugle/store"
	"bugle/store/kv"
)

// snapshot is a read-only transaction of Badger, which is safe for concurrent use. Transactions share the newest.
type snapshot struct {
	driver *driver
	txn    *badger.Txn
	users  int // guarded by driver.snapMu; being the newest counts as one
}

// share makes a transaction the newest snapshot, or nil if the store is closed.
func (d *driver) share(txn *badger.Txn) {
	d.snapMu.Lock()
	old := d.newest
	d.newest = &snapshot{driver: d, txn: txn, users: 1}
	d.snapMu.Unlock()
	if old != nil {
		old.Release()
	}
}

// Snapshot implements [kv.Driver].
func (d *driver) Snapshot(context.Context) (kv.Snapshot, error) {
	d.snapMu.Lock()
	defer d.snapMu.Unlock()
	if d.newest.txn == nil {
		return nil, store.ErrClosed
	}
	d.newest.users++
	return d.newest, nil
}

// Release implements [kv.Snapshot].
func (s *snapshot) Release() {
	s.driver.snapMu.Lock()
	s.users--
	unused := s.users == 0
	s.driver.snapMu.Unlock()
	if unused {
		s.txn.Discard()
	}
}

// guard calls failed after a panic of Badger, which some damage causes, or after a sector of a mapped file could not be read.
// The function that it returns must be deferred.
func guard(failed func(cause any)) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if cause := recover(); cause != nil {
			failed(cause)
		}
	}
}

// guarded is [guard] for a method of a snapshot that returns err.
func (s *snapshot) guarded(err *error) func() {
	return guard(func(cause any) { *err = s.corrupt(cause) })
}

// corrupt returns the error after a panic.
func (s *snapshot) corrupt(cause any) error {
	err := &store.CorruptError{What: "a part of the store", Err: fmt.Errorf("%v", cause)}
	s.driver.Suspect(err)
	return err
}

// item returns a record, nil if it does not exist.
func (s *snapshot) item(key []byte) (*badger.Item, error) {
	item, err := s.txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, nil
	}
	return item, s.driver.explain(err)
}

// Get implements [kv.Snapshot].
func (s *snapshot) Get(_ context.Context, key []byte) (i kv.Item, err error) {
	defer s.guarded(&err)()
	i.Key = key
	item, err := s.item(key)
	if item != nil && err == nil {
		i.Version = item.Version()
		i.Value, err = s.value(item, nil)
	}
	return i, err
}

// Versions implements [kv.Snapshot].
func (s *snapshot) Versions(_ context.Context, keys [][]byte) (out []uint64, err error) {
	defer s.guarded(&err)()
	out = make([]uint64, len(keys))
	for i, key := range keys {
		item, err := s.item(key)
		if err != nil {
			return nil, err
		}
		if item != nil {
			out[i] = item.Version()
		}
	}
	return out, nil
}

// value copies the value of a record to buf. A large record that the value log does not have is damaged: its value is
// then empty, which no record is.
func (s *snapshot) value(item *badger.Item, buf []byte) ([]byte, error) {
	value, err := item.ValueCopy(buf)
	switch {
	case err == nil:
		return value, nil
	case errors.Is(err, badger.ErrDBClosed), store.IsTooManyFiles(err):
		return nil, s.driver.explain(err)
	}
	s.driver.Suspect(fmt.Errorf("a large record cannot be read: %w", err))
	return []byte{}, nil
}

// Scan implements [kv.Snapshot].
func (s *snapshot) Scan(ctx context.Context, prefix []byte, o kv.ScanOptions, fn func(kv.Item) error) (err error) {
	calling := false
	defer guard(func(cause any) {
		if calling {
			panic(cause) // of fn
		}
		err = s.corrupt(cause)
	})()
	it := s.iterator(prefix, o)
	defer it.Close()
	var buf []byte
	for n := 1; it.ValidForPrefix(prefix); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		item := it.Item()
		i := kv.Item{Key: item.Key(), Version: item.Version()}
		if !o.KeysOnly {
			if buf, err = s.value(item, buf); err != nil {
				return err
			}
			i.Value = buf
		}
		calling = true
		err := fn(i)
		if calling = false; err != nil || n == o.Limit {
			return err
		}
		it.Next()
	}
	return nil
}

// iterator returns an iterator at the first record of a scan.
func (s *snapshot) iterator(prefix []byte, o kv.ScanOptions) *badger.Iterator {
	io := badger.DefaultIteratorOptions
	io.Reverse = o.Reverse
	io.PrefetchValues = false // it starts a goroutine for each value, and values are inline
	if !o.Reverse {
		io.Prefix = prefix // Badger's prefixes only work in forward scans
	}
	from := o.From
	switch {
	case !o.Reverse && string(from) < string(prefix):
		from = prefix
	case o.Reverse && from == nil:
		from = kv.PrefixEnd(prefix)
	}
	it := s.txn.NewIterator(io)
	if from == nil {
		it.Rewind()
	} else {
		it.Seek(from)
	}
	for o.Reverse && it.Valid() && string(it.Item().Key()) > string(prefix) && !it.ValidForPrefix(prefix) {
		it.Next() // beyond the range
	}
	return it
}
