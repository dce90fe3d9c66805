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

// dump returns all records of a store.
func dump(t testing.TB, db kv.DB) (out []string) {
	t.Helper()
	err := db.View(t.Context(), func(tx kv.Tx) error {
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

func options(passphrase string) backup.Options {
	return backup.Options{Passphrase: passphrase, Now: noon, Program: "1.0", WorkFactor: 5}
}

func TestRoundTrip(t *testing.T) {
	for _, pass := range []string{"", secret} {
		db := newStore(t, 700)
		file := filepath.Join(t.TempDir(), "b"+backup.Suffix)
		var told []bool
		o := options(pass)
		o.Progress = func(_ int, verifying bool) { told = append(told, verifying) }
		info, err := backup.Write(t.Context(), db, file, o)
		if err != nil {
			t.Fatal(err)
		}
		if info.Campaigns != 700 || info.Records != 2802 || !slices.Equal(info.Workspaces, []string{"DEMO"}) ||
			info.Encrypted != (pass != "") || info.File != file || !info.Made.Equal(noon) {
			t.Errorf("got %+v", info)
		}
		if !slices.Equal(slices.Compact(told), []bool{false, true}) {
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
		if err := backup.Compare(t.Context(), again, info.Contents, nil); err != nil {
			t.Error(err)
		}
		if err := backup.Compare(t.Context(), newStore(t, 699), info.Contents, nil); err == nil {
			t.Error("a store with other records passes for the same")
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
		if _, err := backup.Verify(t.Context(), file, pass); !errors.Is(err, want) {
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
			if _, err := backup.Verify(t.Context(), spoiled, pass); err == nil {
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
	o.Progress = func(int, bool) { cancel() }
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

// damage changes a byte of both copies of the campaigns with those ids.
func damage(t *testing.T, db kv.DB, ids ...string) {
	t.Helper()
	err := db.Update(t.Context(), func(tx kv.Tx) error {
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
	damage(t, db, "c1", "c3")
	damaged := func(err error) {
		t.Helper()
		var bad *backup.DamagedError
		if !errors.As(err, &bad) || !strings.Contains(fmt.Sprint(bad.What), `campaign "c3" in workspace "DEMO"`) || !strings.Contains(err.Error(), `campaign "c1"`) || !strings.Contains(err.Error(), "more") {
			t.Errorf("it fails with %v", err)
		}
	}
	_, err := backup.Write(t.Context(), db, filepath.Join(dir, "b"), options(""))
	damaged(err)
	_, err = backup.Copy(t.Context(), db, mem.New(), nil)
	damaged(err)
	o := options("")
	o.Prove = func(context.Context) error { return &backup.DamagedError{What: []string{"part of it"}} }
	if _, err := backup.Write(t.Context(), newStore(t, 1), filepath.Join(dir, "c"), o); !errors.As(err, new(*backup.DamagedError)) {
		t.Errorf("what was lost without a trace: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// A store with a large outbox and a long list of tests is backed up and restored in bounded memory and in several transactions.
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
	file := filepath.Join(t.TempDir(), "b")
	if _, err := backup.Write(t.Context(), from, file, options("")); err != nil {
		t.Fatal(err)
	}
	to := &counting{DB: mem.New()}
	defer to.Close()
	if _, err := backup.Load(t.Context(), to, file, "", nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(dump(t, to.DB.(*mem.DB)), dump(t, from)) {
		t.Error("what came back is something else")
	}
	if to.writes < 40 || to.most > 700 {
		t.Errorf("%d transactions, the largest with %d changes", to.writes, to.most)
	}
}

// counting counts the transactions, and the changes of the largest one.
type counting struct {
	store.DB
	writes, most int
}

func (c *counting) Write(ctx context.Context, fn func(store.Tx) error) error {
	c.writes++
	db := c.DB.(*mem.DB)
	before := size(ctx, db)
	err := db.Write(ctx, fn)
	c.most = max(c.most, size(ctx, db)-before)
	return err
}

func size(ctx context.Context, db kv.DB) (n int) {
	_ = db.View(ctx, func(tx kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{KeysOnly: true}, func(_, _ []byte) error { n++; return nil })
	})
	return n
}

// A workspace whose restore has failed is not taken for a whole one: it says so, the next restore begins again, and it can be
// removed. A workspace that is there is never touched.
func TestUnfinishedRestore(t *testing.T) {
	from, file := newStore(t, 2000), filepath.Join(t.TempDir(), "b")
	if _, err := backup.Write(t.Context(), from, file, options("")); err != nil {
		t.Fatal(err)
	}
	folder := mem.New()
	defer folder.Close()
	to := struct{ store.DB }{folder} // as a database
	fail := func() {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := backup.Load(ctx, to, file, "", func(int) { cancel() }); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	name := func() (name string) {
		t.Helper()
		err := to.Read(t.Context(), func(tx store.Tx) error {
			w, err := tx.Workspace("DEMO").Settings()
			name = w.Name
			return err
		})
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
		return name
	}
	empty := dump(t, folder)
	fail()
	if got := name(); !strings.HasPrefix(got, "Restore not finished") {
		t.Errorf("the workspace is called %q", got)
	}
	if _, out, _, err := backup.Differences(t.Context(), to, file, "", nil); err != nil || len(out) != 1 || out[0].Now != nil {
		t.Errorf("it passes for a workspace: %+v, %v", out, err)
	}
	if err := backup.ClearUnfinished(t.Context(), to, []string{"DEMO"}); err != nil || !slices.Equal(dump(t, folder), empty) {
		t.Errorf("something of it is left, %v", err)
	}
	fail()
	if _, err := backup.Load(t.Context(), to, file, "", nil); err != nil || !slices.Equal(dump(t, folder), dump(t, from)) {
		t.Errorf("what came back is something else: %v", err)
	}
	if err := backup.ClearUnfinished(t.Context(), to, []string{"DEMO"}); err != nil || !slices.Equal(dump(t, folder), dump(t, from)) {
		t.Errorf("a whole workspace was cleared, %v", err)
	}
	if _, err := backup.Load(t.Context(), to, file, "", nil); err == nil || !strings.Contains(err.Error(), `there is already a workspace "DEMO"`) {
		t.Errorf("over a workspace: %v", err)
	}
}

// A comparison says what a restore would remove, set back and add.
func TestDifferences(t *testing.T) {
	db, file := newStore(t, 4), filepath.Join(t.TempDir(), "b")
	if _, err := backup.Write(t.Context(), db, file, options("")); err != nil {
		t.Fatal(err)
	}
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		s := kv.NewWorkspaceTx(tx, "DEMO")
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
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		return kv.NewWorkspaceTx(tx, "DEMO").DeleteCampaign("c1")
	})
	damage(t, db, "c2")
	if err := errors.Join(err, back("c1"), back("c2")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(dump(t, db), want) {
		t.Error("what came back is something else")
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
