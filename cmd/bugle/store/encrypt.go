package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/storekey"
	"bugle/engine/phrase"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/socket"
)

const encryptLong = `Encrypts the campaigns, history, users, outbox and settings on this machine, and the backups in the
folder of the store. The store is written again, verified, and replaces the old one, whose files are deleted.
Quit other bugle processes first.

A new key is created and stored in the system keyring. If there is no keyring, create a key yourself
(openssl rand -base64 32) and set BUGLE_STORE_KEY, or a command that prints it in
BUGLE_STORE_KEY_COMMAND, for this and every other bugle command. If you lose the key, you lose the
campaigns: print it with --show-key and keep a copy somewhere safe.

--rotate encrypts the store with another key (a new one in the keyring, or BUGLE_NEW_STORE_KEY or
BUGLE_NEW_STORE_KEY_COMMAND). The old key stays in the keyring for backups in other places.

Not encrypted are the names, number, sizes and times of files, and what the terminal program keeps
outside of the store: searches, views, recipients that you typed, and data cached from remotes.`

// NewEncrypt returns the command bugle encrypt.
func NewEncrypt(f *cli.Factory) *cobra.Command {
	var rotate, show, keep, removeOld bool
	cmd := &cobra.Command{
		Use:   "encrypt",
		Short: "Encrypt the store or change its key",
		Long:  encryptLong,
		Example: "  bugle encrypt\n  bugle encrypt --show-key\n  bugle encrypt --rotate\n" +
			"  pass show bugle-store | bugle encrypt --keep-key",
		Args:              cli.Exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch ctx := cmd.Context(); {
			case show:
				return showKey(ctx, f)
			case keep:
				return keepKey(ctx, f)
			default:
				return runEncrypt(ctx, f, rotate, removeOld)
			}
		},
	}
	cmd.Flags().BoolVar(&rotate, "rotate", false, "encrypt the store with another key")
	cmd.Flags().BoolVar(&show, "show-key", false, "print the key of the store")
	cmd.Flags().BoolVar(&keep, "keep-key", false, "store the key on standard input in the system keyring")
	addRemoveOld(cmd, &removeOld)
	cmd.MarkFlagsMutuallyExclusive("rotate", "show-key", "keep-key")
	return cmd
}

func addRemoveOld(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "remove-old", false, "also delete earlier copies of the store, from before a restore or a repair")
}

// NewDecrypt returns the command bugle decrypt.
func NewDecrypt(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "decrypt",
		Short: "Decrypt the store",
		Long: "Also decrypts the backups in its folder that are encrypted with its key. Quit other bugle\n" +
			"processes first. The key stays in the system keyring for backups in other places.",
		Example:           "  bugle decrypt",
		Args:              cli.Exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, encrypted, err := keyOfStore(&f.Environment); err != nil {
				return err
			} else if !encrypted {
				return errors.New("the store is not encrypted")
			}
			out, err := rewrite(cmd.Context(), f, nil)
			if err != nil {
				return err
			}
			if f.JSON {
				return f.PrintJSON(out)
			}
			fmt.Fprintf(f.Out, "Decrypted the store in %s: %s written and verified.\n", cli.Line(f.DataDir()), phrase.Count(out.Records, "record"))
			out.print(f)
			return nil
		},
	}
}

// keyOfStore returns the id of the key of the store, which must exist. The id is empty if it cannot be read.
func keyOfStore(e *cli.Environment) (key string, encrypted bool, err error) {
	have, err := e.HasFolder()
	if err != nil {
		return "", false, err
	}
	if !have {
		return "", false, cli.ErrNoWorkspace
	}
	return badger.Encryption(e.DataDir())
}

// sameEncryption reports whether the store is still encrypted as before. If that is uncertain, for example because the
// next process completes the replacement, the new key must be kept.
func sameEncryption(f *cli.Factory, key string, encrypted bool) bool {
	now, is, err := keyOfStore(&f.Environment)
	return err == nil && now == key && is == encrypted
}

// rewriteResult is the result of encrypting or decrypting a store.
type rewriteResult struct {
	Encrypted bool          `json:"encrypted"`
	Key       string        `json:"key_id,omitempty"`
	From      string        `json:"key_from,omitempty"` // location of the key
	Records   int           `json:"records"`
	Backups   int           `json:"backups"`        // encrypted or decrypted with it
	Left      []skippedFile `json:"left,omitempty"` // unchanged files
}

// skippedFile is a file or folder that was not changed, and the reason.
type skippedFile struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

func (r rewriteResult) print(f *cli.Factory) {
	if r.Backups > 0 {
		fmt.Fprintf(f.Out, "Also converted %s in its folder.\n", phrase.Count(r.Backups, "backup"))
	}
	for _, l := range r.Left {
		fmt.Fprintf(f.Out, "Not changed: %s (%s).\n", cli.Line(l.Path), cli.Line(l.Why))
	}
}

