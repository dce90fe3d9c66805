package app

import (
	"context"
	"io"

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

// terminalBackMsg reports that the terminal is the program's again.
type terminalBackMsg struct {
	then func(error) tea.Cmd
	err  error
}

func (o *Options) giveTerminal(msg screen.TakeTerminalMsg) tea.Cmd {
	return tea.Exec(&takeover{ctx: o.Context, run: msg.Run, in: o.Input, out: o.Output}, func(err error) tea.Msg { return terminalBackMsg{msg.Then, err} })
}

// finish turns the mouse on again, and says how it ended.
func (m terminalBackMsg) finish() tea.Cmd { return tea.Batch(tea.EnableMouseCellMotion, m.then(m.err)) }
