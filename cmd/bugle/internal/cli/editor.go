package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"bugle/engine/process"
)

// EditorCommand returns the command that opens a file: VISUAL, EDITOR, or the first one found.
func EditorCommand(getenv func(string) string, file string) ([]string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		words, err := process.Words(getenv(name))
		if err != nil {
			return nil, fmt.Errorf("cannot parse %s: %w", name, err)
		}
		if len(words) > 0 {
			return append(words, file), nil
		}
	}
	for _, name := range []string{"sensible-editor", "nano", "vi"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path, file}, nil
		}
	}
	return nil, errors.New("no editor found; set EDITOR")
}

// OpenEditor opens a file in the user's editor, and waits until it is closed. Without a terminal, only an editor that the
// user has set is started: one that was found would wait for keys forever.
func (f *Factory) OpenEditor(ctx context.Context, file string) error {
	in, out, ok := f.Terminal()
	if !ok && f.Getenv("VISUAL") == "" && f.Getenv("EDITOR") == "" {
		return Misused("an editor needs a terminal; set EDITOR to a program that needs none, or use `bugle update`")
	}
	args, err := EditorCommand(f.Getenv, file)
	if err != nil {
		return err
	}
	cmd := process.Foreground(ctx, args[0], args[1:]...)
	if cmd.Stdin, cmd.Stdout, cmd.Stderr = f.In, f.Err, f.Err; ok {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor %s failed: %w", args[0], err)
	}
	return nil
}
