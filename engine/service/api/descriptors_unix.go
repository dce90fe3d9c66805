//go:build unix

package api

import (
	"math"

	"golang.org/x/sys/unix"
)

// descriptors returns the most files and connections of the process.
func descriptors() int {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return 1024 // what systems usually allow
	}
	return int(min(uint64(r.Cur), math.MaxInt32)) //nolint:unconvert // not everywhere
}
