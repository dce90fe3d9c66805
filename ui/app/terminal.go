package app

import (
	"context"
	"os/exec"

	tea "github.com/charmbracelet/bubbletea"
)

// inTerminalMsg hands the terminal over to a process until that ends, at the latest with the context. then receives its error.
type inTerminalMsg struct {
	process func(context.Context) *exec.Cmd
	then    func(error) tea.Cmd
}

func (o *Options) giveTerminal(msg inTerminalMsg) tea.Cmd {
	process := msg.process(o.Context)
	process.Stdin, process.Stdout, process.Stderr = o.Input, o.Output, o.Output
	done := make(chan error, 1)
	use := tea.ExecProcess(process, func(err error) tea.Msg {
		done <- err
		return nil // Exec sends its message from a goroutine of its own, so that the command would end before then begins.
	})
	return tea.Sequence(use, func() tea.Msg {
		err := <-done
		// The mouse is off after another program has used the terminal.
		return RunMsg{func() tea.Cmd { return tea.Batch(tea.EnableMouseCellMotion, msg.then(err)) }}
	})
}
