package backup_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/mem"
)

// Records that are together larger than a transaction of the temporary store are copied in several.
func TestBackupOfLargeRecords(t *testing.T) {
	from := newStore(t, 3)
	err := from.Write(t.Context(), func(tx store.Tx) error {
		s := tx.Workspace("DEMO")
		long := strings.Repeat("<p>long</p>", 8000)
		var users []engine.User
		for n := range 60 {
			m := engine.OutboxMessage{ID: fmt.Sprintf("m%03d", n), At: noon, Channel: "EMAIL", Email: &engine.EmailMessage{To: "ann@example.com", HTML: long}}
			set := engine.ProductSet{Name: fmt.Sprint("set ", n), Products: []map[string]any{{"title": long}}}
			if err := errors.Join(s.PutOutbox(m), s.PutContent(engine.ContentItem{Products: &set})); err != nil {
				return err
			}
			users = append(users, engine.User{ID: fmt.Sprint("u", n), Attributes: map[string]any{"notes": []any{long}}})
		}
		return s.PutProfiles(users)
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "made"+backup.Suffix)
	if _, err := backup.WriteFrom(t.Context(), from, file, options("")); err != nil {
		t.Fatal(err)
	}
	to := mem.New()
	defer to.Close()
	if _, err := backup.Load(t.Context(), to, file, "", nil); err != nil {
		t.Fatal(err)
	}
	if got, want := dump(t, to), dump(t, from); !slices.Equal(got, want) {
		t.Errorf("the backup has %d records, the store %d", len(got), len(want))
	}
}

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
