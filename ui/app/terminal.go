package app

import (
	"context"
	"io"
	"os/exec"

	tea "github.com/charmbracelet/bubbletea"
)

// inTerminalMsg hands the terminal over to a process until that ends, at the latest with the context. then receives its error.
type inTerminalMsg struct {
	process func(context.Context) *exec.Cmd
	then    func(error) tea.Cmd
}

// takeover is a process that has the terminal. It implements [tea.ExecCommand].
type takeover struct {
	ctx     context.Context
	process func(context.Context) *exec.Cmd
	in      io.Reader
	out     io.Writer
}

func (t *takeover) Run() error {
	cmd := t.process(t.ctx)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.in, t.out, t.out
	return cmd.Run()
}

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

func (o *Options) giveTerminal(msg inTerminalMsg) tea.Cmd {
	done := make(chan error, 1)
	use := tea.Exec(&takeover{ctx: o.Context, process: msg.process, in: o.Input, out: o.Output}, func(err error) tea.Msg {
		done <- err
		return nil // Exec sends its message from a goroutine of its own, so that the command would end before then begins.
	})
	return tea.Sequence(use, func() tea.Msg {
		err := <-done
		// The mouse is off after another program has used the terminal.
		return RunMsg{func() tea.Cmd { return tea.Batch(tea.EnableMouseCellMotion, msg.then(err)) }}
	})
}
