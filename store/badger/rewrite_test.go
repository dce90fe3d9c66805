package badger_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
)

// rewrite copies a store into one with another key, and puts that in its place.
func rewrite(ctx context.Context, o badger.Options, to *crypt.Key, progress func(records int)) (n int, err error) {
	old, err := badger.Open(ctx, o)
	if err != nil {
		return 0, err
	}
	var c backup.Contents
	err = old.Rewrite(ctx, to, badger.Filler{
		Fill: func(ctx context.Context, db *badger.DB) (err error) {
			if progress != nil {
				progress(0)
			}
			c, err = backup.Copy(ctx, old, db, progress)
			return err
		},
		Check: func(ctx context.Context, db *badger.DB) error { return backup.Compare(ctx, db, c, progress) },
	})
	return c.Records, err
}

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
		n, err := rewrite(t.Context(), badger.Options{Dir: dir, Key: s.from}, s.to, nil)
		if err != nil {
			t.Fatalf("%s: %v", s.what, err)
		}
		if n < len(want) {
			t.Errorf("%s: %d records were rewritten", s.what, n)
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
	if _, err := rewrite(t.Context(), badger.Options{Dir: dir, Key: fixedKey(other)}, nil, nil); !errors.Is(err, crypt.ErrWrongKey) {
		t.Errorf("with a wrong key: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := rewrite(ctx, badger.Options{Dir: dir, Key: has(key)}, nil, func(int) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir, Key: has(key)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rewrite(t.Context(), badger.Options{Dir: dir, Key: has(key)}, nil, nil); !errors.As(err, new(*store.LockedError)) {
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
	for _, name := range []string{"store.new", "store.replaced"} {
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
	aside, err := badger.Replace(t.Context(), dir, &key, badger.Filler{
		Fill:  func(_ context.Context, db *badger.DB) error { return put(db.Store, t, "c", `{"n":"`+marker+`"}`) },
		Check: func(context.Context, *badger.DB) error { return nil },
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
	ready := filepath.Join(dir, "store.ready")
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
	if err := os.Rename(filepath.Join(dir, "store"), filepath.Join(dir, "store.ready")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(old, "store"), filepath.Join(dir, "store.replaced")); err != nil {
		t.Fatal(err)
	}
	readsAll(t, dir, key, want)
	if found, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(found) != 1 {
		t.Errorf("in the folder there is %q, %v", found, err)
	}
}

// envRewrite has the folder of a store that the test binary rewrites, as a process of its own.
const envRewrite = "BUGLE_TEST_REWRITE"

// A process that is killed as soon as it has reached some state leaves a store that opens, with the old key or the new one, and
// has everything; what it left beside it is removed.
func TestRewriteKilledAtAnyTime(t *testing.T) {
	keys := map[string]crypt.Key{}
	for _, text := range []string{strings.Repeat("01", crypt.Size), strings.Repeat("02", crypt.Size)} {
		key, err := crypt.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		keys[key.ID()] = key
	}
	find := func(_ context.Context, id string) (crypt.Key, error) { return keys[id], nil }
	other := func(id string) *crypt.Key {
		for next, key := range keys {
			if next != id {
				return &key
			}
		}
		return nil
	}
	if dir := os.Getenv(envRewrite); dir != "" {
		id, _, err := badger.Encryption(dir)
		if err == nil {
			_, err = rewrite(t.Context(), badger.Options{Dir: dir, Key: find}, other(id), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	dir, want := sealedStore(t, *other(""))
	for _, state := range []string{"store.new", "store.new/MANIFEST", "store.new/*.sst", "store.ready", "store.replaced", "never"} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestRewriteKilledAtAnyTime$")
		cmd.Env = append(os.Environ(), envRewrite+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for tick := time.NewTicker(50 * time.Microsecond); ; {
			select {
			case <-tick.C:
				if found, err := filepath.Glob(filepath.Join(dir, state)); err != nil || len(found) > 0 {
					_ = cmd.Process.Kill()
				} else {
					continue
				}
				<-ended
			case err := <-ended:
				if state == "never" && err != nil {
					t.Errorf("nobody killed it: %v", err)
				}
			}
			tick.Stop()
			break
		}
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir, Key: find})
		if err != nil {
			t.Fatalf("killed at %s: %v", state, err)
		}
		key, _ := db.Key()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		readsAll(t, dir, key, want)
		if found, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(found) != 1 {
			t.Errorf("killed at %s: in the folder there is %q, %v", state, found, err)
		}
	}
}
