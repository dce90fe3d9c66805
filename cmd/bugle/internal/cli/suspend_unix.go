//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"bugle/store/socket"
)

// yieldLimit is how long a user who presses ctrl+z waits for calls that run.
const yieldLimit = time.Second

// suspendable has the db let the store go before the process is suspended (SIGTSTP: ctrl+z, or
// what a terminal program does with that key), so that others can have it, and take part again when
// it is continued. It ends with the db.
func suspendable(db *socket.DB) {
	if signal.Ignored(syscall.SIGTSTP) {
		return
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTSTP)
	states := db.States(context.Background())
	go func() {
		defer signal.Stop(asked)
		for {
			select {
			case <-asked:
				suspend(db)
			case _, open := <-states:
				if !open {
					return
				}
			}
		}
	}()
}

// suspend stops this process, and returns when it was continued. Where calls go on, it keeps the
// store; others are told then which process has it.
//
// A process whose group is its session's first has no shell that could continue it: as the system
// does, it is let go on, and who waits in it to be continued waits no longer.
func suspend(db *socket.DB) {
	self := os.Getpid()
	if session, err := unix.Getsid(0); err != nil || session == syscall.Getpgrp() {
		_ = syscall.Kill(self, syscall.SIGCONT)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), yieldLimit)
	_ = db.Yield(ctx)
	cancel()
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	// Not SIGTSTP: who has asked for that one once never gets the system's own way with it back.
	_ = syscall.Kill(self, syscall.SIGSTOP)
	<-continued
	db.Rejoin()
}
