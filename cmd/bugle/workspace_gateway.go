package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/argv"
	"bugle/engine"
	"bugle/engine/delivery/carriers"
	"bugle/engine/delivery/secret"
)

// gatewayFlags say what a push gateway is to be.
type gatewayFlags struct {
	gateway engine.Gateway
	command string
	keyring bool
}

func newConnectorAdd(f *factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add",
		Short: "Add a push gateway, or change it",
		Long: "Add a push gateway, or change it. A workspace has one for each platform; without one, pushes\n" +
			"stay in the local outbox. The key is never stored with the settings: say where it is with one\n" +
			"of --key-env, --key-file, --key-command and --keyring. Connectors of e-mail are added by\n" +
			"`bugle workspace connector NAME`.",
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAddFCM(f), newAddAPNs(f), newAddWebPush(f))
	return cmd
}

func newAddFCM(f *factory) *cobra.Command {
	to := &engine.FCM{}
	g := &gatewayFlags{gateway: engine.Gateway{Carrier: engine.CarrierFCM, FCM: to}}
	cmd := g.adding(f, "Android, by Firebase Cloud Messaging (HTTP v1)",
		"The key is the JSON of a service account's key: Firebase console, Project settings, Service\n"+
			"accounts. The token of a device in a profile is FCM's registration token.",
		"  bugle workspace connector add fcm --key-file /home/ann/shop-1.json\n"+
			"  bugle workspace connector add fcm --key-command 'pass show fcm' --project shop-1")
	fl := cmd.Flags()
	fl.StringVar(&to.Project, "project", "", "Firebase project `id` (default: that of the service account)")
	fl.StringVar(&to.Endpoint, "endpoint", "", "`URL` in the place of Google's, for tests")
	fl.StringVar(&to.TokenEndpoint, "token-endpoint", "", "`URL` that gives access tokens (default: that of the service account)")
	return cmd
}

func newAddAPNs(f *factory) *cobra.Command {
	to := &engine.APNs{}
	g := &gatewayFlags{gateway: engine.Gateway{Carrier: engine.CarrierAPNs, APNs: to}}
	cmd := g.adding(f, "iOS, by Apple's push service (APNs)",
		"The key is the .p8 file of a signing key: Apple developer account, Certificates, Identifiers &\n"+
			"Profiles, Keys. The token of a device in a profile is its device token in hexadecimal.",
		"  bugle workspace connector add apns --key-file /home/ann/AuthKey_ABCDE12345.p8 --key-id ABCDE12345 --team-id TEAM123456 --topic com.example.shop")
	fl := cmd.Flags()
	fl.StringVar(&to.KeyID, "key-id", "", "`id` of the key")
	fl.StringVar(&to.TeamID, "team-id", "", "`id` of the team")
	fl.StringVar(&to.Topic, "topic", "", "the app's bundle `id`")
	fl.BoolVar(&to.Sandbox, "sandbox", false, "for an app that was built for development")
	fl.StringVar(&to.Endpoint, "endpoint", "", "`URL` in the place of Apple's, for tests")
	return cmd
}

func newAddWebPush(f *factory) *cobra.Command {
	to := &engine.WebPush{}
	g := &gatewayFlags{gateway: engine.Gateway{Carrier: engine.CarrierWebPush, WebPush: to}}
	cmd := g.adding(f, "browsers, by Web Push with VAPID",
		"The key is the VAPID private key that the site's subscriptions were made with, in base64url.\n"+
			"The token of a device in a profile is the endpoint of its subscription; beside it are its\n"+
			"\"keys\": {\"p256dh\": …, \"auth\": …}. Only public push services are asked, by https, but for\n"+
			"the one that --endpoint names.",
		"  bugle workspace connector add webpush --keyring --subject push@example.com\n"+
			"  bugle workspace connector add webpush --key-env VAPID --subject push@example.com --endpoint http://127.0.0.1:9000")
	fl := cmd.Flags()
	fl.StringVar(&to.Subject, "subject", "", "e-mail `address` or https URL that push services may write to")
	fl.StringVar(&to.Endpoint, "endpoint", "", "`URL` of a push service for tests, which may be on this machine")
	return cmd
}

// adding makes the command that adds this gateway, with the flags that all of them have.
func (g *gatewayFlags) adding(f *factory, what, long, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use:               g.gateway.Carrier,
		Short:             "Carry pushes to " + what,
		Long:              "Carry pushes to " + what + ".\n\n" + long,
		Example:           example,
		Args:              exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := g.complete(); err != nil {
				return err
			}
			svc, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			err = svc.UpdateWorkspace(cmd.Context(), func(w *engine.Workspace) error {
				if g.keyring {
					g.gateway.Key = engine.SecretRef{Keyring: keyringName(w.ID, g.gateway.Carrier)}
				}
				return putGateway(w, g.gateway)
			})
			if err != nil {
				return asUsage(err)
			}
			return f.printGateway(g.gateway)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&g.gateway.Key.Env, "key-env", "", "environment `variable` that holds the key")
	fl.StringVar(&g.gateway.Key.File, "key-file", "", "`file` that holds the key, and that nobody else can read")
	fl.StringVar(&g.command, "key-command", "", "`command` that prints the key")
	fl.BoolVar(&g.keyring, "keyring", false, "the key is in the system's keyring")
	fl.StringVar(&g.gateway.CAFile, "ca-file", "", "PEM `file` with further certificates to trust")
	return cmd
}

