package badger

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"bugle/store"
)

// SetFreeSpace makes the store believe in that much free space.
func (d *DB) SetFreeSpace(n uint64) {
	d.free = func(string) (uint64, error) { return n, nil }
}

// SetThorough makes stores of more bytes of tables than n open before they are proved, until undo.
func SetThorough(n int64) (undo func()) {
	old := thorough
	thorough = n
	return func() { thorough = old }
}

// SetSpace has the store ask for its free space there.
func (d *DB) SetSpace(free func(path string) (uint64, error)) { d.free = free }

// InLine gives how many wait for a commit that somebody else leads.
func (d *DB) InLine() int {
	d.commits.mu.Lock()
	defer d.commits.mu.Unlock()
	return len(d.commits.waiting)
}

// Yield lets others run.
func (d *DB) Yield() { runtime.Gosched() }

// Version gives the newest version of a record.
func (d *DB) Version() uint64 { return d.db.MaxVersion() }

// SyncsWrites reports whether a commit returns only when it is on the disk.
func (d *DB) SyncsWrites() bool { return d.db.Opts().SyncWrites }

// Remembered gives of how many keys it is kept when they were last written.
func (d *DB) Remembered() int { return len(d.commits.last) }

// SetMeasure makes stores that are opened believe in that much free space, until undo.
func SetMeasure(n uint64) (undo func()) {
	old := measure
	measure = func(string) (uint64, error) { return n, nil }
	return func() { measure = old }
}

// LevelZero gives how many tables were not compacted yet.
func (d *DB) LevelZero() int { return d.db.Levels()[0].NumTables }

// Compactions returns how many compactions were found to be complete, and how many were examined.
func (d *DB) Compactions() (complete, examined int) {
	d.compactions.mu.Lock()
	defer d.compactions.mu.Unlock()
	return d.compactions.complete, d.compactions.examined
}

// Held returns the tables that are held.
func (d *DB) Held() []string {
	names, err := filepath.Glob(filepath.Join(d.path, heldFolder, "*"))
	if err != nil {
		panic(err)
	}
	return names
}

// StopExamining has compactions that are not complete examined by the next to open the store.
func (d *DB) StopExamining() { d.compactions.close() }

// SetCompactors makes stores that are opened compact only when they are told to, until undo.
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
			if store.BelongsTo(it.Item().Key(), "DEMO", id) {
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
