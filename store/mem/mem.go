// Package mem implements an in-memory store for tests.
package mem

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/btree"

	"bugle/store"
	"bugle/store/kv"
)

// DB is a store in memory. Updates run one after another, so they never conflict.
type DB struct {
	kv.Records

	turn chan struct{} // holds one token; its holder may write

	mu     sync.Mutex // guards the fields below
	tree   *tree
	closed bool
}

type tree = btree.Map[string, []byte]

// New returns an empty store.
func New() *DB {
	db := &DB{turn: make(chan struct{}, 1), tree: new(tree)}
	db.Records = kv.NewRecords(db)
	db.turn <- struct{}{}
	if err := kv.Prepare(context.Background(), db); err != nil {
		panic("an empty store in memory takes no records: " + err.Error())
	}
	return db
}

// Clone returns an independent store with the current contents of db. The two share unchanged data, so cloning is
// cheap.
func (db *DB) Clone() *DB {
	db.mu.Lock()
	defer db.mu.Unlock()
	c := &DB{turn: make(chan struct{}, 1), tree: db.tree.Copy(), closed: db.closed}
	c.turn <- struct{}{}
	c.Records = kv.NewRecords(c)
	return c
}

// View implements [kv.DB].
func (db *DB) View(ctx context.Context, fn func(kv.Tx) error) error {
	t, err := db.snapshot(ctx)
	if err != nil {
		return err
	}
	return fn(&tx{ctx: ctx, tree: t})
}

// Update implements [kv.DB].
func (db *DB) Update(ctx context.Context, fn func(kv.Tx) error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-db.turn:
	}
	defer func() { db.turn <- struct{}{} }()
	t, err := db.snapshot(ctx)
	if err != nil {
		return err
	}
	if err := fn(&tx{ctx: ctx, tree: t, writes: true}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return store.ErrClosed
	}
	db.tree = t
	return nil
}

// Close implements [kv.DB].
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.closed = true
	return nil
}

// snapshot returns a tree for one transaction. It shares all nodes with the store's tree.
func (db *DB) snapshot(ctx context.Context) (*tree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, store.ErrClosed
	}
	return db.tree.Copy(), nil
}

type tx struct {
	ctx    context.Context
	tree   *tree
	writes bool
}

func (t *tx) Get(key []byte) ([]byte, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	v, ok := t.tree.Get(string(key))
	if !ok {
		return nil, store.ErrNotFound
	}
	return bytes.Clone(v), nil
}

func (t *tx) Set(key, value []byte) error {
	if !t.writes {
		return store.ErrReadOnly
	}
	t.tree.Set(string(key), slices.Concat(value))
	return nil
}

func (t *tx) Delete(key []byte) error {
	if !t.writes {
		return store.ErrReadOnly
	}
	t.tree.Delete(string(key))
	return nil
}

func (t *tx) Scan(prefix []byte, o kv.ScanOptions, fn func(key, value []byte) error) error {
	n, pre := 0, string(prefix)
	var failed error
	visit := func(key string, value []byte) bool {
		switch {
		case !strings.HasPrefix(key, pre):
			// A descending scan from the end of the range sees keys beyond the range first.
			return o.Reverse && key > pre
		case o.Limit > 0 && n == o.Limit:
			return false
		case kv.IsHidden(key):
			return true
		}
		if failed = t.ctx.Err(); failed != nil {
			return false
		}
		n++
		if o.KeysOnly {
			value = nil
		}
		failed = fn([]byte(key), bytes.Clone(value))
		return failed == nil
	}
	snapshot := t.tree.Copy()
	switch {
	case !o.Reverse:
		snapshot.Ascend(max(pre, string(o.From)), visit)
	case o.From != nil:
		snapshot.Descend(string(o.From), visit)
	case kv.PrefixEnd(prefix) != nil:
		snapshot.Descend(string(kv.PrefixEnd(prefix)), visit)
	default:
		snapshot.Reverse(visit)
	}
	if errors.Is(failed, store.Stop) {
		return nil
	}
	return failed
}
