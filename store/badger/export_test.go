package badger

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"bugle/store/badger/internal/files"
	"bugle/store/kv"
)

// SetFreeSpace makes the store believe in that much free space.
func (d *DB) SetFreeSpace(n uint64) {
	d.free = func(string) (uint64, error) { return n, nil }
}

// SetThorough makes stores with more than n bytes of tables open before they are verified, until undo.
func SetThorough(n int64) (undo func()) {
	old := fullVerifyLimit
	fullVerifyLimit = n
	return func() { fullVerifyLimit = old }
}

// SetSpace has the store ask for its free space there.
func (d *DB) SetSpace(free func(path string) (uint64, error)) { d.free = free }

// InLine returns how many wait for a commit that somebody else leads.
func (d *DB) InLine() int {
	d.commits.mu.Lock()
	defer d.commits.mu.Unlock()
	return len(d.commits.waiting)
}

// Yield lets others run.
func (d *DB) Yield() { runtime.Gosched() }

// Version returns the newest version of a record.
func (d *DB) Version() uint64 { return d.db.MaxVersion() }

// SyncsWrites reports whether a commit returns only when it is on the disk.
func (d *DB) SyncsWrites() bool { return d.db.Opts().SyncWrites }

// Remembered returns the number of keys of which it is kept when they were last written.
func (d *DB) Remembered() int { return len(d.commits.last) }

// SetMeasure makes stores that are opened believe in that much free space, until undo.
func SetMeasure(n uint64) (undo func()) {
	old := diskSpace
	diskSpace = func(string) (uint64, error) { return n, nil }
	return func() { diskSpace = old }
}

// LevelZero returns how many tables were not compacted yet.
func (d *DB) LevelZero() int { return d.db.Levels()[0].NumTables }

// Compactions returns how many compactions were found to be complete, and how many were examined.
func (d *DB) Compactions() (complete, examined int) {
	d.compactions.mu.Lock()
	defer d.compactions.mu.Unlock()
	return d.compactions.complete, d.compactions.examined
}

// HoldCheck keeps compactions from being checked until release.
func (d *DB) HoldCheck() (release func()) {
	d.compactions.mu.Lock()
	return d.compactions.mu.Unlock
}

// TableIDs returns the ids of the tables.
func (d *DB) TableIDs() (ids []uint64) {
	for _, t := range d.db.Tables() {
		ids = append(ids, t.ID)
	}
	slices.Sort(ids)
	return ids
}

// LeaseHeld returns the tables that were left to be examined.
func (d *DB) LeaseHeld() []string {
	names, err := filepath.Glob(filepath.Join(d.path, heldFolder, "*"))
	if err != nil {
		panic(err)
	}
	return names
}

// StopExamining has compactions that are not complete examined by the next to open the store.
func (d *DB) StopExamining() { d.compactions.close() }

// SetCompactors makes stores that are opened later compact only on request, until undo.
func SetCompactors(n int) (undo func()) {
	old := compactors
	compactors = n
	return func() { compactors = old }
}

// Vanish removes a campaign behind the store's back.
func (d *DB) Vanish(t testing.TB, id string) {
	t.Helper()
	err := d.db.Update(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{})
		var keys [][]byte
		for it.Rewind(); it.Valid(); it.Next() {
			if kv.BelongsTo(it.Item().Key(), "DEMO", id) {
				keys = append(keys, it.Item().KeyCopy(nil))
			}
		}
		it.Close()
		for _, key := range keys {
			if err := txn.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	d.commits.publish()
}

// Block is a block of a table.
type Block struct {
	Keys  []string
	First string // where it begins
	Next  string // where the next one does; empty: it is the last
}

// Touched returns the blocks of a table that a stretch of its file touches, and whether the stretch goes
// beyond the blocks. The table must be whole and not encrypted.
func Touched(name string, at, n int) (out []Block, beyond bool, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, false, err
	}
	x := files.ReadIndex(b, int64(len(b)), nil)
	if x == nil {
		return nil, false, files.ErrBlock
	}
	r, end := files.BlockReader{Compression: settings("", nil).Compression}, 0
	for i := range x.Len() {
		block := x.Block(i)
		from := int(block.Offset())
		if end = from + int(block.Len()); at >= end || at+n <= from {
			continue
		}
		touched := Block{First: string(x.First(i))}
		if i+1 < x.Len() {
			touched.Next = string(x.First(i + 1))
		}
		err := r.Read(b[from:end], func(e files.Entry) error {
			touched.Keys = append(touched.Keys, string(e.Key))
			return nil
		})
		if err != nil {
			return nil, false, err
		}
		out = append(out, touched)
	}
	return out, at+n > end, nil
}

// Known reports whether the verification knows all tables.
func (d *DB) Known() bool {
	known := d.tables.list.Load().byID
	for _, t := range d.db.Tables() {
		if known[t.ID] == nil {
			return false
		}
	}
	return true
}

// Waiting returns how many tables wait for space on the disk.
func (d *DB) Waiting() int { return int(d.logs.waiting.Load()) }

// SetBeforeRemove has fn called before a folder is removed.
func SetBeforeRemove(fn func(path string) error) {
	removeTree = func(path string) error { return errors.Join(fn(path), os.RemoveAll(path)) }
}

// Unlist removes a table from the list of tables, as if a process had been killed before it was listed.
func Unlist(t testing.TB, path, table string) {
	t.Helper()
	s, prints := readTables(path)
	if _, ok := prints[table]; !ok {
		t.Fatalf("the list of tables is %v", prints)
	}
	delete(prints, table)
	if err := writeTables(path, s, s.version, prints, false); err != nil {
		t.Fatal(err)
	}
}

// Inspect returns the problems of a closed, unencrypted store, and its id.
func Inspect(t testing.TB, path string) (problems []string, id [16]byte) {
	t.Helper()
	found, err := inspect(path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if found.identity != nil {
		id = found.identity.id
	}
	return found.problems, id
}

// WriteAsBefore has a store write its records as an earlier program did, which knew of no ids.
func (d *DB) WriteAsBefore() {
	d.identity, d.commits.of, d.sequence.of = nil, nil, nil
	_ = d.sequence.store.Close()
	d.sequence.store = nil
}

// Pooled returns how many sets of buffers the database keeps of tables that it has built, and how many it may keep.
func (d *DB) Pooled() (n, most int) {
	kept := allocPool(d.db)
	return len(kept), cap(kept)
}
