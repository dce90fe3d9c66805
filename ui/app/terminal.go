package app

import (
	"context"
	"io"
	"os/exec"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

// takeover is a use of the terminal by something else than the program's screens. It implements [tea.ExecCommand].
type takeover struct {
	ctx context.Context
	run func(context.Context, io.Reader, io.Writer) error
	in  io.Reader
	out io.Writer
}

func (t *takeover) Run() error { return t.run(t.ctx, t.in, t.out) }

// SetStdin sets the input, unless there is one.
func (t *takeover) SetStdin(r io.Reader) {
	if t.in == nil {
		t.in = r
	}
}

// SetStdout sets the output, unless there is one.
func (t *takeover) SetStdout(w io.Writer) {
	if t.out == nil {
		t.out = w
	}
}

// SetStderr does nothing.
func (t *takeover) SetStderr(io.Writer) {}

func (o *Options) giveTerminal(msg screen.TakeTerminalMsg) tea.Cmd {
	done := make(chan error, 1)
	use := tea.Exec(&takeover{ctx: o.Context, run: msg.Run, in: o.Input, out: o.Output}, func(err error) tea.Msg {
		done <- err
		return nil // Exec sends its message from a goroutine of its own, so that the command would end before Then begins.
	})
	return tea.Sequence(use, func() tea.Msg {
		err := <-done
		// The mouse is off after another program has used the terminal.
		return RunMsg{func() tea.Cmd { return tea.Batch(tea.EnableMouseCellMotion, msg.Then(err)) }}
	})
}

// inTerminal returns what runs a process in the terminal.
func inTerminal(process func(context.Context) *exec.Cmd) func(context.Context, io.Reader, io.Writer) error {
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		cmd := process(ctx)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
		return cmd.Run()
	}
}
