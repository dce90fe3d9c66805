//go:build linux || darwin || freebsd

package badger

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"bugle/store"
)

// ownLock reports whether lockFolder takes a lock.
const ownLock = true

// lockFolder takes a lock on a folder, or fails with errHeld. Badger's own lock would end too late: it ends when its file
// is closed in all processes, and a process that this one is just starting has that file open for a moment.
func lockFolder(path string) (release func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the folder: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errHeld
		}
		return nil, fmt.Errorf("%w (%w)", store.ErrLocksUnsupported, err)
	}
	return func() {
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
		_ = f.Close()
	}, nil
}

// freeSpace returns the number of free bytes for the user on the disk of a folder.
func freeSpace(path string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}
