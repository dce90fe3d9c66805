package badger_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
	"bugle/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) *kv.Store { return open(t, t.TempDir()).Store })
}

// open opens the store in dir until the end of the test.
func open(t testing.TB, dir string) *badger.DB {
	t.Helper()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return db
}

func put(db *kv.Store, t testing.TB, id, body string) error {
	v, err := doc.Parse([]byte(body))
	if err != nil {
		return err
	}
	h := engine.Head{ID: id}
	return db.Update(t.Context(), func(tx *kv.Tx) error {
		_, err := tx.Workspace("DEMO").PutCampaign(engine.Campaign{Head: h, Body: v}, engine.Summary{Head: h}, engine.Revision{}, true)
		return err
	})
}

func body(t testing.TB, db *kv.Store, id string) (s string, err error) {
	err = db.View(t.Context(), func(tx *kv.Tx) error {
		c, err := tx.Workspace("DEMO").Campaign(id)
		s = string(c.Body.Encode())
		return err
	})
	return s, err
}

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	db := open(t, dir)
	large := `{"html":"` + noise(3<<20) + `"}` // 3 MB: not inline
	for id, text := range map[string]string{"small": `{"n":1.0}`, "large": large} {
		if err := put(db.Store, t, id, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, dir)
	for id, want := range map[string]string{"small": `{"n":1.0}`, "large": large} {
		if got, err := body(t, db.Store, id); err != nil || got != want {
			t.Errorf("%s reads %d bytes, %v, want %d", id, len(got), err, len(want))
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, badger.Folder)} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s has permissions %v: others can read it", path, info.Mode())
		}
	}
}

// noise returns a text of n letters that cannot be compressed.
func noise(n int) string {
	b := make([]byte, n/2)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b) // Read never fails
	return hex.EncodeToString(b)
}

