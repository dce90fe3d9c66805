package postgres_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"bugle/engine/service/local/sample"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/kv"
	"bugle/store/postgres/pgtest"
	"bugle/store/storetest"
)

// A store that moves from a folder into a database and back with backups has the same records, byte for byte.
func TestBackupBothWays(t *testing.T) {
	folder := func() *badger.DB {
		db, err := badger.Open(t.Context(), badger.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	before, after := folder(), folder()
	storetest.Fill(t, before)
	if _, err := sample.Install(t.Context(), before, sample.Options{ID: "SAMPLE", Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	there, back := filepath.Join(t.TempDir(), "there"), filepath.Join(t.TempDir(), "back")
	if _, err := backup.Write(t.Context(), before, there, backup.Options{}); err != nil {
		t.Fatal(err)
	}
	database := handle(t, pgtest.URL(t))
	if _, err := backup.LoadInto(t.Context(), database, there, "", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.WriteFrom(t.Context(), database, back, backup.Options{Passphrase: "secret"}); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Load(t.Context(), after, back, "secret", nil); err != nil {
		t.Fatal(err)
	}
	want, got := records(t, before), records(t, after)
	for key, value := range want {
		switch {
		case got[key] == nil:
			t.Errorf("%q is missing", key)
		case !bytes.Equal(got[key], value):
			t.Errorf("%q became\n%q, and was\n%q", key, got[key], value)
		}
	}
	for key := range got {
		if want[key] == nil {
			t.Errorf("%q is new: %q", key, got[key])
		}
	}
	if len(want) < 300 {
		t.Errorf("only %d records were compared", len(want))
	}
}

// records returns all records by their keys.
func records(t *testing.T, db kv.DB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := db.View(t.Context(), func(tx kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
			all[string(key)] = bytes.Clone(value)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
