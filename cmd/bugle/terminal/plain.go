package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/files"
	"bugle/engine/service/activity"
	"bugle/ui/accessible"
	"bugle/ui/screen"
)

// The environment variables that turn on accessible mode. The first is shared with other programs.
const (
	EnvAccessible    = "ACCESSIBLE"
	EnvOwnAccessible = "BUGLE_ACCESSIBLE"
)

// WantsAccessible reports whether the terminal program runs in accessible mode: with --accessible, or on a terminal with
// one of the variables.
func WantsAccessible(f *cli.Factory, accessible *pflag.Flag) bool {
	if accessible.Changed {
		return accessible.Value.String() == "true"
	}
	_, _, ok := f.Terminal()
	return ok && (isTrue(f.Getenv(EnvOwnAccessible)) || isTrue(f.Getenv(EnvAccessible)))
}

// isTrue reports whether the value of a variable turns something on.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

// RunAccessible runs the terminal program in accessible mode, as questions and answers.
func RunAccessible(ctx context.Context, f *cli.Factory, o Options) error {
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
	err = f.OpenEditor(ctx, file)
	after, rerr := os.ReadFile(file)
	if rerr == nil && string(after) != text {
		after, rerr = files.Decode(after)
	}
	if err = errors.Join(err, rerr); err != nil {
		// Keep the text although the editor failed.
		return "", fmt.Errorf("%w; your text is in %s", err, file)
	}
	return string(after), os.RemoveAll(dir)
}
