package badger_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
	"bugle/store/storetest"
)

// hasTable finds that key alone.
func has(key crypt.Key) badger.KeyFinder {
	return func(_ context.Context, id string) (crypt.Key, error) {
		if id != "" && id != key.ID() {
			return crypt.Key{}, crypt.ErrNoKey
		}
		return key, nil
	}
}

// fixedKey returns a finder that always finds that key.
func fixedKey(key crypt.Key) badger.KeyFinder {
	return func(context.Context, string) (crypt.Key, error) { return key, nil }
}

func TestEncryptedStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) *kv.Store {
		key := crypt.New()
		db, err := badger.Open(t.Context(), badger.Options{Dir: t.TempDir(), Encrypt: &key})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db.Store
	})
}

const marker = "xq7vwzkjtb"

// sealedStore makes an encrypted store with records in its tables, its logs and its value log.
func sealedStore(t *testing.T, key crypt.Key) (dir string, want map[string]string) {
	t.Helper()
	dir, want = t.TempDir(), map[string]string{}
	for session := range 3 {
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir, Encrypt: &key, Key: has(key)})
		if err != nil {
			t.Fatal(err)
		}
		if err := settle(t, db); err != nil {
			t.Fatal(err)
		}
		for n := range 10 {
			id := fmt.Sprintf("%s%d%d", marker, session, n)
			want[id] = fmt.Sprintf(`{"n":"%s %d"}`, marker, n)
			if n == 3 {
				want[id] = fmt.Sprintf(`{"n":%q}`, strings.Repeat(marker, 200_000))
			}
			if err := put(db.Store, t, id, want[id]); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir, want
}

// settle makes the workspace of put complete.
func settle(t testing.TB, db store.DB) error {
	return db.Write(t.Context(), func(tx store.Tx) error { return tx.Workspace("DEMO").PutSettings(engine.Workspace{ID: "DEMO"}) })
}

func readsAll(t *testing.T, dir string, key crypt.Key, want map[string]string) {
	t.Helper()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir, Key: has(key)})
	if err != nil {
		t.Fatal(err)
	}
	for id, text := range want {
		if got, err := body(t, db.Store, id); err != nil || got != text {
			t.Errorf("%s is %.60s, %v", id, got, err)
		}
	}
	if said := db.Notices(); len(said) > 0 {
		t.Errorf("it says %q", said)
	}
	if got, ok := db.Key(); !ok || got != key {
		t.Errorf("its key is %v, %v", got, ok)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// files returns the files below a folder.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		out[name], err = os.ReadFile(name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEncrypted(t *testing.T) {
	key := crypt.New()
	dir, want := sealedStore(t, key)
	for name, b := range files(t, dir) {
		if bytes.Contains(b, []byte(marker)) || bytes.Contains(b, key[:]) {
			t.Errorf("%s can be read by anyone", name)
		}
	}
	readsAll(t, dir, key, want)
	if id, encrypted, err := badger.Encryption(dir); err != nil || !encrypted || id != key.ID() {
		t.Errorf("it names the key %q, %v", id, err)
	}
	if id, encrypted, err := badger.Encryption(t.TempDir()); err != nil || encrypted || id != "" {
		t.Errorf("a folder without a store names the key %q, %v", id, err)
	}
	// The folder may be moved.
	moved := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	readsAll(t, moved, key, want)
}

// A nonce that is used again would encrypt the same text to the same bytes. The same text is written again and again here, to
// logs and tables, and no 16 bytes of them come twice.
func TestNoTextIsEncryptedTheSameTwice(t *testing.T) {
	const block = 16
	key, dir, text := crypt.New(), t.TempDir(), ""
	for range 300 {
		text += rand.Text() // which cannot be compressed much
	}
	for session := range 3 {
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir, Encrypt: &key, Key: has(key)})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 20 {
			if err := put(db.Store, t, fmt.Sprint(session, "-", n), `{"n":"`+text+`"}`); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	seen, looked := map[[block]byte]string{}, 0
	for name, b := range files(t, dir) {
		if !slices.Contains([]string{".sst", ".vlog", ".mem"}, filepath.Ext(name)) {
			continue // lists of files, which are not encrypted
		}
		for i := 0; i+block <= len(b); i++ {
			window := [block]byte(b[i:])
			var distinct [256]bool
			n := 0
			for _, c := range window {
				if !distinct[c] {
					distinct[c] = true
					n++
				}
			}
			if n < block/2 { // zeros and headers, which are not encrypted
				continue
			}
			looked++
			if at, again := seen[window]; again {
				t.Fatalf("%s has bytes at %d that %s has: % x", name, i, at, window)
			}
			seen[window] = name
		}
	}
	if looked < 20*len(text) {
		t.Errorf("only %d places were encrypted", looked)
	}
}

// Without its key a store does not open, and nothing is changed.
func TestEncryptedWithoutKey(t *testing.T) {
	key := crypt.New()
	dir, want := sealedStore(t, key)
	before := files(t, dir)
	other := crypt.New()
	for what, c := range map[string]struct {
		o    badger.Options
		want error
	}{
		"no finder":      {badger.Options{}, crypt.ErrNoKey},
		"no key":         {badger.Options{Key: has(other)}, crypt.ErrNoKey},
		"another":        {badger.Options{Key: fixedKey(other)}, crypt.ErrWrongKey},
		"made anew":      {badger.Options{Key: has(key), Encrypt: &other}, crypt.ErrWrongKey},
		"made, no other": {badger.Options{Encrypt: &other}, crypt.ErrNoKey},
	} {
		c.o.Dir = dir
		_, err := badger.Open(t.Context(), c.o)
		if !errors.Is(err, c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	after := files(t, dir)
	for name, b := range before {
		if !bytes.Equal(after[name], b) {
			t.Errorf("%s was changed", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("there were %d files, and are %d", len(before), len(after))
	}
	readsAll(t, dir, key, want)
}

// An existing store is not encrypted because new ones would be.
func TestEncryptExisting(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(db.Store, t, "c", `{}`), db.Close()); err != nil {
		t.Fatal(err)
	}
	key := crypt.New()
	if _, err := badger.Open(t.Context(), badger.Options{Dir: dir, Encrypt: &key}); err == nil || !strings.Contains(err.Error(), "bugle encrypt") {
		t.Errorf("it opens: %v", err)
	}
	if got, err := body(t, open(t, dir).Store, "c"); err != nil || got != `{}` {
		t.Errorf("c is %s, %v", got, err)
	}
}

// The file that names the key may be damaged or missing: then any key is tried.
func TestKeyIDLost(t *testing.T) {
	key, other := crypt.New(), crypt.New()
	dir, want := sealedStore(t, key)
	name := filepath.Join(dir, badger.Folder, "STATE")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "", `{"key`} {
		if id, encrypted, err := badger.Encryption(dir); err != nil || !encrypted || id != "" {
			t.Errorf("it has the key %q, %v, %v", id, encrypted, err)
		}
		if _, err := badger.Open(t.Context(), badger.Options{Dir: dir}); !errors.Is(err, crypt.ErrNoKey) {
			t.Errorf("with %q and no key: %v", text, err)
		}
		if _, err := badger.Open(t.Context(), badger.Options{Dir: dir, Key: fixedKey(other)}); !errors.Is(err, crypt.ErrWrongKey) {
			t.Errorf("with %q and a wrong key: %v", text, err)
		}
		readsAll(t, dir, key, want)
		if id, _, err := badger.Encryption(dir); err != nil || id != key.ID() {
			t.Errorf("then it has the key %q, %v", id, err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
