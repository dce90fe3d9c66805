//go:build unix

package bench

import (
	"io/fs"
	"syscall"
)

// allocated returns the bytes that a file occupies on the disk.
func allocated(info fs.FileInfo) (int64, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int64(st.Blocks) * 512, true // independent of the file system's block size (stat(2))
}
