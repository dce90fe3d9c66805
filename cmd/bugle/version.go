package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
)

// newVersion returns the command bugle version.
func newVersion(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of bugle",
		Long: "Shows the version of bugle, and the commit that a release was built from. Other builds are called devel.\n" +
			"Include all of it when you report a problem.",
		Example: "  bugle version\n  bugle version --json",
		Args:    cli.Exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			b := cli.ThisBuild()
			if f.JSON {
				return f.PrintJSON(b)
			}
			fmt.Fprintf(f.Out, "bugle version %s\n", b.Version)
			if b.Commit != "" {
				fmt.Fprintf(f.Out, "Commit:  %s\nDate:    %s\n", b.Commit, b.CommitDate.Format("2006-01-02 15:04 UTC"))
			}
			fmt.Fprintf(f.Out, "Go:      %s, %s\n", b.Go, b.Platform)
			return nil
		},
	}
}
