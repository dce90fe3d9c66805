//go:build !linux

package bench

import "os"

// datasync makes the contents of a file durable.
func datasync(f *os.File) error { return f.Sync() }
