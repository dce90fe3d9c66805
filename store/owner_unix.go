//go:build unix

package store

import (
	"io/fs"
	"syscall"
)

// ownerID returns the id of the user who owns a file.
func ownerID(info fs.FileInfo) (int, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}
