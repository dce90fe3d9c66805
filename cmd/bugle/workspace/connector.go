package workspace

import (
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/providers"
)

// connectorFlags describe a connector.
type connectorFlags struct {
	kind, addr string
	smtp       engine.SMTP
	remove     bool
}

func newWorkspaceConnector(f *cli.Factory) *cobra.Command {
	var c connectorFlags
	cmd := &cobra.Command{
		Use:   "connector NAME",
		Short: "Add, change or remove a connector",
		Long: "Add an email connector, or replace the one with that name. Use `bugle workspace put connectors` instead.\n" +
			"Without --smtp, email stays in the local outbox. The password is never stored: --password-env names\n" +
			"the environment variable that has it.",
		Args:              cli.Exactly(1, "the name of a connector"),
		ValidArgsFunction: completeConnectors(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := c.connector(args[0])
			if err != nil {
				return err
			}
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			if err := svc.UpdateWorkspace(cmd.Context(), func(w *engine.Workspace) error { return c.apply(w, &conn) }); err != nil {
				return cli.AsUsage(err)
			}
			return printConnector(&f.Printer, conn, c.remove)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&c.kind, "type", "", "connector `type` (default the current one, or "+cli.DefaultConnectorType+")")
	fl.StringVar(&c.addr, "smtp", "", "`HOST:PORT` of the mail server")
	c.smtp.TLS, c.smtp.Auth = string(delivery.TLSStart), string(delivery.AuthNone)
	cli.ChoiceFlag(cmd, cli.OneOf(&c.smtp.TLS, cli.TLSChoices), "tls", "`encryption`: none, starttls, opportunistic or tls")
	cli.ChoiceFlag(cmd, cli.OneOf(&c.smtp.Auth, cli.AuthChoices), "auth", "`login`: none, plain, login, cram-md5 or auto")
	fl.StringVar(&c.smtp.User, "user", "", "user `name`")
	fl.StringVar(&c.smtp.PasswordEnv, "password-env", "", "environment `variable` with the password")
	fl.BoolVar(&c.remove, "remove", false, "remove the connector")
	cmd.AddCommand(newConnectorAdd(f), newConnectorList(f), newConnectorTest(f), newConnectorKey(f), newConnectorRemove(f))
	return cmd
}

// connector returns the connector that the flags describe. It returns an error for settings that cannot work, rather
// than failing at the first test.
func (c *connectorFlags) connector(name string) (engine.Connector, error) {
	conn := engine.Connector{Type: c.kind, Name: name, Provider: engine.ProviderOutbox}
	if c.addr == "" || c.remove {
		return conn, nil
	}
	host, port, err := net.SplitHostPort(c.addr)
	if err == nil {
		c.smtp.Port, err = strconv.Atoi(port)
	}
	if err != nil || c.smtp.Port == 0 {
		return conn, cli.Misused("--smtp must be HOST:PORT, such as mail.example.com:587, not %q", c.addr)
	}
	c.smtp.Host = host
	conn.Provider, conn.SMTP = engine.ProviderSMTP, &c.smtp
	if _, err = delivery.NewSMTP(providers.SMTPConfig(c.smtp)); err != nil {
		return conn, cli.Misuse(err)
	}
	return conn, nil
}

// apply changes the settings, and completes conn with the type that it had before.
func (c *connectorFlags) apply(w *engine.Workspace, conn *engine.Connector) error {
	i := slices.IndexFunc(w.Connectors, func(have engine.Connector) bool {
		return have.Name == conn.Name && (c.kind == "" || have.Type == c.kind)
	})
	if i < 0 && c.kind != "" { // the connector with that name changes its type
		i = slices.IndexFunc(w.Connectors, func(have engine.Connector) bool { return have.Name == conn.Name })
	}
	switch {
	case c.remove && i < 0:
		return cli.Misused("no connector named %q; `bugle workspace list connectors` lists them", conn.Name)
	case c.remove:
		w.Connectors = slices.Delete(w.Connectors, i, i+1)
		return nil
	case i < 0:
		if conn.Type == "" {
			conn.Type = cli.DefaultConnectorType
		}
		w.Connectors = append(w.Connectors, *conn)
		return nil
	}
	if conn.Type == "" {
		conn.Type = w.Connectors[i].Type
	}
	w.Connectors[i] = *conn
	return nil
}

func printConnector(p *cli.Printer, c engine.Connector, removed bool) error {
	switch {
	case p.JSON && removed:
		return p.PrintJSON(map[string]any{"connector_name": c.Name, "removed": true})
	case p.JSON:
		return p.PrintJSON(c)
	case removed:
		fmt.Fprintln(p.Out, cli.Line("Removed connector "+c.Name))
	default:
		fmt.Fprintln(p.Out, cli.Line(fmt.Sprintf("Saved connector %s (%s), which sends to %s.", c.Name, c.Type, providerWords(c))))
	}
	return nil
}

func completeConnectors(f *cli.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		svc, err := f.Service(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		w, err := svc.Workspace(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []cobra.Completion
		for _, c := range w.Connectors {
			out = append(out, cobra.CompletionWithDesc(cli.Line(c.Name), cli.Line(c.Type+", "+providerWords(c))))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
