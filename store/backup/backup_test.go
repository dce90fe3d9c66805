package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/crypt"
	"bugle/store/kv"
	"bugle/store/mem"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// key is the key of an encrypted store: its passphrase takes less time than one that somebody chose.
var key = crypt.New()

func newStore(t testing.TB, campaigns int) *mem.DB {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	err := db.Update(t.Context(), func(tx *kv.Tx) error {
		s := tx.Workspace("DEMO")
		if err := s.PutSettings(engine.Workspace{ID: "DEMO"}); err != nil {
			return err
		}
		for n := range campaigns {
			if err := save(s, fmt.Sprintf("c%d", n), fmt.Sprintf(`{"basic_details":{"name":"Campaign %d"}}`, n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func save(s store.WorkspaceTx, id, body string) error {
	v, err := doc.Parse([]byte(body))
	if err != nil {
		return err
	}
	c := engine.Campaign{Head: engine.Head{ID: id}, Body: v}
	_, err = s.PutCampaign(c, engine.Summarize(c), engine.Revision{}, false)
	return err
}

// verify reads an entire backup.
func verify(ctx context.Context, file, passphrase string) error {
	_, _, _, err := backup.Differences(ctx, nil, file, passphrase, nil)
	return err
}

// dump returns all records of a store.
func dump(t testing.TB, db *kv.Store) (out []string) {
	t.Helper()
	err := db.View(t.Context(), func(tx *kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
			if !bytes.Contains(value, []byte(`"change":`)) { // the settings count their changes
				out = append(out, string(key)+"="+string(value))
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func options(key *crypt.Key) backup.Options {
	o := backup.Options{Header: backup.Header{Made: noon, Program: "1.0"}}
	o.EncryptWith(key)
	return o
}

func TestRoundTrip(t *testing.T) {
	for _, with := range []*crypt.Key{nil, &key} {
		db := newStore(t, 700)
		file := filepath.Join(t.TempDir(), "b"+backup.Suffix)
		var told []int
		o := options(with)
		o.Progress = func(records int) { told = append(told, records) }
		info, err := backup.Write(t.Context(), db, file, o)
		if err != nil {
			t.Fatal(err)
		}
		if info.Campaigns != 700 || info.Records != 2802 || !slices.Equal(info.Workspaces, []string{"DEMO"}) ||
			info.Encrypted != (with != nil) || info.File != file || !info.Made.Equal(noon) {
			t.Errorf("got %+v", info)
		}
		if half := len(told) / 2; told[half-1] != info.Records || !slices.Equal(told[:half], told[half:]) {
			t.Errorf("it says that it writes and reads %v", told)
		}
		stat, err := os.Stat(file)
		if err != nil || stat.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v: others can read it", stat.Mode(), err)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if with != nil && bytes.Contains(b, []byte("DEMO")) {
			t.Error("it is encrypted, and can be read")
		}
		again := mem.New()
		if err := backup.Load(t.Context(), again, file, o.Passphrase, nil); err != nil {
			t.Fatal(err)
		}
		if err := backup.Compare(t.Context(), again, info.Contents, nil); err != nil {
			t.Error(err)
		}
		if err := backup.Compare(t.Context(), newStore(t, 699), info.Contents, nil); err == nil {
			t.Error("a store with other records passes for the same")
		}
		if !slices.Equal(dump(t, db.Store), dump(t, again.Store)) {
			t.Error("what came back is something else")
		}
		again.Close()
	}
}

func TestPassphrase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b")
	o := options(nil)
	o.Passphrase = "correct horse"
	if _, err := backup.Write(t.Context(), newStore(t, 1), file, o); err != nil {
		t.Fatal(err)
	}
	for pass, want := range map[string]error{"": backup.ErrPassphrase, "wrong": backup.ErrPassphrase, "correct horse": nil} {
		if err := verify(t.Context(), file, pass); !errors.Is(err, want) {
			t.Errorf("with %q: %v", pass, err)
		}
	}
	if info, err := backup.ReadHeader(file); err != nil || !info.Encrypted || info.Program != "1.0" {
		t.Errorf("%+v, %v", info, err)
	}
}

// No byte of a backup that has a meaning can change, and none can be missing, without it being said.
func TestDamagedBackup(t *testing.T) {
	for _, with := range []*crypt.Key{nil, &key} {
		dir := t.TempDir()
		file := filepath.Join(dir, "b")
		o := options(with)
		from := newStore(t, 3)
		if _, err := backup.Write(t.Context(), from, file, o); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		try := func(what string, b []byte) {
			spoiled := filepath.Join(dir, "spoiled")
			if err := os.WriteFile(spoiled, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := verify(t.Context(), spoiled, o.Passphrase); err != nil {
				return
			}
			again := mem.New()
			defer again.Close()
			if err := backup.Load(t.Context(), again, spoiled, o.Passphrase, nil); err != nil || !slices.Equal(dump(t, from.Store), dump(t, again.Store)) {
				t.Errorf("%s, and it was taken: %v", what, err)
			}
		}
		for at := 0; at < len(b); at += 1 + len(b)/150 {
			flipped := bytes.Clone(b)
			flipped[at] ^= 0x20
			try(fmt.Sprintf("byte %d of %d is another", at, len(b)), flipped)
			try(fmt.Sprintf("it ends after %d of %d", at, len(b)), b[:at])
		}
		try("there is more at its end", append(bytes.Clone(b), 'x'))
	}
}

// A backup that does not complete leaves no file, and does not touch an existing one.
func TestNoPartialBackup(t *testing.T) {
	db, dir := newStore(t, 3000), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	o := options(nil)
	o.Progress = func(int) { cancel() }
	if _, err := backup.Write(ctx, db, filepath.Join(dir, "b"), o); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	mine := filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Write(t.Context(), db, mine, options(nil)); err == nil {
		t.Error("a file was overwritten")
	}
	if _, err := backup.Write(t.Context(), db, filepath.Join(dir, "not", "there"), options(nil)); err == nil || !strings.HasPrefix(err.Error(), "cannot write ") {
		t.Errorf("no folder: %v", err)
	}
}

// damage changes a byte of both copies of the campaigns with those ids.
func damage(t *testing.T, db *kv.Store, ids ...string) {
	t.Helper()
	err := db.Update(t.Context(), func(tx *kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
			document := func(id string) bool {
				return bytes.Contains(key, []byte("\x01c"+id+"\x00")) || bytes.Contains(key, []byte("\x01d"+id+"\x00"))
			}
			if !slices.ContainsFunc(ids, document) {
				return nil
			}
			bad := bytes.Clone(value)
			bad[len(bad)-1] ^= 1
			return tx.Set(bytes.Clone(key), bad)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// There is no backup of a damaged store, nor a copy: what is damaged is named, and no file is left.
func TestBackupOfDamaged(t *testing.T) {
	db, dir := newStore(t, 5), t.TempDir()
	damage(t, db.Store, "c1", "c3")
	damaged := func(err error) {
		t.Helper()
		if !errors.Is(err, backup.ErrStoreDamaged) || !strings.Contains(err.Error(), `campaign "c1" in workspace "DEMO"`) {
			t.Errorf("it fails with %v", err)
		}
	}
	_, err := backup.Write(t.Context(), db, filepath.Join(dir, "b"), options(nil))
	damaged(err)
	_, err = backup.Copy(t.Context(), db, mem.New(), nil)
	damaged(err)
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// asDatabase hides that a store has keys and values.
type asDatabase struct{ store.DB }

// A database with a large outbox and a long list of tests is backed up and restored in bounded memory.
func TestLargeOutbox(t *testing.T) {
	from := newStore(t, 1)
	long := strings.Repeat("<p>long</p>", 100)
	for n := range 20 {
		err := from.Write(t.Context(), func(tx store.Tx) error {
			s := tx.Workspace("DEMO")
			for i := range 500 {
				m := engine.OutboxMessage{ID: fmt.Sprintf("m%05d", 500*n+i), At: noon, Channel: "EMAIL", Email: &engine.EmailMessage{To: "ann@example.com", HTML: long}}
				if err := errors.Join(s.PutOutbox(m), s.PutTestSend(engine.TestRecord{At: noon.Add(time.Duration(500*n+i) * time.Millisecond)})); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	last := 0
	bounded := func(records int) {
		if records > last+700 {
			t.Errorf("after %d records, there are %d", last, records)
		}
		last = records
	}
	file := filepath.Join(t.TempDir(), "b")
	o := options(nil)
	o.Progress = bounded
	if _, err := backup.Write(t.Context(), asDatabase{from}, file, o); err != nil {
		t.Fatal(err)
	}
	to := mem.New()
	defer to.Close()
	if err := backup.Load(t.Context(), asDatabase{to}, file, "", bounded); err != nil {
		t.Fatal(err)
	}
	if last < 20_000 || !slices.Equal(dump(t, to.Store), dump(t, from.Store)) {
		t.Errorf("what came back is something else, with %d records", last)
	}
}

// A restore into a database that fails leaves nothing. A workspace that is there is never touched.
func TestRestoreIntoDatabase(t *testing.T) {
	from, file := newStore(t, 2000), filepath.Join(t.TempDir(), "b")
	if _, err := backup.Write(t.Context(), from, file, options(nil)); err != nil {
		t.Fatal(err)
	}
	db := mem.New()
	defer db.Close()
	to, empty := asDatabase{db}, dump(t, db.Store)
	ctx, cancel := context.WithCancel(t.Context())
	err := backup.Load(ctx, to, file, "", func(records int) {
		if records > 1000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || !slices.Equal(dump(t, db.Store), empty) {
		t.Errorf("something of it is left: %v", err)
	}
	if err := backup.Load(t.Context(), to, file, "", nil); err != nil || !slices.Equal(dump(t, db.Store), dump(t, from.Store)) {
		t.Errorf("what came back is something else: %v", err)
	}
	if err := backup.Load(t.Context(), to, file, "", nil); err == nil || !strings.Contains(err.Error(), `there is already a workspace "DEMO"`) {
		t.Errorf("over a workspace: %v", err)
	}
}

// A comparison says what a restore would remove, set back and add.
func TestDifferences(t *testing.T) {
	db, file := newStore(t, 4), filepath.Join(t.TempDir(), "b")
	if _, err := backup.Write(t.Context(), db, file, options(nil)); err != nil {
		t.Fatal(err)
	}
	err := db.Update(t.Context(), func(tx *kv.Tx) error {
		s := tx.Workspace("DEMO")
		later := engine.Campaign{Head: engine.Head{ID: "c1", UpdatedAt: noon}}
		_, err := s.PutCampaign(later, engine.Summarize(later), engine.Revision{}, false)
		return errors.Join(err, s.DeleteCampaign("c0"), save(s, "new", `{}`))
	})
	if err != nil {
		t.Fatal(err)
	}
	_, out, unread, err := backup.Differences(t.Context(), db, file, "", nil)
	if err != nil || unread != nil || len(out) != 1 {
		t.Fatal(out, unread, err)
	}
	d := out[0]
	if d.Now.Campaigns != 4 || d.Backup.Campaigns != 4 || d.Removed != 1 || d.Undone != 1 || d.Added != 1 || !d.Now.Changed.Equal(noon) ||
		!slices.Equal(d.Behind, []backup.Behind{{Campaign: "c0", Backup: 1}}) {
		t.Errorf("got %+v, now %+v, backup %+v", d, d.Now, d.Backup)
	}
	if _, out, _, err = backup.Differences(t.Context(), nil, file, "", nil); err != nil || len(out) != 1 || out[0].Now != nil || out[0].Added != 4 {
		t.Errorf("without a store: %+v, %v", out, err)
	}
}

// One backup a day, of which the last seven and those of four weeks are kept; a clock that is set back stops nothing.
func TestDaily(t *testing.T) {
	dir, db, now := t.TempDir(), newStore(t, 1), noon
	days := func(n int) string {
		t.Helper()
		for range n {
			for range 2 { // the second time, none is due
				if err := backup.Daily(t.Context(), db, dir, backup.Options{Header: backup.Header{Made: now}}); err != nil {
					t.Fatal(err)
				}
			}
			now = now.Add(24 * time.Hour)
		}
		list, err := backup.List(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		var made []string
		for _, b := range list {
			made = append(made, b.Made.Format("01-02"))
		}
		return strings.Join(made, " ")
	}
	want := "04-13 04-12 04-11 04-10 04-09 04-08 04-07 04-05 03-29"
	if got := days(41); got != want {
		t.Errorf("kept %s\nwant %s", got, want)
	}
	now = now.Add(-101 * 24 * time.Hour)
	if got := days(2); got != want+" 01-04 01-03" {
		t.Errorf("after the clock was set back there are %v", got)
	}
}

// The daily backups begin some seconds after the start, and go on after one has failed. Their end in the middle of a backup
// leaves nothing half.
func TestStartDaily(t *testing.T) {
	dir := t.TempDir()
	left := func() int {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, backup.Folder, "*"))
		hidden, err2 := filepath.Glob(filepath.Join(dir, backup.Folder, ".*"))
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		return len(files) + len(hidden)
	}
	synctest.Test(t, func(t *testing.T) {
		db, told := newStore(t, 3000), []error{}
		stop := backup.StartDaily(db, dir, backup.Options{Progress: func(int) { time.Sleep(time.Second) }}, func(err error) { told = append(told, err) })
		time.Sleep(8 * time.Second)
		stop()
		if n := left(); n > 0 || len(told) > 0 {
			t.Errorf("it ended with %v, and left %d files", told, n)
		}
		damage(t, db.Store, "c1")
		stop = backup.StartDaily(db, dir, backup.Options{}, func(err error) { told = append(told, err) })
		time.Sleep(time.Hour)
		stop()
		if n := left(); n > 0 || len(told) != 4 || !errors.Is(told[3], backup.ErrStoreDamaged) {
			t.Errorf("of a damaged store there are %d files, %v", n, told)
		}
	})
}

// One campaign comes back with its history; one that is whole is left alone.
func TestRestoreCampaign(t *testing.T) {
	db := newStore(t, 3)
	file := filepath.Join(t.TempDir(), "b")
	if _, err := backup.Write(t.Context(), db, file, options(nil)); err != nil {
		t.Fatal(err)
	}
	want := dump(t, db.Store)
	back := func(id string) error {
		found, err := backup.FindCampaign(t.Context(), db, file, "", "DEMO", id)
		if err != nil {
			return err
		}
		return found.Restore(t.Context(), db)
	}
	if err := back("c1"); !errors.Is(err, backup.ErrIntact) {
		t.Errorf("one that is whole: %v", err)
	}
	if err := back("none"); !errors.Is(err, backup.ErrNotInBackup) {
		t.Errorf("one that is not in it: %v", err)
	}
	err := db.Update(t.Context(), func(tx *kv.Tx) error {
		return tx.Workspace("DEMO").DeleteCampaign("c1")
	})
	damage(t, db.Store, "c2")
	if err := errors.Join(err, back("c1"), back("c2")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(dump(t, db.Store), want) {
		t.Error("what came back is something else")
	}
}

// A backup removes what a process that was killed has left beside it, but not what another one is writing.
func TestWriteSweepsAbandoned(t *testing.T) {
	dir := t.TempDir()
	left, current := filepath.Join(dir, ".a"+backup.Suffix+"-1.partial"), filepath.Join(dir, ".b"+backup.Suffix+"-2.partial")
	long := time.Now().Add(-2 * time.Hour)
	if err := errors.Join(os.WriteFile(left, nil, 0o600), os.WriteFile(current, nil, 0o600), os.Chtimes(left, long, long)); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Write(t.Context(), newStore(t, 1), filepath.Join(dir, "c"+backup.Suffix), backup.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left is there: %v", err)
	}
	if _, err := os.Stat(current); err != nil {
		t.Errorf("what is being written is gone: %v", err)
	}
}

// What a killed process has left is gone as soon as there is a keeper, and nothing is removed later: a
// backup that is asked for then has a file that looks the same.
func TestStartDailySweepsFirst(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, backup.Folder, ".bugle"+backup.Suffix+"-1.partial")
	if err := errors.Join(os.Mkdir(filepath.Dir(name), 0o700), os.WriteFile(name, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	defer backup.StartDaily(newStore(t, 1), dir, backup.Options{}, func(error) {})()
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left is there: %v", err)
	}
}
