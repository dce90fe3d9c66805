package badger

import (
	"bytes"
	"context"
	"errors"
	"math"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"

	"bugle/store/kv"
)

// Rescued is the result of [DB.Rescue].
type Rescued struct {
	Records int `json:"records"` // written to the new store
	// Missing has a sentence for each thing that could not be read, or may be out of date.
	Missing []string `json:"missing"`
}

// Rescue copies everything of the store that can be read into an empty one. A damaged block ends a scan, so each block of
// each table is read alone. progress is called with the number of records.
func (db *DB) Rescue(ctx context.Context, to *DB, progress func(records int)) (Rescued, error) {
	d := db.driver
	d.tables.Lock()
	defer d.tables.Unlock()
	out := Rescued{Missing: []string{}}
	r := rescue{ctx: ctx, driver: d, txn: d.db.NewTransaction(false), to: to}
	defer r.txn.Discard()
	newest := map[string]uint64{}
	err := r.read(func(rec record) error {
		newest[string(rec.key)] = max(newest[string(rec.key)], rec.version)
		return nil
	})
	if err != nil {
		return out, err
	}
	err = r.read(func(rec record) error {
		if rec.key[0] == 0 || len(rec.value) == 0 || newest[string(rec.key)] != rec.version {
			return nil
		}
		if out.Records++; out.Records%1000 == 0 {
			progress(out.Records)
		}
		return r.write(rec)
	})
	if err := errors.Join(err, r.flush()); err != nil {
		return out, err
	}
	if err := kv.Prepare(ctx, to.Store, true); err != nil { // its format number may be lost
		return out, err
	}
	lost, err := kv.Missing(ctx, db.Store, to.Store)
	if err != nil {
		return out, err
	}
	out.Missing = append(out.Missing, lost...)
	checked, err := to.Check(ctx, nil)
	for _, f := range checked.Findings {
		out.Missing = append(out.Missing, f.What)
	}
	return out, err
}

// rescue copies records.
type rescue struct {
	ctx    context.Context
	driver *driver
	txn    *badger.Txn
	to     *DB
	batch  []record // for the next transaction
	size   int
}

// record is a version of a record. An empty value deletes it.
type record struct {
	key, value []byte
	version    uint64
}

// read calls use with the records in the tables, and those that are only in the logs.
func (r *rescue) read(use func(record) error) error {
	logged := uint64(0)
	err := readTables(r.ctx, r.driver.options(), func(t *table.Table) error {
		logged = max(logged, t.MaxVersion())
		it := t.NewIterator(table.NOCACHE)
		defer it.Close()
		blocks := append(t.KeySplits(math.MaxInt, nil), "")
		for i, first := range blocks[:len(blocks)-1] {
			for _, rec := range r.block(it, first, blocks[i+1]) {
				if err := use(rec); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, rec := range r.logs(logged) {
		if err := use(rec); err != nil {
			return err
		}
	}
	return nil
}

// block returns the records from one key to another, exclusive; empty is the end of the table. A block that cannot be read has
// none.
func (r *rescue) block(it *table.Iterator, first, end string) (out []record) {
	defer guard(func(any) {})()
	for it.Seek([]byte(first)); it.Valid() && (end == "" || y.CompareKeys(it.Key(), []byte(end)) < 0); it.Next() {
		rec := record{bytes.Clone(y.ParseKey(it.Key())), bytes.Clone(it.Value().Value), y.ParseTs(it.Key())}
		if len(rec.value) > 0 && kv.VerifyValue(rec.key, rec.value) != nil { // it is in the value log
			item, err := r.txn.Get(rec.key)
			if err == nil && item.Version() == rec.version {
				rec.value, err = item.ValueCopy(nil)
			}
			if err != nil || kv.VerifyValue(rec.key, rec.value) != nil {
				continue
			}
		}
		out = append(out, rec)
	}
	return out
}

// logs returns the records after a version.
func (r *rescue) logs(since uint64) (out []record) {
	defer guard(func(any) {})()
	o := badger.DefaultIteratorOptions
	o.PrefetchValues, o.AllVersions, o.SinceTs = false, true, since
	it := r.txn.NewIterator(o)
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		item := it.Item()
		rec := record{key: item.KeyCopy(nil), version: item.Version()}
		if !item.IsDeletedOrExpired() {
			var err error
			if rec.value, err = item.ValueCopy(nil); err != nil {
				continue // it is in the value log, which is damaged
			}
		}
		out = append(out, rec)
	}
	return out
}

// write writes a record, together with others.
func (r *rescue) write(rec record) error {
	r.batch = append(r.batch, rec)
	if r.size += len(rec.key) + len(rec.value); len(r.batch) < 1000 && r.size < 1<<20 {
		return nil
	}
	return r.flush()
}

// flush writes the records that are still to be written.
func (r *rescue) flush() error {
	err := r.to.Update(r.ctx, func(tx *kv.Tx) error {
		for _, rec := range r.batch {
			if err := tx.Set(rec.key, rec.value); err != nil {
				return err
			}
		}
		return nil
	})
	r.batch, r.size = nil, 0
	return err
}
