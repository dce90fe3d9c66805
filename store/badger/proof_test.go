package badger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugle/store"
	"bugle/store/badger"
)

// Bits that a disk loses change no time of a file: in a large store such a table is proved when it is
// first read, or soon after. Nothing is read from it that is not what was written, and the next start
// mends it.
func TestProvedWhenRead(t *testing.T) {
	defer badger.SetThorough(0)()
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	text := func(id string) string { return fmt.Sprintf(`{"id":%q,"html":%q}`, id, strings.Repeat(id, 500)) }
	for n := range 40 {
		id := fmt.Sprint("campaign", n)
		ids = append(ids, id)
		if err := put(db, t, id, text(id)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	rot(t, filepath.Join(dir, badger.Folder, "000001.sst"), 2000)

	db, err = badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	readAll := func(db *badger.DB) (damaged int) {
		for _, id := range ids {
			got, err := body(t, db, id)
			if errors.As(err, new(*store.CorruptError)) {
				damaged++
			} else if err != nil || got != text(id) {
				t.Errorf("%s is %.60s, %v", id, got, err)
			}
		}
		return damaged
	}
	damaged := readAll(db)
	if damaged == 0 || damaged == len(ids) {
		t.Errorf("%d of %d are damaged", damaged, len(ids))
	}
	db.Prove(t.Context())
	if lost := db.Lost(); len(lost) != 1 || !strings.Contains(lost[0], "1 blocks of the table 000001.sst are not what was written") {
		t.Errorf("lost is %q", lost)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	db = open(t, dir)
	if said := db.Notices(); len(said) != 1 || !strings.Contains(said[0], "was damaged (1 blocks of the table 000001.sst") {
		t.Errorf("then it says %q", said)
	}
	if again := readAll(db); again != damaged {
		t.Errorf("%d were damaged, and then %d", damaged, again)
	}
	if _, err := store.Repair(t.Context(), db, nil); err != nil {
		t.Fatal(err)
	}
	if said := db.Lost(); len(said) > 0 {
		t.Errorf("after the repair %q is lost", said)
	}
}

// rot changes a byte of a file, whose time of change stays.
func rot(t *testing.T, name string, at int) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[at] ^= 1
	if err := errors.Join(os.WriteFile(name, b, 0o600), os.Chtimes(name, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
}
