//go:build unix && !aix && !solaris

package badger

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"bugle/store"
)

var flock = unix.Flock // changed by tests

var errHeld = errors.New("another process has the store open")

// ownLock reports whether lockFolder takes a lock.
const ownLock = true

// lockFolder takes the lock on a folder that Badger would take. Badger's own lock would end too late: it ends when its
// file is closed in all processes, and a process that this one is just starting has that file open for a moment.
func lockFolder(path string) (release func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the folder: %w", err)
	}
	err = flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for errors.Is(err, unix.EINTR) {
		err = flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errHeld
		}
		return nil, fmt.Errorf("%w (%w)", store.ErrLocksUnsupported, err)
	}
	return func() {
		_ = flock(int(f.Fd()), unix.LOCK_UN)
		_ = f.Close()
	}, nil
}
