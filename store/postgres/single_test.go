package postgres_test

import (
	"slices"
	"testing"

	"bugle/engine"
	"bugle/store"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
)

// A transaction that says that it reads once has the same results, also where that is not true.
func TestSingle(t *testing.T) {
	url := pgtest.URL(t)
	traced := &statements{args: map[string][]any{}}
	db, err := postgres.OpenTraced(t.Context(), postgres.Options{URL: url, Create: true}, traced)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	write(t, db, func(s store.Space) error { return s.PutSettings(engine.Workspace{ID: space}) })
	for _, id := range []string{"a", "b"} {
		write(t, db, func(s store.Space) error { return add(s, id, `{"of":"`+id+`"}`) })
	}
	names := func(ids ...string) (got []string) {
		t.Helper()
		err := db.Read(t.Context(), func(tx store.Tx) error {
			tx.Single()
			got = nil
			for _, id := range ids {
				c, err := tx.In(space).Campaign(id)
				if err != nil {
					return err
				}
				got = append(got, c.Body.Get("of").Text())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	clear(traced.args)
	if got := names("b"); !slices.Equal(got, []string{"b"}) {
		t.Errorf("one read gives %q", got)
	}
	if len(traced.args) != 1 {
		t.Errorf("one read takes the statements %q", traced.args)
	}
	if got := names("a", "b", "a"); !slices.Equal(got, []string{"a", "b", "a"}) {
		t.Errorf("three reads give %q", got)
	}
}
