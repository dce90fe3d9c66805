//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// canSuspend reports whether there is a shell that continues this process once it was suspended: not
// where its group is its session's first, nor where the signal is ignored on purpose.
func canSuspend() bool {
	session, err := unix.Getsid(os.Getpid())
	return err == nil && session != syscall.Getpgrp() && !signal.Ignored(syscall.SIGTSTP)
}
