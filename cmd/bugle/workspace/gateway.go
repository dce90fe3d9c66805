package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/argv"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/keyring"
	"bugle/engine/message/delivery/providers"
	"bugle/engine/message/delivery/secret"
	records "bugle/engine/workspace/settings"
)

// gatewayFlags describe a push gateway.
type gatewayFlags struct {
	gateway engine.Gateway
	command string
	keyring bool
}

func newConnectorAdd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add",
		Short: "Add or change a push gateway",
		Long: "Add or change a push gateway. Use `bugle workspace put gateways` instead. A workspace has one gateway\n" +
			"per platform; without one, push messages stay in the local outbox. The key is never stored with the\n" +
			"settings: set where it is with one of --key-env, --key-file, --key-command and --keyring.",
		Args: cli.NoCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAddFCM(f), newAddAPNs(f), newAddWebPush(f))
	return cmd
}

func newAddFCM(f *cli.Factory) *cobra.Command {
	to := &engine.FCM{}
	g := &gatewayFlags{gateway: engine.Gateway{Provider: engine.ProviderFCM, FCM: to}}
	cmd := g.adding(f, "Android with Firebase (FCM)",
		"The key is the JSON key of a service account (Firebase console, Project settings, Service accounts).\n"+
			"The token of a user's device is its FCM registration token.",
		"  bugle workspace connector add fcm --key-file /home/ann/shop-1.json\n"+
			"  bugle workspace connector add fcm --key-command 'pass show fcm' --project shop-1")
	fl := cmd.Flags()
	fl.StringVar(&to.Project, "project", "", "Firebase project `id` (default that of the service account)")
	fl.StringVar(&to.Endpoint, "endpoint", "", "`URL` to use instead of Google's, for tests")
	fl.StringVar(&to.TokenEndpoint, "token-endpoint", "", "`URL` for access tokens (default that of the service account)")
	return cmd
}

func newAddAPNs(f *cli.Factory) *cobra.Command {
	to := &engine.APNs{}
	g := &gatewayFlags{gateway: engine.Gateway{Provider: engine.ProviderAPNs, APNs: to}}
	cmd := g.adding(f, "iOS with Apple (APNs)",
		"The key is the .p8 file of a signing key (Apple developer account, Certificates, Identifiers &\n"+
			"Profiles, Keys). The token of a user's device is its device token in hexadecimal.",
		"  bugle workspace connector add apns --key-file /home/ann/AuthKey_ABCDE12345.p8 --key-id ABCDE12345 \\\n"+
			"    --team-id TEAM123456 --topic com.example.shop")
	fl := cmd.Flags()
	fl.StringVar(&to.KeyID, "key-id", "", "`id` of the key")
	fl.StringVar(&to.TeamID, "team-id", "", "`id` of the team")
	fl.StringVar(&to.Topic, "topic", "", "bundle `id` of the app")
	fl.BoolVar(&to.Sandbox, "sandbox", false, "use the sandbox, for development builds of the app")
	fl.StringVar(&to.Endpoint, "endpoint", "", "`URL` to use instead of Apple's, for tests")
	return cmd
}

func newAddWebPush(f *cli.Factory) *cobra.Command {
	to := &engine.WebPush{}
	g := &gatewayFlags{gateway: engine.Gateway{Provider: engine.ProviderWebPush, WebPush: to}}
	cmd := g.adding(f, "browsers with Web Push (VAPID)",
		"The key is the VAPID private key of the site's subscriptions, in base64url. The token of a user's\n"+
			"device is the endpoint of its subscription, with \"keys\": {\"p256dh\": ..., \"auth\": ...} next to it.\n"+
			"Only public push services are called, with https, except for the one that --endpoint names.",
		"  bugle workspace connector add webpush --keyring --subject push@example.com\n"+
			"  bugle workspace connector add webpush --key-env VAPID --subject push@example.com --endpoint http://127.0.0.1:9000")
	fl := cmd.Flags()
	fl.StringVar(&to.Subject, "subject", "", "email `address` or https URL where push services can contact you")
	fl.StringVar(&to.Endpoint, "endpoint", "", "`URL` of a push service for tests, also on this machine")
	return cmd
}

// adding returns the command that adds this kind of gateway, with the common flags.
func (g *gatewayFlags) adding(f *cli.Factory, what, long, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use:               g.gateway.Provider,
		Short:             "Send push messages to " + what,
		Long:              "Send push messages to " + what + ".\n\n" + long,
		Example:           example,
		Args:              cli.Exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := g.complete(); err != nil {
				return err
			}
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			err = svc.UpdateWorkspace(cmd.Context(), func(w *engine.Workspace) error {
				if g.keyring {
					g.gateway.Key = engine.SecretRef{Keyring: keyringName(w.ID, g.gateway.Provider)}
				}
				return putGateway(w, g.gateway)
			})
			if err != nil {
				return cli.AsUsage(err)
			}
			if err := allowKey(cmd.Context(), f, g.gateway); err != nil {
				return err
			}
			return printGateway(&f.Printer, g.gateway)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&g.gateway.Key.Env, "key-env", "", "environment `variable` with the key")
	fl.StringVar(&g.gateway.Key.File, "key-file", "", "`file` with the key, readable by you only")
	fl.StringVar(&g.command, "key-command", "", "`command` that prints the key")
	fl.BoolVar(&g.keyring, "keyring", false, "read the key from the system keyring")
	fl.StringVar(&g.gateway.CAFile, "ca-file", "", "PEM `file` with more certificates to trust")
	return cmd
}

