//go:build unix

package backup_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bugle/store"
	"bugle/store/backup"
)

// envFull contains the folder without free space, for the test binary that runs itself.
const envFull = "BUGLE_BACKUP_TEST_FULL"

// If there is no room for a backup, the error says so and no file is left: neither of a manual one, nor of the daily
// one, nor of one that is re-encrypted, which stays unchanged.
func TestNoRoom(t *testing.T) {
	if dir := os.Getenv(envFull); dir != "" {
		noRoom(t, dir)
		return
	}
	dir := t.TempDir()
	mine := filepath.Join(dir, backup.Folder, "mine"+backup.Suffix)
	if err := os.Mkdir(filepath.Dir(mine), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Write(t.Context(), newStore(t, 500), mine, options(nil)); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(mine)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestNoRoom$")
	cmd.Env = append(os.Environ(), envFull+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if after, err := os.ReadFile(mine); err != nil || string(after) != string(before) {
		t.Errorf("the backup that was there is another one: %v", err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, backup.Folder, "*")); err != nil || len(names) != 1 {
		t.Errorf("there is %q, %v", names, err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, backup.Folder, ".*partial")); err != nil || len(names) > 0 {
		t.Errorf("there is %q, %v", names, err)
	}
}

// noRoom makes backups in a process whose files cannot be larger than a kilobyte.
func noRoom(t *testing.T, dir string) {
	limit := syscall.Rlimit{Cur: 1 << 10, Max: 1 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	db := newStore(t, 500)
	full := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, store.ErrDiskFull) || !strings.Contains(err.Error(), "there is not enough space in "+filepath.Join(dir, backup.Folder)) || !strings.Contains(err.Error(), "a file on another disk") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := backup.Write(t.Context(), db, filepath.Join(dir, backup.Folder, "b"+backup.Suffix), options(nil))
	full("a backup", err)
	_, err = backup.Write(t.Context(), db, filepath.Join(dir, backup.Folder, "c"+backup.Suffix), options(&key))
	full("an encrypted backup", err)
	_, err = backup.Reencrypt(t.Context(), filepath.Join(dir, backup.Folder, "mine"+backup.Suffix), "", nil)
	full("sealing one anew", err)
	full("the daily backup", backup.Daily(t.Context(), db, dir, options(nil)))
	if t.Failed() {
		fmt.Println("in the process without room")
	}
}
