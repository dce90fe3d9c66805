package builder

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit"
	"bugle/engine/message/mjml"
	"bugle/engine/schema"
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
	task  func(kind string, fn func(context.Context) (any, error)) tea.Cmd // starts a task of the screen
	delay time.Duration                                                    // from the last edit to the run
}

// follow compiles the document if it was edited since the newest run.
func (c *compiler) follow() tea.Cmd {
	compile := c.edit.Compile()
	if compile == nil {
		return nil
	}
	return c.task(taskCompile, func(ctx context.Context) (any, error) {
		if err := pause(ctx, c.delay); err != nil {
			return nil, err
		}
		return compile(ctx)
	})
}

// compiled adopts the result of a run. The form shows the MJML as before, and what is wrong with it.
func (s *Screen) compiled(r screen.Result) tea.Cmd {
	if r.Err != nil {
		return nil
	}
	changed := s.edit.FinishCompile(r.Value.(edit.CompileResult))
	s.panes.showChecked()
	if !changed {
		return nil
	}
	s.panes.reload()
	return s.saver.save("compiled MJML", true)
}

// sourceOf returns the MJML that the text of a field was compiled from.
func sourceOf(n *schema.Node, text string) (string, bool) {
	if !mjml.InField(n) {
		return "", false
	}
	return mjml.Source(text)
}
