package commands

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"bugle/engine/process"
)

// Limits of what is read from a command.
const (
	maxOutput = 4 << 20
	maxErrors = 64 << 10
)

// Result is what a command printed.
type Result = process.Result

// Job is a command that is ready to run. [Job.Close] must be called when it is not needed any more.
type Job struct {
	command Command
	dir     string // a private folder; empty if there is none
	env     []string
}

// Document is the text of the file that a command reads.
type Document struct{ Text, Suffix string }

// Prepare writes the file of a command, if it reads one, and collects its variables.
func (c Command) Prepare(d Data, doc Document) (*Job, error) {
	j := &Job{command: c}
	if c.UsesFile() {
		var err error
		if j.dir, err = os.MkdirTemp("", "bugle-command-"); err != nil {
			return nil, err
		}
		d.File = filepath.Join(j.dir, "value"+doc.Suffix)
		if err := os.WriteFile(d.File, []byte(doc.Text), 0o600); err != nil {
			j.Close()
			return nil, err
		}
	}
	var err error
	if j.env, err = c.script.environment(d); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// Question returns the question to ask before the command runs.
func (c Command) Question(d Data) string { return c.confirm.filled(d) }

// Close removes the file of the command.
func (j *Job) Close() {
	if j.dir != "" {
		_ = os.RemoveAll(j.dir) // a private folder in the system's temporary folder
	}
}

// Terminal returns the process of a command that has the terminal. It ends with ctx.
func (j *Job) Terminal(ctx context.Context) *exec.Cmd {
	cmd := process.Foreground(ctx, "sh", "-c", j.command.script.text)
	cmd.Env = append(os.Environ(), j.env...)
	return cmd
}

// Run runs the command until it ends, its time is up, or ctx ends. What it has started ends with it.
func (j *Job) Run(ctx context.Context) (Result, error) {
	limited, cancel := context.WithTimeout(ctx, j.command.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, "sh", "-c", j.command.script.text)
	cmd.Env = append(os.Environ(), j.env...)
	r, err := process.Run(cmd, process.Limits{Output: maxOutput, Errors: maxErrors})
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case limited.Err() != nil:
		return r, fmt.Errorf("it was stopped after %s; a longer timeout can be set in %s", j.command.Timeout, FileName)
	}
	return r, err
}
