//go:build !unix

package bench

import "io/fs"

// allocated gives the bytes that a file has on the disk.
func allocated(fs.FileInfo) (int64, bool) { return 0, false }
