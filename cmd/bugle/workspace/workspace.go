// Package workspace implements the commands init and workspace, which create a workspace and edit its records.
package workspace

import (
	"cmp"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/phrase"
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
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	})
	cmd.AddCommand(newWorkspaceRecords(f)...)
	for _, former := range []*cobra.Command{
		newWorkspaceShow(f), newWorkspaceSet(f), newWorkspaceConnector(f), newWorkspaceContent(f),
		newWorkspaceUsers(f, "users"), newWorkspaceUsers(f, "profiles"), newWorkspaceUser(f, "user"), newWorkspaceUser(f, "profile"),
		newWorkspaceTest(f, "try"),
	} {
		former.Hidden = true // replaced by commands that work on every section
		cmd.AddCommand(former)
	}
	return cmd
}

// verbFirst refuses a verb after its section, such as `workspace users list`, and prints the right order.
func verbFirst(cmd *cobra.Command, args []string, section string) error {
	if len(args) == 0 {
		return nil
	}
	for cmd.Name() != "workspace" {
		cmd = cmd.Parent()
	}
	for _, c := range cmd.Commands() {
		if c.Name() == args[0] && c.IsAvailableCommand() {
			return cli.Misused("the command comes before the section: `bugle workspace %s`", strings.Join(append([]string{args[0], section}, args[1:]...), " "))
		}
	}
	return nil
}

func newWorkspaceShow(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "show",
		Short:             "Show the settings",
		Long:              "Show the settings. Use `bugle workspace list` and `bugle workspace get` instead.",
		Args:              cli.Exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := f.Settings(cmd.Context())
			if err != nil {
				return err
			}
			if f.JSON {
				return f.PrintJSON(w.Public())
			}
			return showWorkspace(&f.Printer, w)
		},
	}
}

func showWorkspace(p *cli.Printer, w engine.Workspace) error {
	rows := [][]string{{"id", w.ID}}
	for _, s := range settings() {
		rows = append(rows, []string{s.name, s.get(&w)})
	}
	for _, c := range w.Connectors {
		rows = append(rows, []string{"connector", fmt.Sprintf("%s (%s), sends to %s", c.Name, c.Type, providerWords(c))})
	}
	for _, g := range w.Gateways {
		rows = append(rows, []string{"push gateway", gatewayWords(g)})
	}
	for _, s := range w.Segments {
		rows = append(rows, []string{"segment", s.Name + ", " + phrase.Count(len(s.Members), "user")})
	}
	for _, k := range w.Keys {
		rows = append(rows, []string{"key", k.ID + " " + strings.Join(k.Scopes, " ")})
	}
	return p.Rows([]string{"SETTING", "VALUE"}, rows)
}

func providerWords(c engine.Connector) string {
	if c.Provider == engine.ProviderSMTP && c.SMTP != nil {
		return "SMTP " + net.JoinHostPort(c.SMTP.Host, strconv.Itoa(c.SMTP.Port))
	}
	return "the local outbox"
}
