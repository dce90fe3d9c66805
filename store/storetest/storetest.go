// Package storetest contains the tests that every implementation of a store must pass.
package storetest

import (
	"errors"
	"testing"

	"bugle/engine"
	"bugle/store"
	"bugle/store/kv"
)

// Records tests the records of the store that open returns. Each call of open returns an empty store that is closed at
// the end of its test. checkHealthy, which may be nil, fails the test if a check of the store finds a problem.
func Records(t *testing.T, open func(testing.TB) store.DB, checkHealthy func(testing.TB, store.DB)) {
	tests := []struct {
		name string
		run  func(*testing.T, store.DB)
		end  func(testing.TB, store.DB)
	}{
		{"RoundTrip", testRoundTrip, nil},
		{"Add", testAdd, nil},
		{"Spelling", testSpelling, nil},
		{"Revisions", testRevisions, nil},
		{"DeleteCampaign", testDeleteCampaign, nil},
		{"Workspaces", testWorkspaces, nil},
		{"OddNames", testOddNames, nil},
		{"Profiles", testProfiles, nil},
		{"Sweep", testSweep, nil},
		{"Lease", testLease, nil},
		{"Outbox", testOutbox, nil},
		{"TestSends", testTestSends, nil},
		{"Content", testContent, nil},
		{"AgainstMaps", testAgainstMaps, nil},
		{"DeleteRaces", testDeleteRaces, checkHealthy},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			db := open(t)
			write(t, db, func(tx store.Tx) error { return tx.Workspace(space).PutSettings(engine.Workspace{ID: space}) })
			test.run(t, db)
			if test.end != nil {
				test.end(t, db)
			}
		})
	}
}

// KeyValueDB is a key-value store with its records.
type KeyValueDB interface {
	kv.DB
	store.DB
}

// Run tests the key-value store that open returns, and its records. Each call of open returns an empty store that is
// closed at the end of its test.
func Run(t *testing.T, open func(testing.TB) KeyValueDB) {
	Records(t, func(t testing.TB) store.DB { return open(t) }, func(t testing.TB, db store.DB) { checkHealthy(t, db.(KeyValueDB)) })
	tests := []struct {
		name string
		run  func(*testing.T, KeyValueDB)
	}{
		{"Transaction", testTransaction},
		{"Isolation", testIsolation},
		{"Scan", testScan},
		{"ScanWhileWriting", testScanWhileWriting},
		{"Writers", testWriters},
		{"ContextEnds", testContextEnds},
		{"Closed", testClosed},
		{"CloseWaits", testCloseWaits},
		{"DamagedProfile", testDamagedProfile},
		{"Expiry", testExpiry},
		{"Damage", testDamage},
		{"DamageHidesNothing", testDamageHidesNothing},
		{"Format", testFormat},
		{"Concurrently", testConcurrently},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

// write runs fn in a transaction that must succeed.
func write(t testing.TB, db store.DB, fn func(store.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), fn); err != nil {
		t.Fatalf("Write: %v", err)
	}
}

// read runs fn in a transaction that must succeed.
func read(t testing.TB, db store.DB, fn func(store.Tx) error) {
	t.Helper()
	if err := db.Read(t.Context(), fn); err != nil {
		t.Fatalf("Read: %v", err)
	}
}

// inKeys is like [in], with the methods that only key-value stores have.
func inKeys(t testing.TB, db kv.DB, fn func(kv.WorkspaceTx) error) {
	t.Helper()
	update(t, db, func(tx kv.Tx) error { return fn(kv.NewWorkspaceTx(tx, space)) })
}

// checkHealthy fails the test if a check of the store finds a problem.
func checkHealthy(t testing.TB, db KeyValueDB) {
	t.Helper()
	checked, err := kv.Check(t.Context(), db, nil)
	if errors.Is(err, store.ErrClosed) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for n, f := range checked.Findings {
		if n == 10 {
			t.Fatalf("and %d more", len(checked.Findings)-n)
		}
		t.Errorf("a check finds: %s", f.What)
	}
}

// update runs fn in a transaction that must succeed.
func update(t testing.TB, db kv.DB, fn func(kv.Tx) error) {
	t.Helper()
	if err := db.Update(t.Context(), fn); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// view runs fn in a transaction that must succeed.
func view(t testing.TB, db kv.DB, fn func(kv.Tx) error) {
	t.Helper()
	if err := db.View(t.Context(), fn); err != nil {
		t.Fatalf("View: %v", err)
	}
}

// wantErr fails the test unless err wraps target.
func wantErr(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error = %v, want %v", err, target)
	}
}

// wantCorrupt fails the test unless err reports a damaged record.
func wantCorrupt(t testing.TB, err error) *store.CorruptError {
	t.Helper()
	var corrupt *store.CorruptError
	if !errors.As(err, &corrupt) {
		t.Fatalf("error = %v, want a CorruptError", err)
	}
	return corrupt
}

// set writes pairs of keys and values.
func set(t testing.TB, db kv.DB, pairs ...string) {
	t.Helper()
	update(t, db, func(tx kv.Tx) error {
		for i := 0; i < len(pairs); i += 2 {
			if err := tx.Set([]byte(pairs[i]), []byte(pairs[i+1])); err != nil {
				return err
			}
		}
		return nil
	})
}

// get reads a key; it returns "" if the key does not exist.
func get(t testing.TB, db kv.DB, key string) string {
	t.Helper()
	var out string
	view(t, db, func(tx kv.Tx) error {
		v, err := tx.Get([]byte(key))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		out = string(v)
		return err
	})
	return out
}
