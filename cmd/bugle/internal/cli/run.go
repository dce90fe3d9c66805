package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Run runs the command in args with the command tree that tree returns for a factory, prints its error, and returns the
// exit code.
func Run(ctx context.Context, args []string, getenv func(string) string, io Streams, tree func(*Factory) *cobra.Command) int {
	out := &checkedWriter{w: io.Out}
	io.Out = out
	f := New(io, getenv)
	root := tree(f)
	root.SetArgs(args)
	root.SetFlagErrorFunc(flagError)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !f.running { // an error of cobra before a command ran
		err = Misuse(err)
		f.JSON = f.JSON || slices.Contains(args, "--json")
	}
	if ExitCode(err) == ExitMisused && remedy(err) == "" {
		err = WithRemedy(err, "See `"+cmd.CommandPath()+" --help`.")
	}
	damaged := f.Notices.takeDamage()
	f.printNotices(f.Notices.Take())
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	code := report(f, out.failure(err))
	if len(damaged) > 0 { // whatever the command could do without what is damaged
		code = report(f, WithRemedy(damageError(strings.Join(damaged, "\n")), damageRemedy))
	}
	if f.Last != nil {
		f.Last()
	}
	return code
}

// flagError returns the error of a flag in words.
func flagError(_ *cobra.Command, err error) error {
	var flag *pflag.InvalidValueError
	if !errors.As(err, &flag) || !errors.As(err, new(*strconv.NumError)) {
		return err
	}
	kind := "a whole number"
	if flag.GetFlag().Value.Type() == "bool" {
		kind = "true or false"
	}
	return fmt.Errorf("--%s must be %s, not %q", flag.GetFlag().Name, kind, flag.GetValue())
}
