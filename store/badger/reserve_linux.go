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

	"bugle/engine/files"
	"bugle/store"
)

// The database creates sparse files, maps them, and writes to the mapping. It has no hook for reserving space in
// between, or for making the name of a table durable before the log that it replaces is removed. But it maps files with
// golang.org/x/sys/unix, which calls the system through a variable. Replacing the function in that variable intercepts
// each new file of an open store before its first byte is written. TestReserved fails if a new version of that package
// or of the database works differently.

// mmapper is a prefix of the type with the same name in golang.org/x/sys/unix.
type mmapper struct {
	sync.Mutex
	_    map[*byte][]byte
	mmap func(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error)
}

//go:linkname mapper golang.org/x/sys/unix.mapper
var mapper *mmapper

var (
	mmap = mapper.mmap
	// watched is the open stores by the path of their folder.
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

// watch reserves space for new files of an open store, until stop is called.
func (l *logs) watch() (stop func()) {
	path, err := filepath.EvalSymlinks(l.path)
	if err != nil {
		return func() {}
	}
	watched.Store(path, l)
	return func() { watched.CompareAndDelete(path, l) }
}

// reserveFile reserves space for a new file before it is mapped, and makes it accessible only by its owner.
func reserveFile(fd int, size int64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Blocks*512 >= min(size, 64<<10) {
		return nil // not new, or created in advance
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
		if err := files.SyncFolder(filepath.Dir(name)); err != nil {
			_ = l.fail(err) // not an error of the table: see waitForSpace
		}
		return nil
	case logExt: // the first one, while the store is being opened
		err = fallocate(fd, min(size, int64(l.space)))
	case valueExt: // its header; more is reserved when needed
		err = fallocate(fd, int64(os.Getpagesize()))
	default:
		_ = fallocate(fd, size)
	}
	if !store.IsDiskFull(err) {
		return nil
	}
	if _, empty := unix.Seek(fd, 0, unix.SEEK_DATA); empty == unix.ENXIO {
		_ = os.Remove(name) // the database ignores the file and creates it again the next time
	}
	return errors.Join(errUnreserved, err)
}

// waitForSpace retries until there is space for a table. It must not fail: a compaction would treat the table as
// written and remove its inputs. Readers and writers do not wait for it, but no changes are accepted meanwhile
// ([DB.checkWriteSpace]).
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

// fallocate reserves the space of the first bytes of a file without changing its size.
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
