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
		Long: "Shows the version of bugle, and the commit that it was built from. The version is devel if it was not\n" +
			"built by a release. Include all of it when you report a problem.",
		Example: "  bugle version\n  bugle version --json",
		Args:    cli.Exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			b := cli.ThisBuild()
			if f.JSON {
				return f.PrintJSON(b)
			}
			fmt.Fprintf(f.Out, "bugle version %s\n", b.Version)
			if b.Commit != "" {
				changes := ""
				if b.Modified {
					changes = ", with uncommitted changes"
				}
				fmt.Fprintf(f.Out, "Commit:  %s%s\n", b.Commit, changes)
			}
			if !b.CommitDate.IsZero() {
				fmt.Fprintf(f.Out, "Date:    %s\n", b.CommitDate.Format("2006-01-02 15:04 UTC"))
			}
			fmt.Fprintf(f.Out, "Go:      %s, %s\n", b.Go, b.Platform)
			return nil
		},
	}
}