func TestTooBig(t *testing.T) {
	db := open(t, t.TempDir())
	err := put(db.Store, t, "c", `"`+noise(17<<20)+`"`)
	if !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("a document of 17 MB: %v", err)
	}
	err = db.Update(t.Context(), func(tx *kv.Tx) error {
		for i := range 100_000 {
			if err := tx.Set([]byte{'x', byte(i), byte(i >> 8), byte(i >> 16)}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("100,000 records at once: %v", err)
	}
	if _, err := body(t, db.Store, "c"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("something was written: %v", err)
	}
}

func TestUnwritableFolder(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(base, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	dirs := []string{file, filepath.Join(file, "below")}
	if os.Geteuid() != 0 { // root can write anywhere
		dirs = append(dirs, closed)
	}
	for _, dir := range dirs {
		_, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err == nil {
			t.Fatalf("%s was opened", dir)
		}
		text := err.Error()
		if !strings.HasPrefix(text, "cannot write to "+dir+": ") || !strings.Contains(text, "--data or BUGLE_DATA") {
			t.Errorf("%s: %s", dir, text)
		}
	}
	if _, err := badger.Open(t.Context(), badger.Options{}); err == nil {
		t.Error("a store without a folder was opened")
	}
}

func TestFullDisk(t *testing.T) {
	db := open(t, t.TempDir())
	if err := put(db.Store, t, "c", `{"n":1}`); err != nil {
		t.Fatal(err)
	}
	db.SetFreeSpace(1 << 20)
	if err := put(db.Store, t, "c", `{"n":2}`); !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("writing to a full disk: %v", err)
	}
	if got, err := body(t, db.Store, "c"); err != nil || got != `{"n":1}` {
		t.Errorf("then it reads %s, %v", got, err)
	}
	db.SetFreeSpace(1 << 40)
	if err := put(db.Store, t, "c", `{"n":3}`); err != nil {
		t.Errorf("after space was freed: %v", err)
	}
}

// After a power failure there is every file on which an acknowledged change relies: its name is durable before that.
func TestNamesAreDurable(t *testing.T) {
	dir := t.TempDir()
	durable := map[string]bool{}
	badger.OnSync(t, func(path string) error {
		for _, name := range namesIn(t, path) {
			durable[name] = true
		}
		return nil
	})
	db := open(t, dir)
	logs := map[string]bool{}
	for n := range 40 { // 40 MB: several logs
		if err := put(db.Store, t, fmt.Sprint(n), `"`+noise(1_000_000)+`"`); err != nil {
			t.Fatal(err)
		}
		for _, name := range namesIn(t, filepath.Join(dir, badger.Folder)) {
			if filepath.Ext(name) != ".mem" {
				continue
			}
			if logs[name] = true; !durable[name] {
				t.Fatalf("change %d is acknowledged, and the name of %s may be lost", n, name)
			}
		}
	}
	if len(logs) < 2 {
		t.Errorf("there was %d log", len(logs))
	}
}

// namesIn returns the names of the files in a folder.
func namesIn(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range entries {
		names = append(names, f.Name())
	}
	return names
}

// After a failed sync the disk may have a part of a change. Nothing more is written, until the store is opened again.
func TestSyncFails(t *testing.T) {
	broken := error(nil)
	badger.OnSync(t, func(string) error { return broken })
	dir := t.TempDir()
	db := open(t, dir)
	if err := put(db.Store, t, "a", `1`); err != nil {
		t.Fatal(err)
	}
	broken = errors.New("input/output error")
	if err := put(db.Store, t, "b", `1`); err == nil || !strings.Contains(err.Error(), "may not be saved") {
		t.Errorf("the change that fails: %v", err)
	}
	broken = nil
	if err := put(db.Store, t, "c", `1`); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a later change: %v", err)
	}
	if got, err := body(t, db.Store, "a"); err != nil || got != `1` {
		t.Errorf("a reads %q, %v", got, err)
	}
	if _, err := body(t, db.Store, "b"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("what may not be saved is read: %v", err)
	}
}

// A store whose files cannot be opened says so, and nothing is thrown away.
func TestDamagedFiles(t *testing.T) {
	for _, name := range []string{"MANIFEST", "KEYREGISTRY"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(put(db.Store, t, "c", `{"n":1}`), db.Close()); err != nil {
				t.Fatal(err)
			}
			if err := flip(filepath.Join(dir, badger.Folder, name), 0, -1); err != nil {
				t.Fatal(err)
			}
			before := files(t, dir)
			if _, err := badger.Open(t.Context(), badger.Options{Dir: dir}); !errors.As(err, new(*store.DamagedError)) && !errors.Is(err, crypt.ErrNoKey) {
				t.Errorf("it opens: %v", err)
			}
			for name := range before {
				if _, err := os.Stat(name); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Where the list of tables is gone, nothing is thrown away either.
func TestMissingManifest(t *testing.T) {
	for _, also := range []string{"", "STATE"} {
		dir := t.TempDir()
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(put(db.Store, t, "c", `{"n":1}`), db.Close()); err != nil {
			t.Fatal(err)
		}
		lost := []string{"MANIFEST"}
		if also != "" {
			lost = append(lost, also)
		}
		for _, name := range lost {
			if err := os.Remove(filepath.Join(dir, badger.Folder, name)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := badger.Open(t.Context(), badger.Options{Dir: dir}); !errors.As(err, new(*store.DamagedError)) {
			t.Errorf("without MANIFEST and %q: %v", also, err)
		}
		if tables, err := filepath.Glob(filepath.Join(dir, badger.Folder, "*.sst")); err != nil || len(tables) == 0 {
			t.Errorf("the tables are gone: %v", err)
		}
	}
}

// A commit that only deletes is not taken for lost once its traces are merged away.
func TestDeletesAreNotLost(t *testing.T) {
	dir := t.TempDir()
	session := func(do func(db *badger.DB)) []string {
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		do(db)
		said := db.Notices()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		return said
	}
	for n := range 3 {
		session(func(db *badger.DB) {
			if err := put(db.Store, t, fmt.Sprint(n), `1`); err != nil {
				t.Fatal(err)
			}
		})
	}
	session(func(db *badger.DB) {
		mark := kv.HiddenKey("commit-of-somebody")
		for _, w := range []kv.Write{{Key: mark}, {Key: mark, Delete: true}} {
			if err := db.Driver().Commit(t.Context(), kv.Change{Writes: []kv.Write{w}}); err != nil {
				t.Fatal(err)
			}
		}
	})
	session(func(db *badger.DB) { db.Merge() })
	if said := session(func(*badger.DB) {}); len(said) > 0 {
		t.Errorf("it says %q", said)
	}
}

// A part of a table that is damaged on disk is found, although what was read before is in a cache.
func TestVerifyReadsTheDisk(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	if err := errors.Join(put(db.Store, t, "c", `{"n":1}`), db.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := body(t, db.Store, "c"); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, badger.Folder, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	f, err := os.OpenFile(tables[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte("rotten"), 100)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	var damaged *store.DamagedError
	if err := db.Driver().Verify(t.Context()); !errors.As(err, &damaged) {
		t.Errorf("it verifies: %v", err)
	}
	if err := put(db.Store, t, "d", `{}`); !errors.As(err, &damaged) {
		t.Errorf("it writes: %v", err)
	}
}

// flip changes n bytes of a file from a place on; -1: all. A process may have the file open.
func flip(name string, at, n int) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if n < 0 {
		n = len(b) - at
	}
	b = b[at:min(at+n, len(b))]
	for i := range b {
		b[i] ^= 0x5A
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, int64(at))
	return errors.Join(err, f.Close())
}

// A backup of the data folder, or a folder of anybody else's, may hold other files.
func TestOtherFilesStay(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, "notes"), []byte("mine"), 0o644)); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the folder's permissions became %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "MANIFEST")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the database is not in its own folder: %v", err)
	}
}

// A process that was killed as it opened the store may leave logs in which there is nothing yet.
func TestEmptyLogs(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(db.Store, t, "A", `{"n":1}`), db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"000999.vlog", "00999.mem"} {
		if err := os.WriteFile(filepath.Join(dir, badger.Folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again := open(t, dir)
	if got, err := body(t, again.Store, "A"); err != nil || got != `{"n":1}` {
		t.Errorf("A is %s, %v", got, err)
	}
	if err := put(again.Store, t, "B", `{"n":2}`); err != nil {
		t.Error(err)
	}
}

func TestCloseEndsWhenTheFolderIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	// Without a write, nothing would have to be written when the store is closed.
	if err := put(db.Store, t, "c1", "{}"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Skipf("files in use cannot be deleted here: %v", err)
	}
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	select {
	case err := <-closed:
		if err == nil || !strings.Contains(err.Error(), "was deleted or moved") {
			t.Errorf("got %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("Close does not end")
	}
}

// A store that cannot be verified does not pass for a sound one.
func TestVerifyFails(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	if err := errors.Join(put(db.Store, t, "c", `{"n":1}`), db.Close()); err != nil { // which makes a table
		t.Fatal(err)
	}
	db = open(t, dir)
	name := filepath.Join(dir, badger.Folder, "MANIFEST")
	if err := os.Rename(name, name+".away"); err != nil {
		t.Skipf("files in use cannot be renamed here: %v", err)
	}
	if found, err := db.Check(t.Context(), nil); err == nil {
		t.Errorf("a check finds %v", found.Findings)
	}
	if err := os.Rename(name+".away", name); err != nil {
		t.Fatal(err)
	}
	if found, err := db.Check(t.Context(), nil); err != nil || len(found.Findings) > 0 {
		t.Errorf("then a check finds %v, %v", found.Findings, err)
	}
}
