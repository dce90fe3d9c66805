//go:build unix && !aix && !solaris

package badger

// SetFlock makes taking a lock fail so, until undo.
func SetFlock(err error) (undo func()) {
	old := flock
	flock = func(int, int) error { return err }
	return func() { flock = old }
}
