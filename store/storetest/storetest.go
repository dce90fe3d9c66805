// Package storetest holds the tests that every implementation of a store passes.
package storetest

import (
	"errors"
	"testing"

	"bugle/store"
	"bugle/store/kv"
)

// Run tests the store that open returns. Every call of open returns an empty one, which closes at
// the end of its test.
func Run(t *testing.T, open func(testing.TB) kv.DB) {
	tests := []struct {
		name string
		run  func(*testing.T, kv.DB)
	}{
		{"Transaction", testTransaction},
		{"Isolation", testIsolation},
		{"Scan", testScan},
		{"ScanWhileWriting", testScanWhileWriting},
		{"Writers", testWriters},
		{"ContextEnds", testContextEnds},
		{"Closed", testClosed},
		{"CloseWaits", testCloseWaits},
		{"RoundTrip", testRoundTrip},
		{"Add", testAdd},
		{"Spelling", testSpelling},
		{"Revisions", testRevisions},
		{"DeleteCampaign", testDeleteCampaign},
		{"Workspaces", testWorkspaces},
		{"OddNames", testOddNames},
		{"Profiles", testProfiles},
		{"DamagedProfile", testDamagedProfile},
		{"Expiry", testExpiry},
		{"Outbox", testOutbox},
		{"TestSends", testTestSends},
		{"Content", testContent},
		{"Damage", testDamage},
		{"DamageHidesNothing", testDamageHidesNothing},
		{"Format", testFormat},
		{"AgainstMaps", testAgainstMaps},
		{"Concurrently", testConcurrently},
		{"DeleteRaces", testDeleteRaces},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
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

// wantErr fails the test unless err has target in its chain.
func wantErr(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error = %v, want %v", err, target)
	}
}

// wantCorrupt fails the test unless err says that a record is damaged.
func wantCorrupt(t testing.TB, err error) *store.CorruptError {
	t.Helper()
	var corrupt *store.CorruptError
	if !errors.As(err, &corrupt) {
		t.Fatalf("error = %v, want a CorruptError", err)
	}
	return corrupt
}

// set writes pairs of key and value.
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

// get reads a key, "" where it is not there.
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
