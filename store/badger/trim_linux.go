package badger

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"bugle/store/badger/internal/files"
)

// Badger reads and writes tables through memory mappings. The pages that it has used count as memory of the process
// until the system runs short of it, so a server would seem to grow to the size of its store. When there are many such
// pages, they are released: they stay in the system's page cache, and reading them again is cheap.

// maxMapped is the most bytes of mapped files in memory; about 30 MB of it is the program itself.
const maxMapped = 64 << 20

// trim releases mapped pages if there are many.
func (d *DB) trim() {
	if mapped() > maxMapped {
		d.releasePages()
	}
}

// mapped returns the number of bytes of mapped files in memory.
func mapped() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 3 {
		return 0
	}
	n, err := strconv.ParseInt(string(fields[2]), 10, 64)
	if err != nil {
		return 0
	}
	return n * int64(os.Getpagesize())
}

// releasePages releases the mapped pages of all tables. It pins the tables, so that nothing else can be mapped at their
// addresses.
func (d *DB) releasePages() {
	before := map[uint64]bool{}
	for _, t := range d.db.Tables() {
		before[t.ID] = true
	}
	defer d.pin()()
	inodes := map[string]uint64{} // by file name
	for _, t := range d.db.Tables() {
		if !before[t.ID] {
			continue // it may not be pinned
		}
		info, err := os.Stat(join(d.path, files.TableName(t.ID)))
		if err != nil {
			continue
		}
		if sys, ok := info.Sys().(*syscall.Stat_t); ok {
			inodes[files.TableName(t.ID)] = sys.Ino
		}
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// address range, permissions, offset, device, inode, path
		fields := bytes.Fields(lines.Bytes())
		if len(fields) < 6 {
			continue
		}
		inode, ok := inodes[filepath.Base(string(fields[len(fields)-1]))]
		if !ok || strconv.FormatUint(inode, 10) != string(fields[4]) {
			continue
		}
		from, to, ok := bytes.Cut(fields[0], []byte("-"))
		begin, err1 := strconv.ParseUint(string(from), 16, 64)
		end, err2 := strconv.ParseUint(string(to), 16, 64)
		if !ok || err1 != nil || err2 != nil || end <= begin {
			continue
		}
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(begin), uintptr(end-begin), unix.MADV_DONTNEED)
	}
}
