//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// canSuspend reports whether a shell can continue this process after it was suspended. There is none if the process
// leads its session's first group, or if the signal is ignored on purpose.
func canSuspend() bool {
	session, err := unix.Getsid(os.Getpid())
	return err == nil && session != syscall.Getpgrp() && !signal.Ignored(syscall.SIGTSTP)
}
