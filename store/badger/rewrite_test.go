package badger_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"bugle/store"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// A store is encrypted, gets another key, and is decrypted again; nothing of what it was before is left.
func TestRewrite(t *testing.T) {
	first, second := crypt.New(), crypt.New()
	dir, want := sealedStore(t, first)
	steps := []struct {
		what string
		from badger.KeyFinder
		to   *crypt.Key
	}{
		{"another key", has(first), &second},
		{"no key", has(second), nil},
		{"a key", nil, &first},
	}
	for _, s := range steps {
		before := files(t, dir)
		told, again := 0, 0
		n, err := badger.Rewrite(t.Context(), badger.Options{Dir: dir, Key: s.from}, s.to, func(n int, verifying bool) {
			if verifying {
				again = n
			} else {
				told = n
			}
		})
		if err != nil {
			t.Fatalf("%s: %v", s.what, err)
		}
		if n < len(want) || told != n {
			t.Errorf("%s: %d records were rewritten, %d and %d told of", s.what, n, told, again)
		}
		after := files(t, dir)
		for name, b := range after {
			if s.to != nil && bytes.Contains(b, []byte(marker)) {
				t.Errorf("%s: %s can be read by anyone", s.what, name)
			}
			if bytes.Equal(before[name], b) && filepath.Ext(name) == ".sst" {
				t.Errorf("%s: %s is what it was", s.what, name)
			}
		}
		if found, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(found) != 1 {
			t.Errorf("%s: in the folder there is %q, %v", s.what, found, err)
		}
		if s.to != nil {
			readsAll(t, dir, *s.to, want)
		}
	}
}

// What fails, or is canceled, changes nothing.
func TestRewriteFails(t *testing.T) {
	key, other := crypt.New(), crypt.New()
	dir, want := sealedStore(t, key)
	if _, err := badger.Rewrite(t.Context(), badger.Options{Dir: dir, Key: fixedKey(other)}, nil, nil); !errors.Is(err, crypt.ErrWrongKey) {
		t.Errorf("with a wrong key: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := badger.Rewrite(ctx, badger.Options{Dir: dir, Key: has(key)}, nil, func(int, bool) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir, Key: has(key)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := badger.Rewrite(t.Context(), badger.Options{Dir: dir, Key: has(key)}, nil, nil); !errors.As(err, new(*store.LockedError)) {
		t.Errorf("while it is open: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if found, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(found) != 1 {
		t.Errorf("in the folder there is %q, %v", found, err)
	}
	readsAll(t, dir, key, want)
}

// A process that is killed leaves a store that was not complete, or one that was replaced: the next to
// open the store removes them, as they may be in plain text.
func TestRewriteKilled(t *testing.T) {
	key := crypt.New()
	dir, want := sealedStore(t, key)
	for _, name := range []string{"store.mending", "store.replaced-20260304-120000"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	readsAll(t, dir, key, want)
	if found, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(found) != 1 {
		t.Errorf("in the folder there is %q, %v", found, err)
	}
}

// A store that is restored is encrypted as the one before it.
func TestReplaceEncrypted(t *testing.T) {
	key := crypt.New()
	dir, _ := sealedStore(t, key)
	aside, err := badger.Replace(t.Context(), dir, &key, func(ctx context.Context, db kv.DB) error {
		return errors.Join(kv.Prepare(ctx, db), put(db, t, "c", `{"n":"`+marker+`"}`))
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range files(t, dir) {
		if bytes.Contains(b, []byte(marker)) {
			t.Errorf("%s can be read by anyone", name)
		}
	}
	readsAll(t, dir, key, map[string]string{"c": `{"n":"` + marker + `"}`})
	if old, err := badger.OldCopies(dir); err != nil || len(old) != 1 || old[0] != aside {
		t.Errorf("the old copies are %q, %v, want %s", old, err, aside)
	}
}

// What a process puts in the place of a store is not taken from it by others that wait for the store.
func TestOtherProcessesIgnoreNewStore(t *testing.T) {
	dir := t.TempDir()
	ready := filepath.Join(dir, "store.mended")
	db := open(t, dir)
	if err := os.MkdirAll(ready, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := badger.Open(t.Context(), badger.Options{Dir: dir}); !errors.As(err, new(*store.LockedError)) {
		t.Errorf("it opens twice: %v", err)
	}
	if _, err := os.Stat(ready); err != nil {
		t.Errorf("the new store was removed: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if _, err := os.Stat(ready); err == nil {
		t.Error("what a process left is still there")
	}
}

// A process that is killed between putting the old store aside and the new one in its place: the next to
// open the store does the rest.
func TestRewriteKilledBetween(t *testing.T) {
	key := crypt.New()
	old, _ := sealedStore(t, crypt.New())
	dir, want := sealedStore(t, key)
	if err := os.Rename(filepath.Join(dir, "store"), filepath.Join(dir, "store.mended")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(old, "store"), filepath.Join(dir, "store.replaced-20260304-120000")); err != nil {
		t.Fatal(err)
	}
	readsAll(t, dir, key, want)
	if found, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(found) != 1 {
		t.Errorf("in the folder there is %q, %v", found, err)
	}
}
