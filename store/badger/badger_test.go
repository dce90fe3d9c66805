package badger_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
	"bugle/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.KeyValueDB { return open(t, t.TempDir()) })
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

func put(db kv.DB, t testing.TB, id, body string) error {
	v, err := doc.Parse([]byte(body))
	if err != nil {
		return err
	}
	h := engine.Head{ID: id}
	return db.Update(t.Context(), func(tx kv.Tx) error {
		_, err := kv.NewWorkspaceTx(tx, "DEMO").PutCampaign(engine.Campaign{Head: h, Body: v}, engine.Summary{Head: h}, engine.Revision{}, true)
		return err
	})
}

func body(t testing.TB, db kv.DB, id string) (s string, err error) {
	err = db.View(t.Context(), func(tx kv.Tx) error {
		c, err := kv.NewWorkspaceTx(tx, "DEMO").Campaign(id)
		s = string(c.Body.Encode())
		return err
	})
	return s, err
}

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	db := open(t, dir)
	large := `{"html":"` + strings.Repeat("<p>", 1<<20) + `"}` // 3 MB: not inline
	for id, text := range map[string]string{"small": `{"n":1.0}`, "large": large} {
		if err := put(db, t, id, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, dir)
	for id, want := range map[string]string{"small": `{"n":1.0}`, "large": large} {
		if got, err := body(t, db, id); err != nil || got != want {
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

func TestTooBig(t *testing.T) {
	db := open(t, t.TempDir())
	err := put(db, t, "c", `"`+strings.Repeat("x", 17<<20)+`"`)
	if !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("a document of 17 MB: %v", err)
	}
	err = db.Update(t.Context(), func(tx kv.Tx) error {
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
	if _, err := body(t, db, "c"); !errors.Is(err, store.ErrNotFound) {
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
	if err := put(db, t, "c", `{"n":1}`); err != nil {
		t.Fatal(err)
	}
	db.SetFreeSpace(1 << 20)
	if err := put(db, t, "c", `{"n":2}`); !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("writing to a full disk: %v", err)
	}
	if got, err := body(t, db, "c"); err != nil || got != `{"n":1}` {
		t.Errorf("then it reads %s, %v", got, err)
	}
	db.SetFreeSpace(1 << 40)
	if err := put(db, t, "c", `{"n":3}`); err != nil {
		t.Errorf("after space was freed: %v", err)
	}
}

// A store with damaged files keeps its intact records, and reports what was done.
func TestDamagedFiles(t *testing.T) {
	for _, name := range []string{"MANIFEST", "KEYREGISTRY"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(put(db, t, "c", `{"n":1}`), db.Close()); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, badger.Folder, name)
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range b {
				b[i] ^= 0x5A
			}
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			again := open(t, dir)
			said := strings.Join(again.Notices(), "")
			if !strings.HasPrefix(said, "the store in "+dir+" was damaged (") || !strings.HasSuffix(said, "; no changes are missing") {
				t.Errorf("it says %q", said)
			}
			if got, err := body(t, again, "c"); err != nil || got != `{"n":1}` {
				t.Errorf("c is %s, %v", got, err)
			}
			if kept, err := filepath.Glob(filepath.Join(dir, "store.damaged-*", name)); err != nil || len(kept) != 1 {
				t.Errorf("kept aside: %v, %v", kept, err)
			}
		})
	}
}

func TestLogger(t *testing.T) {
	var out bytes.Buffer
	db, err := badger.Open(t.Context(), badger.Options{Dir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `level=DEBUG msg="badger: `) {
		t.Errorf("logged %q", out.String())
	}
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
	if err := errors.Join(put(db, t, "A", `{"n":1}`), db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"000999.vlog", "00999.mem"} {
		if err := os.WriteFile(filepath.Join(dir, badger.Folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again := open(t, dir)
	if got, err := body(t, again, "A"); err != nil || got != `{"n":1}` {
		t.Errorf("A is %s, %v", got, err)
	}
	if err := put(again, t, "B", `{"n":2}`); err != nil {
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
	if err := put(db, t, "c1", "{}"); err != nil {
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
