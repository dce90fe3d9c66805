package badger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"bugle/store"
	"bugle/store/badger"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	fill := func(text string) badger.Filler {
		return badger.Filler{
			Fill: func(ctx context.Context, db *badger.DB) error { return put(db.Store, t, "c", text) },
			Check: func(ctx context.Context, db *badger.DB) error {
				if got, err := body(t, db.Store, "c"); err != nil || got != text {
					return fmt.Errorf("c is %s, %v, want %s", got, err, text)
				}
				return nil
			},
		}
	}
	read := func(want string) {
		t.Helper()
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := body(t, db.Store, "c"); err != nil || got != want {
			t.Errorf("c is %s, %v, want %s", got, err, want)
		}
		if said := db.Notices(); len(said) > 0 {
			t.Errorf("it says %q", said)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if aside, err := badger.Replace(t.Context(), dir, nil, fill(`{"n":1}`)); err != nil || aside != "" {
		t.Fatalf("into an empty folder: %q, %v", aside, err)
	}
	read(`{"n":1}`)
	aside, err := badger.Replace(t.Context(), dir, nil, fill(`{"n":2}`))
	if err != nil || filepath.Dir(aside) != dir {
		t.Fatalf("over another: %q, %v", aside, err)
	}
	read(`{"n":2}`)
	if _, err := os.Stat(filepath.Join(aside, "MANIFEST")); err != nil {
		t.Errorf("the old store is not kept: %v", err)
	}
	failed := errors.New("no")
	fails := func(context.Context, *badger.DB) error { return failed }
	for _, with := range []badger.Filler{{Fill: fails}, {Fill: fill(`{"n":3}`).Fill, Check: fails}} {
		if _, err := badger.Replace(t.Context(), dir, nil, with); !errors.Is(err, failed) {
			t.Errorf("it fails with: %v", err)
		}
		read(`{"n":2}`)
		if found, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(found) != 2 {
			t.Errorf("in the folder there is %q, %v", found, err)
		}
	}
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := badger.Replace(t.Context(), dir, nil, fill(`{}`)); !errors.As(err, new(*store.LockedError)) {
		t.Errorf("while it is open: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	read(`{"n":2}`)
}

// A process that ended between the two steps of a replacement leaves the new store ready.
func TestReplaceInterrupted(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(db.Store, t, "c", `{"n":1}`), db.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, badger.Folder)
	if err := os.Rename(path, path+".ready"); err != nil {
		t.Fatal(err)
	}
	if got, err := body(t, open(t, dir).Store, "c"); err != nil || got != `{"n":1}` {
		t.Errorf("c is %s, %v", got, err)
	}
}
