//go:build !linux

package bench

import (
	"os"
	"time"
)

// datasync makes the contents of a file durable.
func datasync(f *os.File) error { return f.Sync() }

func sleepExactly(d time.Duration) { time.Sleep(d) }

// suspend does nothing: what other servers do meanwhile is measured, too.
func suspend(*os.Process, bool) error { return nil }