// complete combines the flags, and returns an error for settings that cannot work.
func (g *gatewayFlags) complete() error {
	var err error
	if g.gateway.Key.Command, err = argv.Split(g.command); err != nil {
		return cli.Misused("--key-command: %w", err)
	}
	for _, name := range []*string{&g.gateway.Key.File, &g.gateway.CAFile} {
		if *name == "" {
			continue
		}
		// The file is read later, from another folder.
		abs, err := filepath.Abs(*name)
		if err != nil {
			return fmt.Errorf("the file %s: %w", *name, err)
		}
		*name = abs
	}
	check := g.gateway
	if g.keyring {
		if err := secret.Check(g.gateway.Key); err == nil {
			return cli.Misused("set where the key is only once: with --keyring or with another flag")
		}
		check.Key = engine.SecretRef{Keyring: "later"}
	}
	if err := providers.CheckSettings(check); err != nil {
		return cli.Misuse(err)
	}
	return nil
}

func keyringName(workspace, provider string) string { return "workspace " + workspace + " " + provider }

func putGateway(w *engine.Workspace, g engine.Gateway) error {
	i := slices.IndexFunc(w.Gateways, func(have engine.Gateway) bool { return have.Provider == g.Provider })
	if i < 0 {
		w.Gateways = append(w.Gateways, g)
		return nil
	}
	w.Gateways[i] = g
	return nil
}

// allowKey allows the key of a gateway that the user has just set, which is no change if a backup had the same.
func allowKey(ctx context.Context, f *cli.Factory, g engine.Gateway) error {
	w, err := f.Settings(ctx)
	if err == nil {
		err = f.Trust().Allow(w.ID, g)
	}
	if err != nil {
		return fmt.Errorf("the settings are saved, but the key of the push gateway %s is not allowed on this machine: %w", g.Provider, err)
	}
	return nil
}

func printGateway(p *cli.Printer, g engine.Gateway) error {
	if p.JSON {
		return p.PrintJSON(g)
	}
	fmt.Fprintln(p.Out, cli.Line(gatewayWords(g)+". The key comes from "+secret.Describe(g.Key)+"."))
	if g.Key.Keyring != "" {
		fmt.Fprintf(p.Out, "Store the key with `bugle workspace key gateways %s`.\n", g.Provider)
	}
	return nil
}

// gatewayWords describes a gateway for people.
func gatewayWords(g engine.Gateway) string {
	k, ok := providers.KindOf(g.Provider)
	if !ok {
		return g.Provider
	}
	where := ""
	switch {
	case g.FCM != nil && g.FCM.Project != "":
		where = ", project " + g.FCM.Project
	case g.APNs != nil:
		where = ", app " + g.APNs.Topic
		if g.APNs.Sandbox {
			where += " (sandbox)"
		}
	case g.WebPush != nil:
		where = ", as " + g.WebPush.Subject
	}
	return "Push messages to " + k.Platform.Label() + " are sent with " + k.Name + where
}

// sectionGateways is the section whose records can have a key in the keyring.
const sectionGateways = "gateways"

func newWorkspaceKey(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "key gateways fcm|apns|webpush",
		Short: "Store the key of a push gateway in the keyring",
		Long:  "Reads the key from standard input, and stores it in the system keyring under the name in the field\nkey.keyring of the gateway.",
		Example: "  bugle workspace put gateways provider=fcm key.keyring=fcm\n" +
			"  bugle workspace key gateways fcm < shop-1.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Misused("%s", cli.Takes(cmd, "the section gateways, and fcm, apns or webpush"))
			}
			s, err := section(args[0])
			if err == nil && s.ID != sectionGateways {
				err = cli.Misused("%s have no keys in the keyring, only gateways do", s.ID)
			}
			return err
		},
		ValidArgsFunction: completeRecords(f, func(s *records.Section) bool { return s.ID == sectionGateways }),
		RunE:              func(cmd *cobra.Command, args []string) error { return storeGatewayKey(cmd.Context(), f, args[1]) },
	}
}

