package badger_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	database "github.com/dgraph-io/badger/v4"

	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

// A process is killed after a compaction has replaced tables, and before all their files are removed: a table with a
// record remains, while the one with its deletion is gone. This is not damage, and the record stays deleted.
func TestRemovedTableRemains(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, badger.Folder)
	run := func(fn func(*badger.DB)) {
		t.Helper()
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if said := db.Notices(); len(said) > 0 {
			t.Errorf("%q", said)
		}
		fn(db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	run(func(db *badger.DB) {
		if err := errors.Join(put(db, t, "one", `{"a":1}`), put(db, t, "two", `{"a":2}`)); err != nil {
			t.Fatal(err)
		}
	})
	tables, err := filepath.Glob(filepath.Join(path, "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("the tables are %q (%v)", tables, err)
	}
	old, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	run(func(db *badger.DB) {
		err := db.Update(t.Context(), func(tx kv.Tx) error { return kv.NewWorkspaceTx(tx, "DEMO").DeleteCampaign("one") })
		if err != nil {
			t.Fatal(err)
		}
	})
	raw, err := database.Open(database.DefaultOptions(path).WithLogger(nil).WithCompactL0OnClose(true))
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(path, "*.sst"))
	if err != nil || slices.Contains(left, tables[0]) {
		t.Fatalf("the tables are %q (%v): nothing was put together", left, err)
	}
	if err := os.WriteFile(tables[0], old, 0o600); err != nil {
		t.Fatal(err)
	}
	run(func(db *badger.DB) {
		if _, err := body(t, db, "one"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a deleted campaign: %v", err)
		}
		if got, err := body(t, db, "two"); err != nil || got != `{"a":2}` {
			t.Errorf("the other one is %q (%v)", got, err)
		}
	})
}
