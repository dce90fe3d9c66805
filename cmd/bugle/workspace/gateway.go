package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/keyring"
	"bugle/engine/message/delivery/providers"
	"bugle/engine/message/delivery/secret"
	records "bugle/engine/workspace/settings"
)

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
			return f.Done(map[string]any{"provider": g.Provider, "allowed": true}, "The key of "+g.Provider+" may come from "+secret.DescribeFully(g.Key)+" on this machine.")
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
	return f.Done(map[string]any{"provider": g.Provider, "stored": true}, "Stored the key of "+g.Provider+" in the system keyring.")
}

func noGateway(provider string) error {
	if _, ok := providers.KindOf(provider); !ok {
		return cli.Misused("unknown push gateway %q; choose from fcm, apns and webpush", provider)
	}
	return cli.Misused("the workspace has no %s gateway; add it with `bugle workspace put gateways provider=%s`", provider, provider)
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
