// Command bugle builds, tests and manages push and email campaigns in the terminal.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // the time zones, because Windows and empty containers have none

	_ "bugle/cmd/bugle/internal/background/quiet" // must be imported before any terminal library; see the package

	"bugle/cmd/bugle/internal/cli"
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // unless nohup ignores it
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := untilSignal(ends...)
	// Writing to a closed pipe returns an error and must not end the program, so that the store is closed as usual. Use
	// Notify rather than Ignore, because an editor would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := cli.Until(ctx, os.Stderr, func() int {
		return run(ctx, os.Args[1:], os.Getenv, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	})
	stop()
	os.Exit(code)
}

// untilSignal returns a context that ends with the first of some signals. A second signal kills a program that is slow
// to stop: the default handling is restored before the context ends.
func untilSignal(ends ...os.Signal) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, ends...)
	go func() {
		select {
		case <-heard:
		case <-ctx.Done():
		}
		signal.Stop(heard)
		cancel()
	}()
	return ctx, cancel
}

// run runs the command in the arguments and returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, io cli.Streams) int {
	return cli.Run(ctx, args, getenv, io, newRoot)
}
