// Package workspace implements the commands init and workspace, which create a workspace and edit its records.
package workspace

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
)

// New returns the command bugle workspace.
func New(f *cli.Factory) *cobra.Command {
	cmd := listing(everySection, &cobra.Command{
		Use:   "workspace",
		Short: "Manage settings, users, connectors and content",
		Long: "A workspace has sections with records: settings, users, connectors, content and more. The same\n" +
			"commands work on every section.",
		Example: "  bugle workspace list\n" +
			"  bugle workspace list users berlin\n" +
			"  bugle workspace put general publish=enabled\n" +
			"  bugle workspace get connectors 'Demo mail'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if s, err := section(args[0]); err == nil {
					return cmp.Or(verbFirst(cmd, args[1:], s.ID), cli.Misused("the command comes before the section: `bugle workspace list %s`", s.ID))
				}
			}
			return cli.NoCommand(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	})
	cmd.AddCommand(newWorkspaceRecords(f)...)
	return cmd
}

// verbFirst refuses a verb after its section, such as `workspace users list`, and prints the right order.
func verbFirst(cmd *cobra.Command, args []string, section string) error {
	if len(args) == 0 {
		return nil
	}
	for _, c := range cmd.Commands() {
		if c.Name() == args[0] && c.IsAvailableCommand() {
			return cli.Misused("the command comes before the section: `bugle workspace %s`", strings.Join(append([]string{args[0], section}, args[1:]...), " "))
		}
	}
	return nil
}
