//go:build !linux && !darwin && !freebsd

package badger

import "errors"

// ownLock reports whether lockFolder takes a lock.
const ownLock = false

// lockFolder does nothing: the database's own lock excludes a second process.
func lockFolder(string) (release func(), err error) { return func() {}, nil }

// freeSpace is not supported on this system: a full disk is only noticed when a write fails.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
