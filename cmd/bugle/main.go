// Command bugle builds, tests and manages push and email campaigns in the terminal.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	_ "bugle/cmd/bugle/internal/background/quiet" // before any terminal library: see there
	_ "bugle/cmd/bugle/internal/heap"             // before what allocates
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := untilSignal(ends...)
	// A closed pipe is an error of the write and does not end the program, so that the store is closed as always.
	// Notify, because an editor would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := run(ctx, os.Args[1:], os.Getenv, streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
}

// untilSignal returns a context that ends with the first of some signals. A second signal ends a program that is slow
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

// streams are the standard streams of the program.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// terminal returns the files of the streams if both are a terminal.
func (s streams) terminal() (in, out *os.File, ok bool) {
	in, okIn := s.in.(*os.File)
	out, okOut := fileOf(s.out)
	return in, out, okIn && okOut && isTerminal(in) && isTerminal(out)
}

// run runs the command in the arguments and returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, io streams) int {
	return execute(ctx, args, getenv, io, newRoot)
}

// execute runs the command in the arguments, of the tree of commands that a factory is handed to, prints its error and
// returns the exit code.
func execute(ctx context.Context, args []string, getenv func(string) string, io streams, tree func(*factory) *cobra.Command) int {
	out := &checkedWriter{w: io.out}
	io.out = out
	f := newFactory(io, getenv)
	root := tree(f)
	noteRunning(f, root)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !f.running { // an error of cobra itself, before a command ran
		err = misuse(err)
		f.json = f.json || wantsJSON(args)
	}
	if exitCode(err) == exitMisused && remedy(err) == "" {
		err = withRemedy(err, "See `"+cmd.CommandPath()+" --help`.")
	}
	f.sayNotices()
	if cerr := f.close(); err == nil {
		err = cerr
	}
	if err == nil || errors.Is(err, out.err) {
		err = out.failure()
	}
	code := report(f, err)
	if f.last != nil {
		f.last()
	}
	return code
}

// wantsJSON reports whether --json is among arguments that could not be parsed.
func wantsJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}
