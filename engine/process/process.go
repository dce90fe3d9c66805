// Package process runs other programs: with limits for what they print, and so that what they have started ends with
// them.
package process

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// stopDelay is how long a program has to end after it was told to, and how long its output may stay open after it has
// ended.
const stopDelay = 700 * time.Millisecond // a program that ends waits for what it runs, and ends within a second

// Limits are how many bytes of its output and of its standard error are kept.
type Limits struct{ Output, Errors int }

// Result is what a program printed.
type Result struct {
	Output string
	Errors string // standard error
	// Cut reports whether the output was longer than its limit.
	Cut bool
}

// Run runs a program until it ends, or until the context that cmd was made with ends. On Unix, the programs that it has
// started end with it. Its output and standard error must not be set.
func Run(cmd *exec.Cmd, limits Limits) (Result, error) {
	cmd.WaitDelay = stopDelay
	out, errs := bounded{limit: limits.Output}, bounded{limit: limits.Errors}
	cmd.Stdout, cmd.Stderr = &out, &errs
	killGroup := group(cmd)
	err := cmd.Run()
	killGroup()
	if errors.Is(err, exec.ErrWaitDelay) { // it has ended, and something that it started held its output
		err = nil
	}
	return Result{Output: out.text.String(), Errors: errs.text.String(), Cut: out.cut}, err
}

// Foreground returns a program that has the user's terminal, such as an editor. It is told to end when ctx ends, and
// killed if it does not.
func Foreground(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopDelay
	return cmd
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	text  bytes.Buffer
	limit int
	cut   bool
}

func (b *bounded) Write(p []byte) (int, error) {
	n := len(p)
	if room := b.limit - b.text.Len(); len(p) > room {
		p, b.cut = p[:room], true
	}
	b.text.Write(p)
	return n, nil
}
