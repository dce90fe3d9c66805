// Command bugle builds push and e-mail campaigns in the terminal, sends tests of them, and
// looks after what is live.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	_ "bugle/cmd/bugle/internal/background/quiet" // before any terminal library: see there
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
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
	out, okOut := s.out.(*os.File)
	return in, out, okIn && okOut && isTerminal(in) && isTerminal(out)
}

// run does what the arguments ask for and gives the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, io streams) int {
	f := &factory{streams: io, getenv: getenv}
	root := newRoot(f)
	root.SetArgs(args)
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	err := root.ExecuteContext(ctx)
	if cerr := f.close(); err == nil {
		err = cerr
	}
	return report(f, err)
}
