package builder

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit"
	"bugle/ui/screen"
)

// taskCompile is the kind of task that compiles MJML.
const taskCompile = "compile"

// compileFactor is how many times as long as the checks compiling waits, because it starts a program.
const compileFactor = 8

// compiler compiles the MJML of the edited document beside typing, once there was no edit for some time. Each edit
// cancels the run of the one before.
type compiler struct {
	edit  *edit.Session
	tasks *screen.Base
	delay time.Duration                           // from the last edit to the run
	done  func(edit.CompileResult, error) tea.Cmd // adopts the result of a run

	running edit.CompileFunc // nil if no run is under way
	next    func() tea.Cmd   // waits for the run; may be nil
}

// follow compiles the document if it was edited since the newest run.
func (c *compiler) follow() tea.Cmd {
	compile := c.edit.Compile()
	if compile == nil {
		return nil
	}
	c.running, c.next = compile, nil
	return c.run(c.delay)
}

func (c *compiler) run(delay time.Duration) tea.Cmd {
	compile := c.running
	return screen.Go(c.tasks, taskCompile, func(ctx context.Context) (edit.CompileResult, error) {
		if err := screen.Pause(ctx, delay); err != nil {
			return edit.CompileResult{}, err
		}
		return compile(ctx)
	}, c.done)
}

// before does something once the MJML of the document is compiled: at once where nothing is to be compiled, and not at all
// if the document is edited meanwhile.
func (c *compiler) before(next func() tea.Cmd) tea.Cmd {
	follow := c.follow()
	if c.running == nil {
		return next()
	}
	c.next = next
	return tea.Batch(follow, c.run(0))
}

// end notes the end of a run, and returns what waits for it.
func (c *compiler) end() (next func() tea.Cmd) {
	next = c.next
	c.running, c.next = nil, nil
	return next
}

// compiled adopts the result of a run. The form shows the MJML as before, and what is wrong with it.
func (s *Screen) compiled(r edit.CompileResult, err error) tea.Cmd {
	if err != nil {
		return nil
	}
	changed := s.edit.FinishCompile(r)
	s.showChecked()
	var cmd tea.Cmd
	if changed {
		s.reload()
		cmd = s.save("compiled MJML", true)
	}
	if next := s.compiler.end(); next != nil {
		cmd = tea.Batch(cmd, next())
	}
	return cmd
}
