package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/store/badger"
	"bugle/store/crypt"
)

// NewKey returns the command bugle key.
func NewKey(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Print or keep the key of an encrypted store",
		Long:  "The key of an encrypted store is in the system keyring, or in BUGLE_STORE_KEY. Without it, nobody can read\nthe store. API keys are another matter: see `bugle keys`.",
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "show",
		Short:   "Print the key of the store",
		Long:    "Keep a copy of it somewhere safe, away from this machine.",
		Example: "  bugle key show",
		Args:    cli.Exactly(0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return showKey(cmd.Context(), f) },
	}, &cobra.Command{
		Use:     "keep",
		Short:   "Store the key on standard input in the system keyring",
		Long:    "It must be the key of the store, if there is one.",
		Example: "  pass show bugle-store | bugle key keep",
		Args:    cli.Exactly(0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return keepKey(cmd.Context(), f) },
	})
	return cmd
}

func showKey(ctx context.Context, f *cli.Factory) error {
	id, encrypted, err := keyOfStore(&f.Environment)
	if err != nil {
		return err
	}
	if !encrypted {
		return cli.WithRemedy(errors.New("the store is not encrypted, so it has no key"), "Encrypt it with `bugle encrypt`.")
	}
	key, err := f.Keys().Find(ctx, id)
	if err != nil {
		return err
	}
	return f.Done(map[string]string{"key_id": key.ID(), "key": key.Text()}, key.Text())
}

func keepKey(ctx context.Context, f *cli.Factory) error {
	text, err := f.Key(ctx)
	if err != nil {
		return err
	}
	key, err := crypt.Parse(text)
	if err != nil {
		return cli.Misuse(err)
	}
	id, _, err := badger.Encryption(f.DataDir())
	if err != nil {
		return err
	}
	if id != "" && id != key.ID() {
		return fmt.Errorf("%w: the store in %s has the key with id %s, this is %s", crypt.ErrWrongKey, f.DataDir(), id, key.ID())
	}
	if err := f.Keys().Keep(key); err != nil {
		return err
	}
	return f.Done(map[string]string{"key_id": key.ID()}, "Stored the key "+key.ID()+" in the system keyring.")
}