func runEncrypt(ctx context.Context, f *cli.Factory, rotate, removeOld bool) error {
	id, encrypted, err := keyOfStore(&f.Environment)
	switch {
	case err != nil:
		return err
	case rotate && !encrypted:
		return cli.WithRemedy(errors.New("the store is not encrypted"), "Encrypt it with `bugle encrypt`.")
	case encrypted && !rotate:
		return finishEncrypt(ctx, f, id, removeOld)
	}
	if encrypted { // before creating a new key
		if _, err := f.Keys().Find(ctx, id); err != nil {
			return fmt.Errorf("cannot open the encrypted store in %s: %w", f.DataDir(), err)
		}
	}
	key, where, err := f.Keys().Fresh(ctx, rotate)
	if err != nil {
		return err
	}
	if key.ID() == id {
		return cli.Misused("%s has the current key of the store; set a new one", where)
	}
	out, err := rewrite(ctx, f, &key)
	if err != nil {
		if where == storekey.Keyring && sameEncryption(f, id, encrypted) {
			err = errors.Join(err, f.Keys().Drop(key.ID()))
		}
		return err
	}
	out.From = where
	if err := out.oldCopies(f, removeOld); err != nil {
		return err
	}
	if f.JSON {
		return f.PrintJSON(out)
	}
	fmt.Fprintf(f.Out, "Encrypted the store in %s: %s written and verified.\n", cli.Line(f.DataDir()), phrase.Count(out.Records, "record"))
	out.print(f)
	cli.PrintKey(f, where, rotate)
	return nil
}

// finishEncrypt encrypts the backups of a store that is already encrypted, for example after an interruption.
func finishEncrypt(ctx context.Context, f *cli.Factory, id string, removeOld bool) error {
	key, err := f.Keys().Find(ctx, id)
	if err != nil {
		return fmt.Errorf("the store in %s is already encrypted, but its backups cannot be: %w", f.DataDir(), err)
	}
	out := rewriteResult{Encrypted: true, Key: key.ID()}
	if err := out.backups(ctx, f, &key); err != nil {
		return err
	}
	if err := out.oldCopies(f, removeOld); err != nil {
		return err
	}
	if f.JSON {
		return f.PrintJSON(out)
	}
	fmt.Fprintf(f.Out, "The store in %s is already encrypted. Use --rotate to change the key.\n", cli.Line(f.DataDir()))
	out.print(f)
	return nil
}

// rewrite rewrites the store with a key or without encryption, and then its backups.
func rewrite(ctx context.Context, f *cli.Factory, to *crypt.Key) (out rewriteResult, err error) {
	told := meter(&f.Printer, "records written")
	out.Records, err = badger.Rewrite(ctx, badger.Options{Dir: f.DataDir(), Key: f.Keys().Find}, to, func(n int, verifying bool) {
		if told != nil {
			told(socket.JobProgress{Records: n, Verifying: verifying})
		}
	})
	if err != nil {
		return out, err
	}
	if to != nil {
		out.Encrypted, out.Key = true, to.ID()
	}
	return out, out.backups(ctx, f, to)
}

// backups encrypts or decrypts the backups in the folder of the store, except those with a passphrase.
func (r *rewriteResult) backups(ctx context.Context, f *cli.Factory, to *crypt.Key) error {
	if err := backup.Sweep(f.DataDir()); err != nil {
		return err
	}
	list, refused := backup.List(f.DataDir(), "")
	want := ""
	if to != nil {
		want = to.ID()
	}
	for _, b := range list {
		if b.Key == want && b.Encrypted == (to != nil) || b.Encrypted && b.Key == "" {
			continue
		}
		secret, err := backupKey(ctx, f, b)
		if err == nil {
			_, err = backup.Reencrypt(ctx, b.File, secret, to)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.Left = append(r.Left, skippedFile{b.File, err.Error()})
			continue
		}
		r.Backups++
	}
	return refused
}

// backupKey returns the passphrase of a backup that is encrypted with the key of a store; empty for others.
func backupKey(ctx context.Context, f *cli.Factory, b backup.Info) (string, error) {
	if b.Key == "" {
		return "", nil
	}
	key, err := f.Keys().Find(ctx, b.Key)
	if err != nil {
		return "", fmt.Errorf("cannot open backup %s: %w", b.File, err)
	}
	return key.Passphrase(), nil
}

// oldCopies deletes or reports the unencrypted copies of the store from before a restore.
func (r *rewriteResult) oldCopies(f *cli.Factory, remove bool) error {
	copies, err := badger.OldCopies(f.DataDir())
	if err != nil {
		return err
	}
	for _, dir := range copies {
		if remove {
			if err := os.RemoveAll(dir); err != nil {
				return fmt.Errorf("cannot remove %s: %w", dir, cli.Cause(err))
			}
			continue
		}
		r.Left = append(r.Left, skippedFile{dir, "an earlier copy of the store; delete it with --remove-old"})
	}
	return nil
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
	if f.JSON {
		return f.PrintJSON(map[string]string{"key_id": key.ID(), "key": key.Text()})
	}
	fmt.Fprintln(f.Out, key.Text())
	return nil
}

func keepKey(ctx context.Context, f *cli.Factory) error {
	b, err := f.Read(ctx, cli.Stdin)
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(b)) == "" {
		return cli.Misused("no key on standard input")
	}
	key, err := crypt.Parse(string(b))
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
	if f.JSON {
		return f.PrintJSON(map[string]string{"key_id": key.ID()})
	}
	fmt.Fprintf(f.Out, "Stored the key %s in the system keyring.\n", key.ID())
	return nil
}
