package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/storekey"
	"bugle/engine/phrase"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
)

const encryptLong = `Encrypts the campaigns, history, users, outbox and settings on this machine, and the backups in the
folder of the store. The store is written again, compared with the old one, and replaces it after a
question; the old files are deleted. You can interrupt that at any time. Quit other bugle processes first.

A new key is created and stored in the system keyring. If there is no keyring, create a key yourself
(openssl rand -base64 32) and set BUGLE_STORE_KEY, or a command that prints it in
BUGLE_STORE_KEY_COMMAND, for this and every other bugle command. If you lose the key, you lose the
campaigns: print it with ` + "`bugle key show`" + ` and keep a copy somewhere safe.

Not encrypted are the names, number, sizes and times of files, and what the terminal program keeps
outside of the store: searches, views, recipients that you typed, and data cached from remotes.`

// NewEncrypt returns the command bugle encrypt.
func NewEncrypt(f *cli.Factory) *cobra.Command {
	return newRewrite(f, &cobra.Command{
		Use:     "encrypt",
		Short:   "Encrypt the store and its backups",
		Long:    encryptLong,
		Example: "  bugle encrypt\n  bugle key show",
	}, change{question: "Encrypt the store? Without its key, nobody can read it.", doing: "encrypting", done: "Encrypted"})
}

// NewRotate returns the command bugle rotate.
func NewRotate(f *cli.Factory) *cobra.Command {
	return newRewrite(f, &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt the store with another key",
		Long: "Works like `bugle encrypt`, with a new key in the system keyring, or the one in BUGLE_NEW_STORE_KEY or\n" +
			"BUGLE_NEW_STORE_KEY_COMMAND. The old key stays in the keyring for backups in other places.",
		Example: "  bugle rotate",
	}, change{question: "Encrypt the store with another key? Without it, nobody can read it.", doing: "changing the key", done: "Encrypted", from: true})
}

// NewDecrypt returns the command bugle decrypt.
func NewDecrypt(f *cli.Factory) *cobra.Command {
	return newRewrite(f, &cobra.Command{
		Use:   "decrypt",
		Short: "Decrypt the store",
		Long: "Also decrypts the backups in its folder that are encrypted with its key. Quit other bugle\n" +
			"processes first. The key stays in the system keyring for backups in other places.",
		Example: "  bugle decrypt",
	}, change{question: "Decrypt the store? Everybody who can read its files can read it then.", doing: "decrypting", done: "Decrypted", from: true, plain: true})
}

// change is a change of the encryption of a store.
type change struct {
	question, doing, done string
	from                  bool // the store is encrypted before
	plain                 bool // it is not encrypted afterwards
}

func newRewrite(f *cli.Factory, cmd *cobra.Command, c change) *cobra.Command {
	var yes bool
	cmd.Args = cli.Exactly(0, "no arguments")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.run(cmd.Context(), f, yes)
	}
	cli.AddYes(cmd, &yes)
	return cmd
}

// run asks, and changes the encryption of the store and of its backups.
func (c change) run(ctx context.Context, f *cli.Factory, yes bool) error {
	id, encrypted, err := keyOfStore(&f.Environment)
	switch {
	case err != nil:
		return err
	case c.from && !encrypted:
		return cli.WithRemedy(errors.New("the store is not encrypted"), "Encrypt it with `bugle encrypt`.")
	case !c.from && encrypted: // for example after an interruption
		key, err := f.Keys().Find(ctx, id)
		if err != nil {
			return fmt.Errorf("the store in %s is already encrypted, but its backups cannot be: %w", f.DataDir(), err)
		}
		said := fmt.Sprintf("The store in %s is already encrypted. Change its key with `bugle rotate`.", f.DataDir())
		return rewriteResult{Encrypted: true, Key: key.ID()}.end(ctx, f, &key, said)
	case !yes && !f.CanAsk():
		return cli.Misused("%s writes the store again, and nobody can be asked here; add --yes", c.doing)
	}
	old, err := badger.Open(ctx, badger.Options{Dir: f.DataDir(), Key: f.Keys().Find}) // before a new key is made
	if err != nil {
		return err
	}
	defer old.Close() // Rewrite closes it, too
	if ok, err := f.Agreed(ctx, yes, c.question, "to do it"); !ok {
		return err
	}
	var out rewriteResult
	var key *crypt.Key
	if !c.plain {
		fresh, where, err := f.Keys().Fresh(ctx, c.from)
		if err != nil {
			return err
		}
		if fresh.ID() == id {
			return cli.Misused("%s has the current key of the store; set a new one", where)
		}
		key, out.Encrypted, out.Key, out.From = &fresh, true, fresh.ID(), where
	}
	if out.Records, err = rewrite(ctx, f, old, key); err != nil {
		return err // a new key stays in the keyring: the next process may complete the replacement
	}
	said := fmt.Sprintf("%s the store in %s: %s written and verified.", c.done, f.DataDir(), phrase.Count(out.Records, "record"))
	err = out.end(ctx, f, key, said)
	if err == nil && key != nil && !f.JSON {
		fmt.Fprintln(f.Out, storekey.Describe(out.From, c.from))
	}
	return err
}

// keyOfStore returns the id of the key of the store, which must exist. The id is empty if it cannot be read.
func keyOfStore(e *cli.Environment) (key string, encrypted bool, err error) {
	if err := e.CheckFolder(); err != nil {
		return "", false, err
	}
	return badger.Encryption(e.DataDir())
}

// rewrite replaces the store with a copy that is encrypted with a key or not encrypted, and returns the number of its records.
func rewrite(ctx context.Context, f *cli.Factory, old *badger.DB, to *crypt.Key) (records int, err error) {
	progress := cli.Progress(f.Streams, "Written or verified", "record")
	defer progress(-1)
	var c backup.Contents
	err = old.Rewrite(ctx, to, badger.Filler{
		Fill: func(ctx context.Context, db *badger.DB) (err error) {
			c, err = backup.Copy(ctx, old, db, progress)
			return err
		},
		Check: func(ctx context.Context, db *badger.DB) error { return backup.Compare(ctx, db, c, progress) },
	})
	return c.Records, err
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

// end encrypts or decrypts the backups, and prints what was done, after what was done with the store.
func (r rewriteResult) end(ctx context.Context, f *cli.Factory, key *crypt.Key, said string) error {
	if err := r.convert(ctx, f, key); err != nil {
		return err
	}
	if f.JSON {
		return f.PrintJSON(r)
	}
	fmt.Fprintln(f.Out, cli.Line(said))
	if r.Backups > 0 {
		fmt.Fprintf(f.Out, "Also converted %s in its folder.\n", phrase.Count(r.Backups, "backup"))
	}
	for _, l := range r.Left {
		fmt.Fprintf(f.Out, "Not changed: %s (%s).\n", cli.Line(l.Path), cli.Line(l.Why))
	}
	return nil
}

// convert encrypts or decrypts the backups in the folder of the store, except those with a passphrase, and adds what is not
// encrypted beside it.
func (r *rewriteResult) convert(ctx context.Context, f *cli.Factory, to *crypt.Key) error {
	if err := backup.Sweep(filepath.Join(f.DataDir(), backup.Folder), 0); err != nil {
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
	copies, err := badger.OldCopies(f.DataDir())
	if to != nil {
		for _, dir := range copies {
			r.Left = append(r.Left, skippedFile{dir, "an earlier copy of the store; delete that folder if you do not need it"})
		}
	}
	return errors.Join(refused, err)
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
