package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/providers"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/phrase"
)

// testTime is the time limit of a test message.
const testTime = time.Minute

func newConnectorList(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "list",
		Short:             "List email connectors and push gateways",
		Long:              "Use `bugle workspace list connectors` and `bugle workspace list gateways` instead.",
		Args:              cli.Exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := f.Settings(cmd.Context())
			if err != nil {
				return err
			}
			if f.JSON {
				return f.PrintJSON(map[string]any{
					"connectors":    append([]engine.Connector{}, w.Connectors...),
					"push_gateways": append([]engine.Gateway{}, w.Gateways...),
				})
			}
			return f.Rows([]string{"NAME", "FOR", "SENDS WITH", "KEY FROM"}, connectorRows(w))
		},
	}
}

func connectorRows(w engine.Workspace) [][]string {
	var rows [][]string
	for _, c := range w.Connectors {
		from := ""
		if c.SMTP != nil && c.SMTP.PasswordEnv != "" {
			from = secret.Describe(engine.SecretRef{Env: c.SMTP.PasswordEnv})
		}
		rows = append(rows, []string{c.Name, "email, " + c.Type, providerWords(c), from})
	}
	for _, k := range providers.Kinds() {
		by, from := "the local outbox", ""
		if g, ok := w.Gateway(k.Provider); ok {
			by, from = strings.TrimPrefix(gatewayWords(g), "Push messages to "+k.Platform.Label()+" are sent with "), secret.Describe(g.Key)
		}
		rows = append(rows, []string{k.Provider, "push, " + k.Platform.Label(), by, from})
	}
	return rows
}

func newConnectorRemove(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME",
		Short:             "Remove a connector or push gateway",
		Long:              "Removes its key from the keyring too. Use `bugle workspace delete` instead.",
		Args:              cli.Exactly(1, "the name of a connector, or fcm, apns or webpush"),
		ValidArgsFunction: completeAllConnectors(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			if _, ok := providers.KindOf(args[0]); !ok {
				c := connectorFlags{remove: true}
				conn := engine.Connector{Name: args[0]}
				if err := svc.UpdateWorkspace(cmd.Context(), func(w *engine.Workspace) error { return c.apply(w, &conn) }); err != nil {
					return cli.AsUsage(err)
				}
				return printConnector(&f.Printer, conn, true)
			}
			var gone engine.Gateway
			err = svc.UpdateWorkspace(cmd.Context(), func(w *engine.Workspace) error {
				var ok bool
				if gone, ok = w.Gateway(args[0]); !ok {
					return noGateway(args[0])
				}
				w.Gateways = slices.DeleteFunc(slices.Clone(w.Gateways), func(g engine.Gateway) bool { return g.Provider == args[0] })
				return nil
			})
			if err != nil {
				return cli.AsUsage(err)
			}
			if err := dropKeyOf(gone); err != nil {
				return err
			}
			return printConnector(&f.Printer, engine.Connector{Name: gone.Provider}, true)
		},
	}
}

// testMessageFlags are the recipient and the sender of a test message.
type testMessageFlags struct{ to, from string }

func newConnectorTest(f *cli.Factory) *cobra.Command {
	var h testMessageFlags
	cmd := &cobra.Command{
		Use:   "test NAME",
		Short: "Send a test message",
		Long: "Send a test message with an email connector or a push gateway. Use `bugle workspace test` instead.\n" +
			"Without --to, only the settings, the key and the login are checked.",
		Args:              cli.Exactly(1, "the name of a connector, or fcm, apns or webpush"),
		ValidArgsFunction: completeAllConnectors(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			w, err := svc.Workspace(cmd.Context())
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), testTime)
			defer cancel()
			if _, ok := providers.KindOf(args[0]); !ok {
				return tryMail(ctx, f, w, args[0], h)
			}
			g, ok := w.Gateway(args[0])
			if !ok {
				return noGateway(args[0])
			}
			devices, err := devicesOf(ctx, svc, g, h.to)
			if err != nil {
				return err
			}
			return tryPush(ctx, f, svc, g, devices)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&h.to, "to", "", "`recipient`: an email address, or for push a user id or a device token")
	fl.StringVar(&h.from, "from", "", "email `address` of the sender (default the address that signs changes)")
	return cmd
}

