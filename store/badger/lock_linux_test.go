package badger_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"bugle/store/badger"
)

// A process that is just being started has the files of this one open for a moment. A store that was closed meanwhile can
// be opened at once all the same.
func TestOpenWhileAProcessStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	inherited := 0
	for _, f := range files {
		path, err := os.Readlink(filepath.Join("/proc/self/fd", f.Name()))
		if err != nil || path != dir {
			continue
		}
		fd, err := strconv.Atoi(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		inherited++
		t.Cleanup(func() { _ = unix.Close(own) })
	}
	if inherited == 0 {
		t.Fatal("the folder is not open, so there is no lock on it")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = badger.Open(t.Context(), badger.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
