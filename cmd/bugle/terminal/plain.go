package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/files"
	"bugle/engine/process"
	"bugle/engine/service/activity"
	"bugle/ui/accessible"
	"bugle/ui/screen"
)

// The environment variables that turn on accessible mode. The first is shared with other programs.
const (
	EnvAccessible    = "ACCESSIBLE"
	EnvOwnAccessible = "BUGLE_ACCESSIBLE"
)

// AddAccessible adds accessible mode to root. The flag always applies, the environment variables only on a terminal.
func AddAccessible(f *cli.Factory, root *cobra.Command, o *Options) {
	wanted := root.Flags().Bool("accessible", false, "use plain questions and answers, for screen readers and pipes")
	screens := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		_, _, ok := f.Terminal()
		if *wanted || ok && !cmd.Flags().Changed("accessible") && (isTrue(f.Getenv(EnvOwnAccessible)) || isTrue(f.Getenv(EnvAccessible))) {
			return runAccessible(cmd.Context(), f, *o)
		}
		return screens(cmd, args)
	}
}

// isTrue reports whether the value of a variable turns something on.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

// runAccessible runs the terminal program in accessible mode, as questions and answers.
func runAccessible(ctx context.Context, f *cli.Factory, o Options) error {
	open, err := Open(ctx, f, &activity.Log{})
	if err != nil {
		return err
	}
	if open.far != nil {
		defer open.far.Close()
	}
	_, _, typed := f.Terminal()
	deps, err := open.withoutActivity(ctx, open.Deps)
	if err != nil {
		return err
	}
	p := accessible.Options{Deps: deps, Query: o.Query, In: f.In, Out: f.Out, Interactive: typed}
	if open.First == screen.Welcome {
		p.Start = func(ctx context.Context, sample bool) (screen.Deps, error) {
			deps, err := open.start(ctx, sample)
			if err != nil {
				return deps, err
			}
			return open.withoutActivity(ctx, deps)
		}
	}
	if typed {
		p.Edit = func(ctx context.Context, text, suffix string) (string, error) { return editText(ctx, f, text, suffix) }
	}
	return accessible.Run(ctx, p)
}

// withoutActivity returns dependencies that use the workspace directly, because accessible mode does not show calls.
func (o opening) withoutActivity(ctx context.Context, deps screen.Deps) (screen.Deps, error) {
	if o.store == nil || deps.Service == nil {
		return deps, nil
	}
	svc, err := o.store.Service(ctx, deps.Workspace)
	deps.Service = svc
	return deps, err
}

// editText opens a text in the user's editor, and returns the result.
func editText(ctx context.Context, f *cli.Factory, text, suffix string) (string, error) {
	dir, err := os.MkdirTemp("", "bugle-edit-")
	if err != nil {
		return "", fmt.Errorf("cannot open the editor: %w", cli.Cause(err))
	}
	file := filepath.Join(dir, "text"+suffix)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", errors.Join(fmt.Errorf("cannot open the editor: %w", cli.Cause(err)), os.RemoveAll(dir))
	}
	args, err := cli.EditorCommand(f.Getenv, file)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	in, out, _ := f.Terminal()
	cmd := process.Foreground(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	err = cmd.Run()
	after, rerr := os.ReadFile(file)
	if rerr == nil && string(after) != text {
		after, rerr = files.Decode(after)
	}
	if err = errors.Join(err, rerr); err != nil {
		// Keep the text although the editor failed.
		return "", fmt.Errorf("the editor failed (%w); your text is in %s", err, file)
	}
	return string(after), os.RemoveAll(dir)
}
