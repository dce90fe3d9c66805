// Package storetest contains the tests that every implementation of a store must pass: [Records] for the records of
// workspaces, [Run] for a key-value store beneath them, and [Handles] for several handles on one store.
package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/kv"
)

const space = "DEMO"

var noon = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

// Records tests the records of the store that open returns. Each call of open returns an empty store that is closed at
// the end of its test. checkHealthy, which may be nil, fails the test if a check of the store finds a problem.
func Records(t *testing.T, open func(testing.TB) store.DB, checkHealthy func(testing.TB, store.DB)) {
	for name, test := range map[string]func(*testing.T, store.DB){
		"RoundTrip":   testRoundTrip,
		"Workspaces":  testWorkspaces,
		"Refusals":    testRefusals,
		"LongHistory": testLongHistory,
		"Sweep":       testSweep,
		"Lease":       testLease,
		"AgainstMap":  testAgainstMap,
		"DeleteRaces": testDeleteRaces,
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			putSettings(t, db)
			test(t, db)
			if checkHealthy != nil && name == "DeleteRaces" {
				checkHealthy(t, db)
			}
		})
	}
}

// KeyValueDB is a key-value store with its records.
type KeyValueDB interface {
	kv.DB
	store.DB
	Check(ctx context.Context, progress func(records int)) (store.CheckResult, error)
}

// Run tests the key-value store that open returns, and its records. Each call of open returns an empty store that is
// closed at the end of its test.
func Run(t *testing.T, open func(testing.TB) KeyValueDB) {
	Records(t, func(t testing.TB) store.DB { return open(t) }, func(t testing.TB, db store.DB) { checkHealthy(t, db.(KeyValueDB)) })
	for name, test := range map[string]func(*testing.T, KeyValueDB){
		"Scan":         testScan,
		"Serializable": testSerializable,
		"WriteSkew":    testWriteSkew,
		"ContextEnds":  testContextEnds,
		"Close":        testClose,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func putSettings(t testing.TB, db store.DB) {
	t.Helper()
	in(t, db, func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space}) })
}

// write runs fn in a transaction that must succeed.
func write(t testing.TB, db store.DB, fn func(store.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), fn); err != nil {
		t.Fatalf("Write: %v", err)
	}
}

// in runs fn in a transaction that must succeed.
func in(t testing.TB, db store.DB, fn func(store.WorkspaceTx) error) {
	t.Helper()
	write(t, db, func(tx store.Tx) error { return fn(tx.Workspace(space)) })
}

// read runs fn in a transaction that must succeed.
func read(t testing.TB, db store.DB, fn func(store.WorkspaceTx) error) {
	t.Helper()
	if err := db.Read(t.Context(), func(tx store.Tx) error { return fn(tx.Workspace(space)) }); err != nil {
		t.Fatalf("Read: %v", err)
	}
}

// checkHealthy fails the test if a check of the store finds a problem.
func checkHealthy(t testing.TB, db KeyValueDB) {
	t.Helper()
	checked, err := db.Check(t.Context(), nil)
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

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// campaign returns a campaign that has only a body, and what is stored with it.
func campaign(t testing.TB, id, body string) (engine.Campaign, engine.Summary, engine.Revision) {
	c := engine.Campaign{Head: engine.Head{ID: id}, Body: parse(t, body)}
	return c, engine.Summary{Head: c.Head, Name: body}, engine.Revision{At: noon, Note: body}
}

// save stores a campaign that has only a body.
func save(s store.WorkspaceTx, id, body string, t testing.TB, coalesce bool) (int64, error) {
	c, sum, rev := campaign(t, id, body)
	return s.PutCampaign(c, sum, rev, coalesce)
}

// wantErr fails the test unless err wraps target.
func wantErr(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error = %v, want %v", err, target)
	}
}