// devicesOf returns the devices of a user on the gateway's platform, or the one with that token.
func devicesOf(ctx context.Context, svc engine.UserStore, g engine.Gateway, to string) ([]engine.Device, error) {
	if to == "" {
		return nil, nil
	}
	kind, _ := providers.KindOf(g.Provider)
	p, err := svc.User(ctx, to)
	if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
		return []engine.Device{{Platform: string(kind.Platform), Token: to}}, nil
	}
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(p.Devices, func(d engine.Device) bool { return d.Platform != string(kind.Platform) })
	if len(out) == 0 {
		return nil, cli.Misused("user %s has no %s device", to, kind.Platform.Label())
	}
	return out, nil
}

func tryPush(ctx context.Context, f *cli.Factory, svc engine.GatewayOpener, g engine.Gateway, devices []engine.Device) error {
	provider, err := svc.OpenGateway(ctx, g)
	if err != nil {
		return err
	}
	if c, ok := provider.(io.Closer); ok {
		defer c.Close()
	}
	if len(devices) == 0 {
		return printTried(&f.Printer, g.Provider, "The settings and the key are valid. Send a test message with --to.", 0)
	}
	var failed []error
	for _, d := range devices {
		m, err := providers.TestPush(g, d, time.Now())
		if err == nil {
			_, err = provider.Deliver(ctx, m)
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 && len(devices) > 1 {
		return fmt.Errorf("failed for %d of %d devices: %w", len(failed), len(devices), errors.Join(failed...))
	}
	if len(failed) > 0 {
		return failed[0]
	}
	return printTried(&f.Printer, g.Provider, "Sent a test message to "+phrase.Count(len(devices), "device")+".", len(devices))
}

func tryMail(ctx context.Context, f *cli.Factory, w engine.Workspace, name string, h testMessageFlags) error {
	i := slices.IndexFunc(w.Connectors, func(c engine.Connector) bool { return c.Name == name })
	if i < 0 {
		return cli.Misused("no connector named %q; `bugle workspace list connectors` lists them", name)
	}
	c := w.Connectors[i]
	if c.Provider == engine.ProviderOutbox {
		return cli.Misused("connector %s keeps email in the local outbox; there is no server to test", name)
	}
	provider, err := providers.NewMail(c)
	if err != nil {
		return err
	}
	if c, ok := provider.(io.Closer); ok {
		defer c.Close()
	}
	if h.to == "" {
		if p, ok := provider.(interface {
			Ping(context.Context, string) error
		}); ok {
			if err := p.Ping(ctx, cmp.Or(h.from, f.Author(w.Author))); err != nil {
				return err
			}
		}
		return printTried(&f.Printer, name, "The mail server accepted the login. Send a test message with --to.", 0)
	}
	receipt, err := provider.Deliver(ctx, providers.TestEmail(cmp.Or(h.from, f.Author(w.Author)), h.to))
	if err != nil {
		var e *delivery.Error
		if errors.As(err, &e) && e.Reason == delivery.Invalid {
			return cli.Misuse(err)
		}
		return err
	}
	return printTried(&f.Printer, name, "Sent a test message to "+h.to+": "+receipt.Detail, 1)
}

func printTried(p *cli.Printer, name, words string, sent int) error {
	if p.JSON {
		return p.PrintJSON(map[string]any{"name": name, "sent": sent})
	}
	fmt.Fprintln(p.Out, cli.Line(words))
	return nil
}

// completeAllConnectors completes the first argument with connectors and push gateways.
func completeAllConnectors(f *cli.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		mail, _ := completeConnectors(f)(cmd, args, typed)
		push, directive := completeGateways(cmd, args, typed)
		return append(mail, push...), directive
	}
}
