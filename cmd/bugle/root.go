package main

import (
	"github.com/spf13/cobra"
)

// newRoot makes the command tree.
func newRoot(f *factory) *cobra.Command {
	root := &cobra.Command{
		Use:   "bugle",
		Short: "Build push and e-mail campaigns in the terminal",
		Long: "bugle is a terminal program in which push and e-mail campaigns are built component by\n" +
			"component, tested on a few people, and looked after. Without a command it opens.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misused("there is no command %q", args[0])
			}
			return nil
		},
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, _, ok := f.terminal(); ok {
				return runTerminal(cmd.Context(), f)
			}
			return printSummary(cmd.Context(), f)
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&f.data, "data", "", "folder of the store (default: BUGLE_DATA, or the XDG data folder)")
	flags.StringVar(&f.workspace, "workspace", "", "id of the workspace, where there are several")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(commands(f)...)
	return root
}
