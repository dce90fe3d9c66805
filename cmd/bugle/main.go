// Command bugle builds, tests and manages push and email campaigns in the terminal.
//
// # One keystroke
//
// What happens to a letter that is typed into a campaign's name:
//
//  1. ui/app passes the key to the screen on top of its stack, unless a dialog is open.
//  2. ui/builder passes it to the form, and forms to the field, which edits its text.
//  3. forms turns the text into a value and sets it in the document (engine/doc): a new tree, which shares the rest
//     with the old one.
//  4. engine/edit checks the state's locks, notes the old tree for undo, and validates the new one by the tables
//     (engine/schema).
//  5. The screen draws the letter and the problems. Everything from here on runs beside the keyboard.
//  6. engine/edit saves, one save at a time: what was typed meanwhile goes with the next.
//  7. engine/service/local compares the revision, so that nobody's change is overwritten unseen, and checks the size.
//  8. store writes the document, its summary row and a revision in one transaction; keys in one field within a short
//     time are one revision.
//  9. store/badger commits. Writers that wait share one fsync, and only then is the save acknowledged.
//  10. The index (engine/search/index) takes the new row, and other screens and terminals are told to read again.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // the time zones, because Windows and empty containers have none

	_ "bugle/cmd/bugle/internal/background/quiet" // must be imported before any terminal library; see the package

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/service/api"
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
	code := run(ctx, os.Args[1:], os.Getenv, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}

// endTime is how long the program may take to end after a signal. Serving takes longest: its requests are answered first.
const endTime = api.StopTime + 10*time.Second

// untilSignal returns a context that ends with the first of some signals. A second signal kills a program that is slow
// to stop: the default handling is restored before the context ends. Without one it ends after [endTime], because some waits
// cannot be interrupted, as that for the writer of a FIFO; the store survives that.
func untilSignal(ends ...os.Signal) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, ends...)
	go func() {
		select {
		case <-heard:
			time.AfterFunc(endTime, func() { os.Exit(cli.ExitFailed) })
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
