//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"bugle/engine/attach"
)

const (
	// yieldLimit is how long a user who presses ctrl+z waits for calls that run.
	yieldLimit = time.Second
	// stopLimit is how long the system may take to stop a process that asks for it.
	stopLimit = 200 * time.Millisecond
)

// suspendable has the node let the store go before the process is suspended (SIGTSTP: ctrl+z, or
// what a terminal program does with that key), so that others can have it, and take part again when
// it is continued. It ends with the node.
func suspendable(node *attach.Node) {
	if signal.Ignored(syscall.SIGTSTP) {
		return
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTSTP)
	states := node.States(context.Background())
	go func() {
		defer signal.Stop(asked)
		for {
			select {
			case <-asked:
				suspend(node, asked)
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
func suspend(node *attach.Node, asked chan<- os.Signal) {
	ctx, cancel := context.WithTimeout(context.Background(), yieldLimit)
	_ = node.Yield(ctx)
	cancel()
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	signal.Reset(syscall.SIGTSTP)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTSTP)
	select {
	case <-continued:
	case <-time.After(stopLimit):
		// No shell is there to continue it, and the system has let it go on. Who waits to be
		// continued in this process waits no longer.
		_ = syscall.Kill(os.Getpid(), syscall.SIGCONT)
	}
	signal.Notify(asked, syscall.SIGTSTP)
	node.Rejoin()
}
