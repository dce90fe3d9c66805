package terminal

import (
	"context"
	"errors"

	"github.com/atotto/clipboard"
	"github.com/charmbracelet/bubbletea"
	"github.com/spf13/pflag"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/service/activity"
	"bugle/themes"
	"bugle/ui/plain"
)

// The environment variables that turn on plain mode. The first is shared with other programs.
const (
	EnvAccessible    = "ACCESSIBLE"
	EnvOwnAccessible = "BUGLE_ACCESSIBLE"
)

// WantsPlain reports whether the terminal program runs in plain mode: with --accessible, or on a terminal that can only print
// or with one of the variables.
func WantsPlain(f *cli.Factory, accessible *pflag.Flag) bool {
	if accessible.Changed {
		return accessible.Value.String() == "true"
	}
	_, _, ok := f.Terminal()
	isSet := func(name string) bool {
		on, err := cli.ParseOnOff(f.Getenv(name))
		return f.Getenv(name) != "" && (on || err != nil)
	}
	return ok && (f.Getenv("TERM") == "dumb" || isSet(EnvOwnAccessible) || isSet(EnvAccessible))
}

// RunPlain runs the terminal program in plain mode, in lines.
func RunPlain(ctx context.Context, f *cli.Factory, o Options) error {
	log := &activity.Log{}
	open, err := Open(ctx, f, log)
	if err != nil {
		return err
	}
	if open.far != nil {
		defer open.far.Close()
	}
	own := newPersonal(&f.Environment, true)
	open.Deps.Theme = themes.Plain()
	options := open.options(ctx, f, o, own, nil, log)
	in, out, typed := f.Terminal()
	if typed {
		options.Input, options.Output = in, out
	}
	options.Clipboard = clipboard.WriteAll // a control sequence would be read aloud, or be in the file that the lines go to
	program, err := plain.New(plain.Options{App: options, In: f.In, Out: f.Out, Interactive: typed})
	if err != nil {
		return err
	}
	err = open.run(ctx, f, program.Program)
	if errors.Is(err, tea.ErrProgramKilled) {
		err = nil
	}
	return errors.Join(err, program.Close(), open.Deps.Prefs.Flush())
}
