package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/keyring"
	"bugle/engine/message/delivery/providers"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/service/activity"
)

// gateways is the section whose records can have a key in the keyring.
const gateways = "gateways"

func (n noun) newKey() *cobra.Command {
	return &cobra.Command{
		Use:               "key NAME",
		Short:             "Store the key of a push gateway in the keyring",
		Long:              "Reads the key from standard input, and stores it in the system keyring under the name in the field\nkey.keyring of the gateway. On a terminal, it is not shown while you type.",
		Example:           "  bugle gateways put fcm key.keyring=fcm\n  bugle gateways key fcm < shop-1.json",
		Args:              n.named,
		ValidArgsFunction: n.complete,
		RunE:              n.runGateway(n.storeKey),
	}
}

func (n noun) newAllow() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "allow NAME",
		Short: "Allow the key of a push gateway on this machine",
		Long: "The settings of a workspace can come from a backup or a shared database. A push gateway whose key is in\n" +
			"a file, or is printed by a command, may use it on a machine only once that was set or allowed there.\n" +
			"Shows the file or command, and where the gateway sends, and asks.",
		Example:           "  bugle gateways allow fcm",
		Args:              n.named,
		ValidArgsFunction: n.complete,
		RunE: n.runGateway(func(ctx context.Context, workspace string, g engine.Gateway) error {
			switch {
			case !secret.NeedsTrust(g):
				return cli.Misused("the key of %s comes from %s, which needs no permission", g.Provider, secret.Describe(g.Key))
			case !yes && !n.f.CanAsk():
				return cli.Misused("the key of %s comes from %s, and nobody can be asked here; add --yes to allow it", g.Provider, secret.DescribeFully(g.Key))
			}
			to := cmp.Or(strings.Trim(strings.Join(secret.Endpoints(g), " "), " "), "its service")
			question := fmt.Sprintf("The push gateway %s gets its key from %s, and sends to %s. Allow this on this machine?", g.Provider, secret.DescribeFully(g.Key), to)
			if ok, err := n.f.Agreed(ctx, yes, cli.Line(question), "to allow it"); !ok {
				return err
			}
			if err := n.f.Trust().Allow(workspace, g); err != nil {
				return err
			}
			return n.f.Done(map[string]any{"provider": g.Provider, "allowed": true}, "The key of "+g.Provider+" may come from "+secret.DescribeFully(g.Key)+" on this machine.")
		}),
	}
	cli.AddYes(cmd, &yes)
	return cmd
}

// runGateway returns the function of a command that works on a push gateway.
func (n noun) runGateway(do func(ctx context.Context, workspace string, g engine.Gateway) error) func(*cobra.Command, []string) error {
	return n.run(func(ctx context.Context, svc activity.Service, name string, _ []string) error {
		w, err := svc.Workspace(ctx)
		if err != nil {
			return err
		}
		g, _ := w.Gateway(name)
		return do(ctx, w.ID, g)
	})
}

// storeKey stores the key on standard input in the keyring.
func (n noun) storeKey(ctx context.Context, _ string, g engine.Gateway) error {
	if g.Key.Keyring == "" {
		return cli.Misused("the key of %s comes from %s, not from the keyring", g.Provider, secret.Describe(g.Key))
	}
	key, err := n.f.Key(ctx)
	if err != nil {
		return err
	}
	if _, err := providers.NewPushWithKey(g, []byte(key)); err != nil {
		return cli.Misuse(err)
	}
	if err := keyring.Set(g.Key.Keyring, key); err != nil {
		return err
	}
	return n.f.Done(map[string]any{"provider": g.Provider, "stored": true}, "Stored the key of "+g.Provider+" in the system keyring.")
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
