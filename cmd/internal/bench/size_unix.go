//go:build unix

package bench

import (
	"io/fs"
	"syscall"
)

// allocated gives the bytes that a file has on the disk.
func allocated(info fs.FileInfo) (int64, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int64(st.Blocks) * 512, true // whatever the file system's blocks are (stat(2))
}
