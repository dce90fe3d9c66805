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

// lockFolder takes the lock on a folder that the database also takes, so that its files can be read and replaced before
// it opens.
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
	return func() { _ = f.Close() }, nil
}
