//go:build linux || darwin

package badger

import "golang.org/x/sys/unix"

// freeSpace returns the number of free bytes for the user on the disk of a folder.
func freeSpace(path string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
