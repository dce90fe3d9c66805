//go:build !unix || aix || solaris

package badger

import "errors"

var errHeld = errors.New("another process has the store open")

// ownLock reports whether lockFolder takes a lock.
const ownLock = false

// lockFolder does nothing: the database's own lock excludes a second process.
func lockFolder(string) (release func(), err error) { return func() {}, nil }