func newWorkspaceAllow(f *cli.Factory) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "allow gateways fcm|apns|webpush",
		Short: "Allow the key of a push gateway on this machine",
		Long: "The settings of a workspace can come from a backup or a shared database. A push gateway whose key is in\n" +
			"a file, or is printed by a command, may use it on a machine only once that was set or allowed there.\n" +
			"Shows the file or command, and where the gateway sends, and asks.",
		Example: "  bugle workspace allow gateways fcm",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 || args[0] != sectionGateways {
				return cli.Misused("%s", cli.Takes(cmd, "the section gateways, and fcm, apns or webpush"))
			}
			return nil
		},
		ValidArgsFunction: completeRecords(f, func(s *records.Section) bool { return s.ID == sectionGateways }),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			w, err := svc.Workspace(cmd.Context())
			if err != nil {
				return err
			}
			g, ok := w.Gateway(args[1])
			switch {
			case !ok:
				return noGateway(args[1])
			case !secret.NeedsTrust(g):
				return cli.Misused("the key of %s comes from %s, which needs no permission", g.Provider, secret.Describe(g.Key))
			case !yes && !f.CanAsk():
				return cli.Misused("the key of %s comes from %s, and nobody can be asked here; add --yes to allow it", g.Provider, secret.DescribeFully(g.Key))
			case !yes:
				question := fmt.Sprintf("%s. The key comes from %s. Allow this on this machine?", gatewayWords(g)+endpointWords(g), secret.DescribeFully(g.Key))
				if ok, err := f.Confirm(cmd.Context(), cli.Line(question), "to allow it"); !ok || err != nil {
					return err
				}
			}
			if err := f.Trust().Allow(w.ID, g); err != nil {
				return err
			}
			if f.JSON {
				return f.PrintJSON(map[string]any{"provider": g.Provider, "allowed": true})
			}
			fmt.Fprintln(f.Out, cli.Line("The key of "+g.Provider+" may come from "+secret.DescribeFully(g.Key)+" on this machine."))
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "allow it without asking")
	return cmd
}

// endpointWords names the endpoints of a gateway that are not those of its service.
func endpointWords(g engine.Gateway) string {
	to := slices.DeleteFunc(secret.Endpoints(g), func(e string) bool { return e == "" })
	if len(to) == 0 {
		return ""
	}
	return ", at " + strings.Join(to, " and ")
}

func newConnectorKey(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "key fcm|apns|webpush",
		Short:             "Store the key of a push gateway in the keyring",
		Long:              "Read the key of a push gateway from standard input and store it in the system keyring. Use\n`bugle workspace key gateways` instead.",
		Args:              cli.Exactly(1, "fcm, apns or webpush"),
		ValidArgsFunction: completeGateways,
		RunE:              func(cmd *cobra.Command, args []string) error { return storeGatewayKey(cmd.Context(), f, args[0]) },
	}
}

// storeGatewayKey stores the key on standard input in the keyring.
func storeGatewayKey(ctx context.Context, f *cli.Factory, provider string) error {
	svc, err := f.Service(ctx)
	if err != nil {
		return err
	}
	w, err := svc.Workspace(ctx)
	if err != nil {
		return err
	}
	g, ok := w.Gateway(provider)
	switch {
	case !ok:
		return noGateway(provider)
	case g.Key.Keyring == "":
		return cli.Misused("the key of %s comes from %s, not from the keyring", g.Provider, secret.Describe(g.Key))
	}
	b, err := f.Read(ctx, cli.Stdin)
	if err != nil {
		return err
	}
	key := strings.TrimSpace(string(b))
	if key == "" {
		return cli.Misused("no key on standard input")
	}
	if _, err := providers.NewPushWithKey(g, []byte(key)); err != nil {
		return cli.Misuse(err)
	}
	if err := keyring.Set(g.Key.Keyring, key); err != nil {
		return err
	}
	if f.JSON {
		return f.PrintJSON(map[string]any{"provider": g.Provider, "stored": true})
	}
	fmt.Fprintf(f.Out, "Stored the key of %s in the system keyring.\n", g.Provider)
	return nil
}

func noGateway(provider string) error {
	if _, ok := providers.KindOf(provider); !ok {
		return cli.Misused("unknown push gateway %q; choose from fcm, apns and webpush", provider)
	}
	return cli.Misused("the workspace has no %s gateway; add it with `bugle workspace put gateways provider=%s`", provider, provider)
}

// completeGateways completes the first argument with the kinds of push gateways.
func completeGateways(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, k := range providers.Kinds() {
		out = append(out, cobra.CompletionWithDesc(k.Provider, k.Platform.Label()+" with "+k.Name))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// dropKeyOf removes the key of a gateway from the keyring, if it is there.
func dropKeyOf(g engine.Gateway) error {
	if g.Key.Keyring == "" {
		return nil
	}
	if err := keyring.Delete(g.Key.Keyring); err != nil {
		return errors.Join(errors.New("the gateway was removed, but its key is still in the keyring"), err)
	}
	return nil
}
