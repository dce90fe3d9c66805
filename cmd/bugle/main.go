// Command bugle builds push and e-mail campaigns in the terminal, sends tests of them, and
// looks after what is live.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	_ "bugle/cmd/bugle/internal/background/quiet" // before any terminal library: see there
	_ "bugle/cmd/bugle/internal/heap"             // before what allocates
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := untilSignal(ends...)
	// A reader that has left is an error of the write, not the end of the program: the store is
	// closed as always. Notify, as what is ignored would be ignored by an editor as well.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := run(ctx, os.Args[1:], os.Getenv, streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
}

// untilSignal returns a context that ends with the first of some signals. The second one ends a program that takes
// its time to stop: what signals do is restored before anybody hears that the context has ended.
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

// streams are where the program reads and writes. A test gives its own.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// terminal gives the files behind the streams where both are a terminal.
func (s streams) terminal() (in, out *os.File, ok bool) {
	in, okIn := s.in.(*os.File)
	out, okOut := fileOf(s.out)
	return in, out, okIn && okOut && isTerminal(in) && isTerminal(out)
}

// run does what the arguments ask for and gives the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, io streams) int {
	out := &checkedWriter{w: io.out}
	io.out = out
	f := &factory{streams: io, getenv: getenv}
	root := newRoot(f)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !f.running { // cobra's own refusals, of arguments that no command has seen
		err = usageError{err}
		f.json = f.json || wantsJSON(args)
	}
	if exitCode(err) == exitMisused && remedy(err) == "" {
		err = remedied{err, "See `" + cmd.CommandPath() + " --help`."}
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

// wantsJSON looks for --json among arguments that could not be read to their end.
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
