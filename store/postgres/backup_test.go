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
	"bugle/store/mem"
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
	if err := backup.Load(t.Context(), database, there, "", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Write(t.Context(), database, back, backup.Options{Passphrase: "secret"}); err != nil {
		t.Fatal(err)
	}
	if err := backup.Load(t.Context(), after, back, "secret", nil); err != nil {
		t.Fatal(err)
	}
	want, got := records(t, before.Store), records(t, after.Store)
	for key, value := range want {
		switch {
		case bytes.Contains(value, []byte(`"change":`)): // the settings count their changes
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

// There is no backup of a database with damaged records, and the error names them. A backup from before restores a campaign.
func TestBackupOfDamagedDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := handle(t, url)
	write(t, db, func(s store.WorkspaceTx) error {
		return errors.Join(s.PutSettings(engine.Workspace{ID: space}), add(s, "whole", `{}`), add(s, "broken", `{"a":1}`))
	})
	file := filepath.Join(t.TempDir(), "b")
	if _, err := backup.Write(t.Context(), db, file, backup.Options{}); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `UPDATE document SET body = '{"a":' WHERE campaign = 'broken'`); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Write(t.Context(), db, file+"2", backup.Options{}); !errors.Is(err, backup.ErrStoreDamaged) || !strings.Contains(err.Error(), `"broken"`) {
		t.Errorf("the backup fails with %v", err)
	}
	found, err := backup.FindCampaign(t.Context(), db, file, "", space, "broken")
	if err == nil {
		err = found.Restore(t.Context(), db)
	}
	if err != nil {
		t.Fatal(err)
	}
	info, err := backup.Write(t.Context(), db, file+"3", backup.Options{})
	if err != nil || info.Campaigns != 2 {
		t.Errorf("then the backup has %+v, %v", info, err)
	}
}

// A restore that is interrupted leaves nothing, and the next one can begin.
func TestInterruptedRestoreIntoDatabase(t *testing.T) {
	t.Parallel()
	from := mem.New()
	defer from.Close()
	storetest.Fill(t, from)
	file := filepath.Join(t.TempDir(), "b")
	made, err := backup.Write(t.Context(), from, file, backup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	to := handle(t, pgtest.URL(t))
	ctx, cancel := context.WithCancel(t.Context())
	pages := 0
	err = backup.Load(ctx, to, file, "", func(int) {
		if pages++; pages == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	err = to.Read(t.Context(), func(tx store.Tx) error {
		ids, err := tx.Workspaces()
		if len(ids) > 0 {
			t.Errorf("it has left %q", ids)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := backup.Load(t.Context(), to, file, "", nil); err != nil {
		t.Fatal(err)
	}
	if err := backup.Compare(t.Context(), to, made.Contents, nil); err != nil {
		t.Error(err)
	}
}

// records returns all records by their keys.
func records(t *testing.T, db *kv.Store) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := db.View(t.Context(), func(tx *kv.Tx) error {
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
