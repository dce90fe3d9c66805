package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
)

const (
	// endTime is how long a command has to end after a signal.
	endTime = 1500 * time.Millisecond
	// closeTime is how long closing the store may take after that.
	closeTime = 10 * time.Second
)

// endBy is when the program ends after a signal at the latest, in nanoseconds of Unix time.
var endBy atomic.Int64

// Finish lets a command that is shutting down continue for up to limit, to complete work that must not be interrupted, such
// as the requests that a server is answering. Without it, the program exits 1.5 seconds after the signal.
func Finish(limit time.Duration) {
	to := time.Now().Add(limit).UnixNano()
	for by := endBy.Load(); by < to && !endBy.CompareAndSwap(by, to); by = endBy.Load() {
	}
}

// Until returns the exit code of run. Some time after ctx ends it no longer waits for run, because some waits cannot be
// interrupted: opening a FIFO, writing to a pipe that nobody reads. The program must end then, as after kill -9, which the
// store survives.
func Until(ctx context.Context, errs io.Writer, run func() int) int {
	done := make(chan int, 1)
	go func() { done <- run() }() // ends with the program at the latest
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
		Finish(endTime)
	}
	for left := endTime; left > 0; left = time.Until(time.Unix(0, endBy.Load())) {
		select {
		case code := <-done:
			return code
		case <-time.After(left):
		}
	}
	printed := time.AfterFunc(100*time.Millisecond, func() { os.Exit(ExitFailed) }) // nobody may read this either
	defer printed.Stop()
	fmt.Fprintln(errs, "bugle: interrupted, without waiting for what does not answer")
	return ExitFailed
}
