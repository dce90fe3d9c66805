//go:build unix && !aix && !solaris

package badger_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

// If the disk fills up while the store is open, closing does not crash with a bus error, and acknowledged changes still
// exist afterwards.
func TestCloseOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(db, t, "c", `{"n":1}`); err != nil {
		t.Fatal(err)
	}
	db.SetFreeSpace(1 << 20)
	if err := db.Close(); !errors.Is(err, store.ErrDiskFull) || !strings.Contains(err.Error(), "everything saved is still there") {
		t.Errorf("closing: %v", err)
	}
	// This process still has the lock on that folder, as one that ends has not.
	after := t.TempDir()
	if err := os.CopyFS(filepath.Join(after, badger.Folder), os.DirFS(filepath.Join(dir, badger.Folder))); err != nil {
		t.Fatal(err)
	}
	again := open(t, after)
	if got, err := body(t, again, "c"); err != nil || got != `{"n":1}` {
		t.Errorf("c is %s, %v", got, err)
	}
	if said := again.Notices(); len(said) > 0 {
		t.Errorf("it says %q", said)
	}
}

// With little space left, a store is read-only until it is reopened.
func TestReadOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(db, t, "c", `{"n":1}`), db.Close()); err != nil {
		t.Fatal(err)
	}
	undo := badger.SetMeasure(20 << 20)
	defer undo()
	db = open(t, dir)
	if said := db.FullNotice(); !strings.Contains(said, "is read-only") {
		t.Errorf("it says %q", said)
	}
	if got, err := body(t, db, "c"); err != nil || got != `{"n":1}` {
		t.Errorf("c is %s, %v", got, err)
	}
	db.SetFreeSpace(1 << 40)
	if err := put(db, t, "c", `{"n":2}`); !errors.Is(err, store.ErrDiskFull) || !strings.Contains(err.Error(), "start bugle again") {
		t.Errorf("writing: %v", err)
	}
	if _, err := badger.Open(t.Context(), badger.Options{Dir: t.TempDir()}); !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("a new store: %v", err)
	}
}

// A full disk prevents operations that it would interrupt: no store is opened, repaired, rewritten, or replaced, and
// nothing changes.
func TestNoWritesOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	large := `{"html":"` + strings.Repeat("0123456789", 300_000) + `"}`
	if err := errors.Join(put(db, t, "c", `{"n":1}`), put(db, t, "large", large), db.Close()); err != nil {
		t.Fatal(err)
	}
	same := func(what string, err error, words ...string) {
		t.Helper()
		if !errors.Is(err, store.ErrDiskFull) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
			return
		}
		for _, w := range append(words, "free at least", "try again") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s does not say %q: %v", what, w, err)
			}
		}
		if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) != 1 {
			t.Errorf("after %s there is %q, %v", what, names, err)
		}
	}
	fill := func(ctx context.Context, db *badger.DB) error {
		return errors.Join(kv.Prepare(ctx, db), put(db, t, "c", `{"n":2}`))
	}

	undo := badger.SetMeasure(1 << 20)
	_, err = badger.Open(t.Context(), badger.Options{Dir: dir})
	same("opening", err)
	_, err = badger.Replace(t.Context(), dir, nil, badger.Filler{Fill: fill, Check: fill})
	same("a restore", err)
	undo()

	undo = badger.SetMeasure(66 << 20) // enough to open, and to write a little
	_, err = rewrite(t.Context(), badger.Options{Dir: dir}, nil, nil)
	same("a rewrite", err)
	manifest := filepath.Join(dir, badger.Folder, "MANIFEST")
	b, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(manifest); err != nil {
		t.Fatal(err)
	}
	_, err = badger.Open(t.Context(), badger.Options{Dir: dir})
	same("mending", err, "is damaged (its list of tables (MANIFEST) is missing)", "cannot be repaired yet")
	undo()

	if err := os.WriteFile(manifest, b, 0o600); err != nil {
		t.Fatal(err)
	}
	db = open(t, dir)
	for id, want := range map[string]string{"c": `{"n":1}`, "large": large} {
		if got, err := body(t, db, id); err != nil || got != want {
			t.Errorf("%s is %.40s, %v", id, got, err)
		}
	}
}

// A repair on a full disk reports for each finding why it was not repaired.
func TestRepairOnFullDisk(t *testing.T) {
	db := open(t, t.TempDir())
	if err := put(db, t, "c", `{"n":1}`); err != nil { // its workspace has no settings, and its summary is rebuilt
		t.Fatal(err)
	}
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
			value = append([]byte(nil), value...)
			value[len(value)-1] ^= 1
			return tx.Set(append([]byte(nil), key...), value)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	db.SetFreeSpace(1 << 20)
	found, err := kv.Repair(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, f := range found.Findings {
		if f.Repaired {
			t.Errorf("mended: %s", f.What)
		}
		if strings.Contains(f.Failed, "the disk is full") {
			failed++
		}
	}
	if failed == 0 {
		t.Errorf("nothing failed of %+v", found.Findings)
	}
	if err := db.AcknowledgeLoss(); !errors.Is(err, store.ErrDiskFull) { // it writes as well
		t.Errorf("what is lost is forgotten: %v", err)
	}
	db.SetFreeSpace(1 << 40)
}

// A drive without locks could have two writers: it is refused, with what to do.
func TestNoLocks(t *testing.T) {
	for _, cause := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL} {
		dir := t.TempDir()
		undo := badger.SetFlock(cause)
		_, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		undo()
		if !errors.Is(err, store.ErrLocksUnsupported) || !errors.Is(err, cause) {
			t.Errorf("%v: %v", cause, err)
			continue
		}
		for _, w := range []string{dir, "does not support file locks", "choose a folder on this machine with --data or BUGLE_DATA"} {
			if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v: it says %q", cause, err)
			}
		}
		if names, err := filepath.Glob(filepath.Join(dir, badger.Folder, "*")); err != nil || len(names) > 0 {
			t.Errorf("%v: there is %q, %v", cause, names, err)
		}
	}
}

// nobody opens the store as a user with read-only access, and returns the result.
func nobody(dir string) int {
	if os.Geteuid() == 0 { // who can write anywhere
		if err := errors.Join(syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			fmt.Println(err)
			return 2
		}
	}
	_, err := badger.Open(context.Background(), badger.Options{Dir: dir})
	fmt.Println(err)
	return 0
}

// A folder that can only be read is refused, and nothing in it is changed.
func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(db, t, "c", `{}`), db.Close()); err != nil {
		t.Fatal(err)
	}
	mode := func(folder, file fs.FileMode) {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(name, folder)
			}
			return errors.Join(err, os.Chmod(name, file))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	mode(0o555, 0o444)
	defer mode(0o755, 0o600)
	before := files(t, dir)
	for _, at := range []string{dir, filepath.Join(dir, "new")} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), envRole+"=nobody", envDir+"="+at)
		out, err := cmd.CombinedOutput()
		text := strings.Replace(string(out), "operation not permitted", "permission denied", 1)
		if err != nil || !strings.HasPrefix(text, "cannot write to "+at+": permission denied; ") || !strings.HasSuffix(text, "choose another folder with --data or BUGLE_DATA\n") {
			t.Errorf("%s: %v, %q", at, err, out)
		}
	}
	after := files(t, dir)
	if len(after) != len(before) {
		t.Errorf("there were %d files, and are %d", len(before), len(after))
	}
}
