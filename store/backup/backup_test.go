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
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/kv"
	"bugle/store/mem"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const secret = "correct horse"

func newStore(t testing.TB, campaigns int) *mem.DB {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		s := kv.NewWorkspaceTx(tx, "DEMO")
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

func save(s kv.WorkspaceTx, id, body string) error {
	v, err := doc.Parse([]byte(body))
	if err != nil {
		return err
	}
	c := engine.Campaign{Head: engine.Head{ID: id}, Body: v}
	_, err = s.PutCampaign(c, engine.Summarize(c), engine.Revision{}, false)
	return err
}

func dump(t *testing.T, db kv.DB) (out []string) {
	t.Helper()
	err := db.View(t.Context(), func(tx kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
			out = append(out, string(key)+"="+string(value))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func options(passphrase string) backup.Options {
	return backup.Options{Passphrase: passphrase, Now: noon, Program: "1.0", WorkFactor: 5}
}

func TestRoundTrip(t *testing.T) {
	for _, pass := range []string{"", secret} {
		db := newStore(t, 700)
		file := filepath.Join(t.TempDir(), "b"+backup.Suffix)
		var told []backup.Progress
		o := options(pass)
		o.Progress = func(p backup.Progress) { told = append(told, p) }
		info, err := backup.Write(t.Context(), db, file, o)
		if err != nil {
			t.Fatal(err)
		}
		if info.Campaigns != 700 || info.Records != len(dump(t, db)) || !info.Healthy() || !slices.Equal(info.Workspaces, []string{"DEMO"}) ||
			info.Encrypted != (pass != "") || info.File != file || !info.Made.Equal(noon) {
			t.Errorf("got %+v", info)
		}
		if len(told) < 3 || told[0].Verifying || !told[len(told)-1].Verifying {
			t.Errorf("told of %v", told)
		}
		stat, err := os.Stat(file)
		if err != nil || stat.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v: others can read it", stat.Mode(), err)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if pass != "" && bytes.Contains(b, []byte("DEMO")) {
			t.Error("it is encrypted, and can be read")
		}
		again := mem.New()
		if _, err := backup.Load(t.Context(), again, file, pass, nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(dump(t, db), dump(t, again)) {
			t.Error("what came back is something else")
		}
		again.Close()
	}
}

func TestPassphrase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b")
	if _, err := backup.Write(t.Context(), newStore(t, 1), file, options(secret)); err != nil {
		t.Fatal(err)
	}
	for pass, want := range map[string]error{"": backup.ErrNoPassphrase, "wrong": backup.ErrPassphrase, secret: nil} {
		if _, err := backup.Verify(t.Context(), file, pass, nil); !errors.Is(err, want) {
			t.Errorf("with %q: %v", pass, err)
		}
	}
	if info, err := backup.ReadHeader(file); err != nil || !info.Encrypted || info.Program != "1.0" {
		t.Errorf("%+v, %v", info, err)
	}
}

// No byte of a backup can change, and none can be missing, without it being said.
func TestDamagedBackup(t *testing.T) {
	for _, pass := range []string{"", secret} {
		dir := t.TempDir()
		file := filepath.Join(dir, "b")
		if _, err := backup.Write(t.Context(), newStore(t, 3), file, options(pass)); err != nil {
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
			if _, err := backup.Verify(t.Context(), spoiled, pass, nil); err == nil {
				t.Errorf("%s, and it was taken", what)
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
	o := options("")
	o.Progress = func(backup.Progress) { cancel() }
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
	if _, err := backup.Write(t.Context(), db, mine, options("")); err == nil {
		t.Error("a file was overwritten")
	}
	if _, err := backup.Write(t.Context(), db, filepath.Join(dir, "not", "there"), options("")); err == nil || !strings.HasPrefix(err.Error(), "cannot write ") {
		t.Errorf("no folder: %v", err)
	}
}

// What is damaged in the store stays damaged in the backup, and is counted.
func TestBackupOfDamaged(t *testing.T) {
	db := newStore(t, 2)
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
			if !kv.IsCampaign(key) {
				return nil
			}
			bad := bytes.Clone(value)
			bad[len(bad)-1] ^= 1
			return errors.Join(tx.Set(bytes.Clone(key), bad), store.Stop)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "b")
	info, err := backup.Write(t.Context(), db, file, options(""))
	if err != nil || info.Damaged != 1 || info.Healthy() {
		t.Errorf("%+v, %v", info, err)
	}
}

// clock is a time that the test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }
func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// One backup a day, of which those of seven days and four weeks are kept; a clock that is set back
// stops nothing.
func TestDaily(t *testing.T) {
	dir, db, c := t.TempDir(), newStore(t, 1), &clock{now: noon}
	made := make(chan error)
	k := backup.StartDaily(db, backup.DailyOptions{DataDir: dir, Clock: c.Now, Delay: 1, Interval: time.Millisecond, OnBackup: func(_ backup.Info, err error) { made <- err }})
	defer k.Close()
	next := func() {
		t.Helper()
		if err := <-made; err != nil {
			t.Fatal(err)
		}
	}
	names := func() (out []string) {
		list, err := backup.List(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range list {
			out = append(out, b.Made.Format("01-02"))
		}
		return out
	}
	next()
	for range 40 {
		c.add(24 * time.Hour)
		next()
	}
	want := "04-13 04-12 04-11 04-10 04-09 04-08 04-07 04-05 03-29"
	if got := strings.Join(names(), " "); got != want {
		t.Errorf("kept %s\nwant %s", got, want)
	}
	c.add(-100 * 24 * time.Hour)
	next()
	c.add(24 * time.Hour)
	next()
	if got := names(); !strings.HasSuffix(strings.Join(got, " "), "03-29 01-04 01-03") {
		t.Errorf("after the clock was set back there are %v", got)
	}
}

// An end of the keeper in the middle of a backup leaves nothing half.
func TestDailyCloses(t *testing.T) {
	dir := t.TempDir()
	k := backup.StartDaily(newStore(t, 3000), backup.DailyOptions{DataDir: dir, Delay: 1})
	k.Close()
	if left, err := filepath.Glob(filepath.Join(dir, backup.Folder, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// One campaign comes back with its history; one that is whole is left alone.
func TestRestoreCampaign(t *testing.T) {
	db := newStore(t, 3)
	file := filepath.Join(t.TempDir(), "b")
	if _, err := backup.Write(t.Context(), db, file, options("")); err != nil {
		t.Fatal(err)
	}
	want := dump(t, db)
	back := func(id string) error {
		_, err := backup.RestoreCampaign(t.Context(), db, file, "", "DEMO", id)
		return err
	}
	if err := back("c1"); !errors.Is(err, backup.ErrIntact) {
		t.Errorf("one that is whole: %v", err)
	}
	if err := back("none"); !errors.Is(err, backup.ErrNotInBackup) {
		t.Errorf("one that is not in it: %v", err)
	}
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		return errors.Join(kv.NewWorkspaceTx(tx, "DEMO").DeleteCampaign("c1"), tx.Set([]byte("rDEMO\x00\x01cc2\x00\x01"), []byte("spoiled")))
	})
	if err := errors.Join(err, back("c1"), back("c2")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(dump(t, db), want) {
		t.Error("what came back is something else")
	}
}

// rotten is a store that finds what it has lost as it is read.
type rotten struct {
	kv.DB
	lost []string
}

func (r *rotten) View(ctx context.Context, fn func(kv.Tx) error) error {
	err := r.DB.View(ctx, fn)
	r.lost = []string{"part of the store was lost"}
	return err
}

func (r *rotten) Lost() []string { return r.lost }

// A backup of a store whose damage is found as the backup is made is none of a sound one.
func TestDamageFoundMeanwhile(t *testing.T) {
	info, err := backup.Write(t.Context(), &rotten{DB: newStore(t, 3)}, filepath.Join(t.TempDir(), "b"+backup.Suffix), options(""))
	if err != nil || info.Healthy() || len(info.Lost) != 1 {
		t.Errorf("%v, %v", info.Contents, err)
	}
}

// What a killed process has left is gone as soon as there is a keeper, and nothing is removed later: a
// backup that is asked for then has a file that looks the same.
func TestStartDailySweepsFirst(t *testing.T) {
	dir := t.TempDir()
	if err := backup.MakeFolder(dir); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, backup.Folder, ".bugle"+backup.Suffix+"-1.partial")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k := backup.StartDaily(newStore(t, 1), backup.DailyOptions{DataDir: dir, Delay: time.Hour})
	defer k.Close()
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left is there: %v", err)
	}
}
