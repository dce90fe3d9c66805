// Package storetest contains the tests that every implementation of a store must pass: [Records] for the records of
// workspaces, [Run] for a key-value store beneath them, and [Handles] for several handles on one store.
package storetest

import (
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
// the end of its test.
func Records(t *testing.T, open func(testing.TB) store.DB) {
	for name, test := range map[string]func(*testing.T, store.DB){
		"RoundTrip":   testRoundTrip,
		"Workspaces":  testWorkspaces,
		"Refusals":    testRefusals,
		"LongHistory": testLongHistory,
		"Sweep":       testSweep,
		"AgainstMap":  testAgainstMap,
		"DeleteRaces": testDeleteRaces,
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			putSettings(t, db)
			test(t, db)
		})
	}
}

// Run tests the key-value store that open returns, and its records. Each call of open returns an empty store that is
// closed at the end of its test.
func Run(t *testing.T, open func(testing.TB) *kv.Store) {
	Records(t, func(t testing.TB) store.DB { return open(t) })
	for name, test := range map[string]func(*testing.T, *kv.Store){
		"Scan":         testScan,
		"Serializable": testSerializable,
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
	must(t, db.Write(t.Context(), fn))
}

// in runs fn in a transaction that must succeed.
func in(t testing.TB, db store.DB, fn func(store.WorkspaceTx) error) {
	t.Helper()
	write(t, db, func(tx store.Tx) error { return fn(tx.Workspace(space)) })
}

// read runs fn in a transaction that must succeed.
func read(t testing.TB, db store.DB, fn func(store.WorkspaceTx) error) {
	t.Helper()
	must(t, db.Read(t.Context(), func(tx store.Tx) error { return fn(tx.Workspace(space)) }))
}

// checkHealthy fails the test if a check of the store finds a problem.
func checkHealthy(t testing.TB, db store.DB) {
	t.Helper()
	check := func() (store.CheckResult, error) { return store.Check(t.Context(), db, nil) }
	if s, ok := db.(*kv.Store); ok {
		check = func() (store.CheckResult, error) { return s.Check(t.Context(), nil) }
	}
	if checked, err := check(); err != nil || len(checked.Findings) > 0 {
		t.Errorf("a check finds %d problems, %v, such as %+v", len(checked.Findings), err, checked.Findings[:min(1, len(checked.Findings))])
	}
}

// must fails the test at once if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	must(t, err)
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