// complete takes the flags together, and refuses what no gateway could be made of.
func (g *gatewayFlags) complete() error {
	var err error
	if g.gateway.Key.Command, err = argv.Split(g.command); err != nil {
		return misused("--key-command: %w", err)
	}
	for _, name := range []*string{&g.gateway.Key.File, &g.gateway.CAFile} {
		if *name == "" {
			continue
		}
		// The program that reads it later may be in another folder.
		abs, err := filepath.Abs(*name)
		if err != nil {
			return fmt.Errorf("the file %s: %w", *name, err)
		}
		*name = abs
	}
	check := g.gateway
	if g.keyring {
		if err := secret.Check(g.gateway.Key); err == nil {
			return misused("the key is in one place: take --keyring, or the other flag")
		}
		check.Key = engine.SecretRef{Keyring: "later"}
	}
	if err := carriers.Settings(check); err != nil {
		return usageError{err}
	}
	return nil
}

func keyringName(workspace, carrier string) string { return "workspace " + workspace + " " + carrier }

func putGateway(w *engine.Workspace, g engine.Gateway) error {
	i := slices.IndexFunc(w.Gateways, func(have engine.Gateway) bool { return have.Carrier == g.Carrier })
	if i < 0 {
		w.Gateways = append(w.Gateways, g)
		return nil
	}
	w.Gateways[i] = g
	return nil
}

func (f *factory) printGateway(g engine.Gateway) error {
	if f.json {
		return f.printJSON(g)
	}
	fmt.Fprintln(f.out, line(gatewayWords(g)+"; its key comes from "+secret.Words(g.Key)))
	if g.Key.Keyring != "" {
		fmt.Fprintf(f.out, "`bugle workspace connector key %s` stores it.\n", g.Carrier)
	}
	return nil
}

// gatewayWords tells what a gateway does, for people.
func gatewayWords(g engine.Gateway) string {
	k, ok := carriers.KindOf(g.Carrier)
	if !ok {
		return g.Carrier
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
	return "Pushes to " + k.Platform.Label() + " are carried by " + k.Name + where
}

func newConnectorKey(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "key fcm|apns|webpush",
		Short: "Put the key of a push gateway into the system's keyring",
		Long:  "Read the key of a push gateway from standard input and put it into the system's keyring.",
		Example: "  bugle workspace connector key fcm < shop-1.json\n" +
			"  pass show vapid | bugle workspace connector key webpush",
		Args:              exactly(1, "fcm, apns or webpush"),
		ValidArgsFunction: completeGateways,
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			w, err := svc.Workspace(cmd.Context())
			if err != nil {
				return err
			}
			g, ok := w.Gateway(args[0])
			switch {
			case !ok:
				return noGateway(args[0])
			case g.Key.Keyring == "":
				return misused("the key of %s comes from %s", g.Carrier, secret.Words(g.Key))
			}
			b, err := f.read(cmd.Context(), stdin)
			if err != nil {
				return err
			}
			key := strings.TrimSpace(string(b))
			if key == "" {
				return misused("there is no key on standard input")
			}
			if _, err := carriers.WithKey(g, []byte(key)); err != nil {
				return usageError{err}
			}
			if err := secret.Store(g.Key.Keyring, key); err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"carrier": g.Carrier, "stored": true})
			}
			fmt.Fprintf(f.out, "The key of %s is in the keyring.\n", g.Carrier)
			return nil
		},
	}
}

func noGateway(carrier string) error {
	if _, ok := carriers.KindOf(carrier); !ok {
		return misused("there is no push gateway %q; there are fcm, apns and webpush", carrier)
	}
	return misused("the workspace has no gateway %s yet; `bugle workspace connector add %s` adds it", carrier, carrier)
}

// completeGateways completes the first argument with the kinds of push gateways.
func completeGateways(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, k := range carriers.Kinds() {
		out = append(out, cobra.CompletionWithDesc(k.Carrier, k.Platform.Label()+", by "+k.Name))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// dropKeyOf takes the key of a gateway out of the keyring, where it was there.
func dropKeyOf(g engine.Gateway) error {
	if g.Key.Keyring == "" {
		return nil
	}
	if err := secret.Drop(g.Key.Keyring); err != nil {
		return errors.Join(errors.New("the gateway is removed, and its key is still in the keyring"), err)
	}
	return nil
}
