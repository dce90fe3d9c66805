package bench

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync makes the contents of a file durable.
func datasync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
