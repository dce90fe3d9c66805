package badger_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/kv"
)

// writeOld makes the files of testdata for the present format, once, when it is new.
var writeOld = flag.Bool("write-format", false, "make the files of the present format in testdata")

// A store, and a backup, of every format that was ever written can be read. The files of a format are
// made once (go test -run OldFormats -write-format) and never again.
func TestOldFormats(t *testing.T) {
	if *writeOld {
		makeFormat(t, filepath.Join("testdata", fmt.Sprintf("format%d", kv.Format)))
	}
	for n := 1; n <= kv.Format; n++ {
		from := filepath.Join("testdata", fmt.Sprintf("format%d", n))
		dir := t.TempDir()
		if err := os.CopyFS(filepath.Join(dir, badger.Folder), os.DirFS(filepath.Join(from, badger.Folder))); err != nil {
			t.Fatal(err)
		}
		wantOld(t, open(t, dir))
		again := t.TempDir()
		db := open(t, again)
		for pass, name := range map[string]string{"": "plain", "correct horse": "encrypted"} {
			if _, err := backup.Load(t.Context(), db, filepath.Join(from, name+backup.Suffix), pass, nil); err != nil {
				t.Fatal(err)
			}
		}
		wantOld(t, db)
	}
}

func wantOld(t *testing.T, db *badger.DB) {
	t.Helper()
	if said := db.Notices(); len(said) > 0 {
		t.Errorf("opening says %q", said)
	}
	c, err := kv.Check(t.Context(), db, nil)
	if err != nil || !c.Healthy() || c.Campaigns != 3 || c.Format != kv.Format {
		t.Errorf("%+v, %v", c, err)
	}
	if got, err := body(t, db, "c1"); err != nil || got != `{"n":1.0,"t":"\t\u00e9"}` {
		t.Errorf("c1 is %s, %v", got, err)
	}
}

func makeFormat(t *testing.T, to string) {
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx kv.Tx) error {
		s := kv.NewWorkspaceTx(tx, "DEMO")
		at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
		for n := range 3 {
			v, err := doc.Parse(fmt.Appendf(nil, `{"n":%d.0,"t":"\t\u00e9"}`, n))
			if err != nil {
				return err
			}
			c := engine.Campaign{Head: engine.Head{ID: fmt.Sprint("c", n), CreatedAt: at, UpdatedAt: at}, Body: v}
			if _, err := s.PutCampaign(c, engine.Summarize(c), engine.Revision{At: at}, false); err != nil {
				return err
			}
		}
		return errors.Join(
			s.PutSettings(engine.Workspace{ID: "DEMO"}),
			s.PutProfile(engine.User{ID: "p", Attributes: map[string]any{engine.AttrEmail: "ada@example.com"}}),
			s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: "k", At: at, ExpiresAt: at.Add(time.Hour)}),
			s.PutOutbox(engine.OutboxMessage{ID: "01", At: at}),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for pass, name := range map[string]string{"": "plain", "correct horse": "encrypted"} {
		if _, err := backup.Write(t.Context(), db, filepath.Join(to, name+backup.Suffix), backup.Options{Passphrase: pass, WorkFactor: 10}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.Close(), os.CopyFS(filepath.Join(to, badger.Folder), os.DirFS(filepath.Join(dir, badger.Folder)))); err != nil {
		t.Fatal(err)
	}
}
