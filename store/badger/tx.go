package badger

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"bugle/store"
)

type tx struct {
	ctx    context.Context
	txn    *badger.Txn
	db     *DB
	writes bool
	wrote  bool
}

func (t *tx) Get(key []byte) ([]byte, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	if p := t.db.proof.Load(); len(p.tables) > 0 {
		p.reads(key, append(bytes.Clone(key), 0))
	}
	item, err := t.txn.Get(key)
	switch {
	case errors.Is(err, badger.ErrKeyNotFound) && t.db.missing(key, 0), err == nil && t.db.missing(key, item.Version()):
		return nil, store.ErrLost
	case err != nil:
		return nil, t.db.explain(err)
	}
	return t.value(item, nil)
}

// value copies the value of a record into buf, and fails with [store.ErrLost] where the value log
// does not have it.
func (t *tx) value(item *badger.Item, buf []byte) (value []byte, err error) {
	defer func() {
		if recover() != nil { // a pointer into nowhere
			value, err = nil, store.ErrLost
		}
	}()
	value, err = item.ValueCopy(buf)
	if err != nil && t.db.explain(err) != store.ErrClosed {
		err = fmt.Errorf("%w: %w", store.ErrLost, err)
	}
	return value, err
}

func (t *tx) Set(key, value []byte) error {
	switch {
	case !t.writes:
		return store.ErrReadOnly
	case len(value) > maxValue-len(key)-64: // a value log file has a header as well
		return store.ErrTooBig
	}
	t.wrote = true
	return t.db.explain(t.txn.Set(key, value))
}

func (t *tx) Delete(key []byte) error {
	if !t.writes {
		return store.ErrReadOnly
	}
	t.wrote = true
	return t.db.explain(t.txn.Delete(key))
}

func (t *tx) Scan(prefix []byte, o store.ScanOptions, fn func(key, value []byte) error) error {
	if p := t.db.proof.Load(); len(p.tables) > 0 {
		p.reads(prefix, store.After(prefix))
	}
	it := t.txn.NewIterator(iteration(prefix, o))
	defer it.Close()
	start(it, prefix, o)
	var buf []byte
	for n := 0; it.ValidForPrefix(prefix) && (o.Limit == 0 || n < o.Limit); n++ {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		item := it.Item()
		if own(item.Key()) {
			n--
			it.Next()
			continue
		}
		if !o.KeysOnly {
			value, err := t.value(item, buf)
			if err == nil && t.db.missing(item.Key(), item.Version()) {
				err = store.ErrLost
			}
			if errors.Is(err, store.ErrLost) {
				value = nil // no record is empty: its reader says that it is damaged
			} else if err != nil {
				return t.db.explain(err)
			}
			buf = value
		}
		if err := fn(item.Key(), buf); errors.Is(err, store.Stop) {
			return nil
		} else if err != nil {
			return err
		}
		it.Next()
	}
	return nil
}

func iteration(prefix []byte, o store.ScanOptions) badger.IteratorOptions {
	io := badger.DefaultIteratorOptions
	io.Reverse = o.Reverse
	io.PrefetchValues = false // it takes a goroutine for each value, and values are inline
	if !o.Reverse {
		io.Prefix = prefix // Badger's prefixes only work forwards
	}
	return io
}

// start moves the iterator to the first record of the scan.
func start(it *badger.Iterator, prefix []byte, o store.ScanOptions) {
	from := o.From
	switch {
	case !o.Reverse && string(from) < string(prefix):
		from = prefix
	case o.Reverse && from == nil:
		from = store.After(prefix)
	}
	if from == nil {
		it.Rewind()
	} else {
		it.Seek(from)
	}
	if o.Reverse {
		for it.Valid() && string(it.Item().Key()) > string(prefix) && !it.ValidForPrefix(prefix) {
			it.Next() // what lies beyond the range
		}
	}
}
