package backup_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/mem"
)

// The next backup removes the files of one whose process was killed, but not those of a running one.
func TestKilledBackup(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{".bugle-copy-killed", ".bugle-copy-running", ".bugle-copy-young"} {
		db, err := badger.Open(t.Context(), badger.Options{Dir: file(name)})
		if err != nil {
			t.Fatal(err)
		}
		if name == ".bugle-copy-running" {
			defer db.Close()
		} else if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if name == ".bugle-copy-young" {
			continue
		}
		old := time.Now().Add(-2 * time.Minute)
		if err := os.Chtimes(file(name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := backup.WriteFrom(t.Context(), mem.New(), file("new"+backup.Suffix), backup.Options{}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{".bugle-copy-killed": false, ".bugle-copy-running": true, ".bugle-copy-young": true} {
		if _, err := os.Stat(file(name)); errors.Is(err, fs.ErrNotExist) == want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if names, err := filepath.Glob(file(".*")); err != nil || len(names) != 2 {
		t.Errorf("%q is there, %v", names, err)
	}
}
