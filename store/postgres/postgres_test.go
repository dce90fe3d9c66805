package postgres_test

import (
	"os"
	"testing"

	"bugle/store"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
	"bugle/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// open returns a store in an empty database.
func open(t testing.TB) *postgres.DB { return handle(t, pgtest.URL(t)) }

// handle returns a handle of the store in a database, as another process has it.
func handle(t testing.TB, url string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgres.Options{URL: url, Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestRecords(t *testing.T) {
	t.Parallel()
	storetest.Records(t, func(t testing.TB) store.DB { return open(t) })
}

func TestHandles(t *testing.T) {
	t.Parallel()
	storetest.Handles(t, func(t testing.TB) func() store.DB {
		url := pgtest.URL(t)
		return func() store.DB { return handle(t, url) }
	})
}
