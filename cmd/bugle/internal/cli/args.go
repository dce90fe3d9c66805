package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// NoCommand returns an error for arguments of a command that only has subcommands, and suggests the closest one.
func NoCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := ""
	if cmd.SuggestionsMinimumDistance == 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if names := cmd.SuggestionsFor(args[0]); len(names) > 0 {
		near = "; did you mean " + strings.Join(names, " or ") + "?"
	}
	return Misused("unknown command %q%s", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "bugle "), near)
}

// Exactly requires n arguments, described by what.
func Exactly(n int, what string) cobra.PositionalArgs { return Between(n, n, what) }

// Between requires from least to most arguments, described by what.
func Between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return Misused("%s", Takes(cmd, what))
		}
		return nil
	}
}

// Takes describes the arguments of a command for an error.
func Takes(cmd *cobra.Command, what string) string {
	return strings.TrimPrefix(cmd.CommandPath(), "bugle ") + " takes " + what
}
