package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/engine/service/local/sample"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/kv"
	"bugle/store/postgres/pgtest"
	"bugle/store/storetest"
)

// A store that moves from a folder into a database and back with backups has the same records, byte for byte.
func TestBackupBothWays(t *testing.T) {
	t.Parallel()
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

// A backup of a database with damaged records has the others, and says what is missing.
func TestBackupOfDamagedDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := handle(t, url)
	write(t, db, func(s store.WorkspaceTx) error {
		return errors.Join(s.PutSettings(engine.Workspace{ID: space}), add(s, "whole", `{}`), add(s, "broken", `{}`))
	})
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `UPDATE revision SET body = '{"other":1}' WHERE campaign = 'broken'`); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "b")
	if _, err := backup.WriteFrom(t.Context(), db, file, backup.Options{}); err != nil {
		t.Fatal(err)
	}
	info, err := backup.Verify(t.Context(), file, "", nil)
	if err != nil || info.Healthy() || info.Campaigns != 1 || !strings.Contains(strings.Join(info.Lost, ""), `"broken"`) {
		t.Errorf("the backup says of itself %+v, %v", info, err)
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
