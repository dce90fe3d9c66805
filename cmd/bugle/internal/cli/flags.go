package cli

import "github.com/spf13/cobra"

// AddYes adds the flag --yes, with which a command does not ask.
func AddYes(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVarP(yes, "yes", "y", false, "do not ask")
}

// AddDryRun adds the flag --dry-run, with which a command changes nothing.
func AddDryRun(cmd *cobra.Command, dryRun *bool) {
	cmd.Flags().BoolVarP(dryRun, "dry-run", "n", false, "only print what would change")
}

// AddForce adds the flag --force, with which a command does what it refuses otherwise.
func AddForce(cmd *cobra.Command, force *bool, usage string) {
	cmd.Flags().BoolVar(force, "force", false, usage)
}

// AddBy adds the flag --by, which signs a change.
func AddBy(cmd *cobra.Command, by *string) {
	cmd.Flags().StringVar(by, "by", "", "`email` address to sign the change with (default that of a file, or the author of the workspace)")
}

// Mark returns the mark of what is in use in a list.
func Mark(on bool) string {
	if on {
		return "*"
	}
	return ""
}
