package badger_test

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
)

// keep keeps a text beside the records.
func keep(t *testing.T, db *badger.DB, text string) error {
	t.Helper()
	return db.WriteCache(t.Context(), "text", func(_ store.Tx, w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// wantKept checks which text is kept; empty: none.
func wantKept(t *testing.T, db *badger.DB, want string) {
	t.Helper()
	var got []byte
	err := db.ReadCache(t.Context(), "text", func(_ store.Tx, _ uint64, r io.Reader) (err error) {
		got, err = io.ReadAll(r)
		return err
	})
	if want == "" && !errors.Is(err, store.ErrNotFound) || want != "" && (err != nil || string(got) != want) {
		t.Errorf("%.40q (%d bytes) is kept, %v; want %.40q (%d bytes)", got, len(got), err, want, len(want))
	}
}

// A disk that becomes full while something is kept costs that alone: what was kept before counts where the
// file is the old one, and changes are written as soon as there is space.
func TestCacheOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	defer db.Close()
	if err := put(db, t, "a", "1"); err != nil {
		t.Fatal(err)
	}
	if err := keep(t, db, "before"); err != nil {
		t.Fatal(err)
	}
	asked := 0
	db.SetSpace(func(string) (uint64, error) {
		if asked++; asked > 2 {
			return 0, nil
		}
		return 1 << 40, nil
	})
	if err := keep(t, db, strings.Repeat("too much", 16<<20)); !store.IsDiskFull(err) {
		t.Errorf("keeping on a full disk: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, badger.Folder, "KEPT-*.new")); err != nil || len(left) > 0 {
		t.Errorf("%q are left, %v", left, err)
	}
	db.SetFreeSpace(1 << 40)
	wantKept(t, db, "before")
	if err := put(db, t, "a", "2"); err != nil {
		t.Errorf("a change afterwards: %v", err)
	}
	if err := keep(t, db, "after"); err != nil {
		t.Fatal(err)
	}
	wantKept(t, db, "after")
	if got := differences(t, db); len(got) > 0 {
		t.Errorf("the numbers of records differ: %q", got)
	}
}

// A backup has the same records with and without a cache, and a store restored from it has no cache. An encrypted store
// leaves no readable file.
func TestCacheIsNotCopied(t *testing.T) {
	dir, key := t.TempDir(), crypt.New()
	db := open(t, dir)
	if err := put(db, t, "a", "1"); err != nil {
		t.Fatal(err)
	}
	without, err := backup.Write(t.Context(), db, filepath.Join(t.TempDir(), "without"), backup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := keep(t, db, "what is kept"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "with")
	with, err := backup.Write(t.Context(), db, file, backup.Options{})
	if err != nil || !with.Healthy() || with.Records != without.Records {
		t.Errorf("the backup has %+v, %v; want %+v", with.Contents, err, without.Contents)
	}
	fresh := open(t, t.TempDir())
	defer fresh.Close()
	if _, err := backup.Load(t.Context(), fresh, file, "", nil); err != nil {
		t.Fatal(err)
	}
	wantKept(t, fresh, "")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := badger.Rewrite(t.Context(), badger.Options{Dir: dir}, &key, func(int, bool) {}); err != nil {
		t.Fatal(err)
	}
	for name, b := range files(t, dir) {
		if bytes.Contains(b, []byte("what is kept")) {
			t.Errorf("%s can be read by anyone", name)
		}
	}
	if db, err = badger.Open(t.Context(), badger.Options{Dir: dir, Key: has(key)}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	wantKept(t, db, "")
}
