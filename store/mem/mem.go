// Package mem implements a store in memory, for tests, and for what is converted on its way between stores.
package mem

import (
	"bytes"
	"context"
	"strings"
	"sync"

	"github.com/tidwall/btree"

	"bugle/store/kv"
)

// DB is a store in memory.
type DB struct {
	*kv.Store
	driver *driver
}

// New returns an empty store.
func New() *DB {
	db := open(&driver{tree: new(tree)})
	if err := kv.Prepare(context.Background(), db.Store, true); err != nil {
		panic("an empty store in memory takes no records: " + err.Error())
	}
	return db
}

func open(d *driver) *DB { return &DB{kv.NewStore(d), d} }

// Clone returns an independent store with the current contents of db. The two share unchanged data, so cloning is
// cheap.
func (db *DB) Clone() *DB {
	db.driver.mu.Lock()
	defer db.driver.mu.Unlock()
	return open(&driver{tree: db.driver.tree.Copy(), version: db.driver.version})
}

// driver implements [kv.Driver].
type driver struct {
	mu      sync.Mutex // guards the fields below
	tree    *tree
	version uint64 // of the last commit
}

// record is a value, and the version of the commit that wrote it.
type record struct {
	value   []byte
	version uint64
}

type tree = btree.Map[string, record]

func (d *driver) Verify(context.Context) error { return nil }

func (d *driver) Suspect(error) {}

func (d *driver) Close() error { return nil }

func (d *driver) Snapshot(context.Context) (kv.Snapshot, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return snapshot{d.tree.Copy()}, nil
}

func (d *driver) Commit(ctx context.Context, c kv.Change) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := c.Check(ctx, snapshot{d.tree}, nil); err != nil {
		return err
	}
	next := d.tree.Copy()
	set := func(key, value []byte) { next.Set(string(key), record{bytes.Clone(value), d.version + 1}) }
	for _, n := range c.Counts {
		old, _ := next.Get(string(n.Key))
		value, err := kv.AddCount(n, old.value)
		if err != nil {
			return err
		}
		set(n.Key, value)
	}
	for _, w := range c.Writes {
		if w.Delete {
			next.Delete(string(w.Key))
		} else {
			set(w.Key, w.Value)
		}
	}
	d.tree = next
	d.version++
	return nil
}

type snapshot struct{ tree *tree }

func (s snapshot) Release() {}

func (s snapshot) Get(_ context.Context, key []byte) (kv.Item, error) {
	r, _ := s.tree.Get(string(key))
	return kv.Item{Key: key, Value: bytes.Clone(r.value), Version: r.version}, nil
}

func (s snapshot) Versions(_ context.Context, keys [][]byte) ([]uint64, error) {
	out := make([]uint64, len(keys))
	for i, key := range keys {
		r, _ := s.tree.Get(string(key))
		out[i] = r.version
	}
	return out, nil
}

func (s snapshot) Scan(ctx context.Context, prefix []byte, o kv.ScanOptions, fn func(kv.Item) error) error {
	n, pre := 0, string(prefix)
	var failed error
	visit := func(key string, r record) bool {
		switch {
		case !strings.HasPrefix(key, pre):
			// A descending scan from the end of the range sees keys beyond the range first.
			return o.Reverse && key > pre
		case o.Limit > 0 && n == o.Limit:
			return false
		}
		if failed = ctx.Err(); failed != nil {
			return false
		}
		n++
		item := kv.Item{Key: []byte(key), Version: r.version}
		if !o.KeysOnly {
			item.Value = bytes.Clone(r.value)
		}
		failed = fn(item)
		return failed == nil
	}
	switch {
	case !o.Reverse:
		s.tree.Ascend(max(pre, string(o.From)), visit)
	case o.From != nil:
		s.tree.Descend(string(o.From), visit)
	case kv.PrefixEnd(prefix) != nil:
		s.tree.Descend(string(kv.PrefixEnd(prefix)), visit)
	default:
		s.tree.Reverse(visit)
	}
	return failed
}
