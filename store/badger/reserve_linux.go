package badger

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
	_ "unsafe" // for linkname

	"golang.org/x/sys/unix"

	"bugle/store"
	"bugle/store/kv"
)

// The database makes its files sparse, maps them into memory, and copies into that. It has no place where
// space could be reserved in between, nor where the name of a table could be made durable before the log
// goes that the table replaces. But it maps files with golang.org/x/sys/unix, which calls the system through
// a variable; so it is here that a file of an open store is seen before the first byte is written to it.
// TestReserved fails where another version of that package, or of the database, goes another way.

// mmapper is the type of golang.org/x/sys/unix that has this name, or begins with it.
type mmapper struct {
	sync.Mutex
	_    map[*byte][]byte
	mmap func(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error)
}

//go:linkname mapper golang.org/x/sys/unix.mapper
var mapper *mmapper

var (
	mmap = mapper.mmap
	// watched are the open stores, by the path of the folder.
	watched sync.Map // string to *logs
)

func init() {
	mapper.mmap = func(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error) {
		if prot&unix.PROT_WRITE != 0 && flags&unix.MAP_SHARED != 0 && offset == 0 {
			if err := reserveFile(fd, int64(length)); err != nil {
				return 0, err
			}
		}
		return mmap(addr, length, prot, flags, fd, offset)
	}
}

// watch has the new files of an open store reserve their space, until stop.
func (l *logs) watch() (stop func()) {
	path, err := filepath.EvalSymlinks(l.path)
	if err != nil {
		return func() {}
	}
	watched.Store(path, l)
	return func() { watched.CompareAndDelete(path, l) }
}

// reserveFile reserves space for a file that was just made to be mapped, and makes it its owner's alone.
func reserveFile(fd int, size int64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Blocks*512 >= min(size, 64<<10) {
		return nil // it is not new, or was made ahead
	}
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return nil
	}
	found, ok := watched.Load(filepath.Dir(name))
	if !ok {
		return nil
	}
	l := found.(*logs)
	_ = unix.Fchmod(fd, 0o600)
	switch filepath.Ext(name) {
	case tableExt:
		l.waitForSpace(func() error { return fallocate(fd, size) })
		if err := kv.SyncFolder(filepath.Dir(name)); err != nil {
			_ = l.fail(err) // and no error of the table: see await
		}
		return nil
	case logExt: // the first one, as the store is opened
		err = fallocate(fd, min(size, int64(l.space)))
	case valueExt: // its head; the rest when it is needed
		err = fallocate(fd, int64(os.Getpagesize()))
	default:
		_ = fallocate(fd, size)
	}
	if !store.IsDiskFull(err) {
		return nil
	}
	if _, empty := unix.Seek(fd, 0, unix.SEEK_DATA); empty == unix.ENXIO {
		_ = os.Remove(name) // the database leaves it, and wants to make it the next time
	}
	return errors.Join(errUnreserved, err)
}

// waitForSpace asks for the space of a table until there is some. It must not fail: a compaction would take the
// table for written, and remove those that it was made of. Readers and writers do not wait for it, but no
// change is taken meanwhile ([DB.checkWriteSpace]).
func (l *logs) waitForSpace(ask func() error) {
	if !store.IsDiskFull(ask()) {
		return
	}
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	for store.IsDiskFull(ask()) {
		time.Sleep(retryAfter)
	}
}

// fallocate reserves the space of the first bytes of a file, and leaves its size as it is.
func fallocate(fd int, size int64) error {
	err := unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, size)
	for errors.Is(err, unix.EINTR) {
		err = unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, size)
	}
	return err
}

func allocate(f *os.File, size int64) error {
	if err := fallocate(int(f.Fd()), size); err != nil {
		return os.NewSyscallError("fallocate", err)
	}
	return nil
}
