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

// yieldLimit is how long a user who presses ctrl+z waits for running calls.
const yieldLimit = time.Second

// suspendable makes the store available to other processes before this process is suspended (SIGTSTP: ctrl+z, or what a
// terminal program does with that key), and takes part again when it is continued. It ends with the db.
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

// suspend stops this process, and returns when it was continued. If calls are still running, the process keeps the
// store, and others are told which process has it. A process that leads its session's first group has no shell that
// could continue it. As the system does, suspend then lets it run on, and stops waiting for it to be continued.
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
	// Not SIGTSTP: once a process has handled that signal, the system's own handling cannot be restored.
	_ = syscall.Kill(self, syscall.SIGSTOP)
	<-continued
	db.Rejoin()
}
