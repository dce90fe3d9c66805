package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/storekey"
	"bugle/engine/attach"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
)

// storeKeys are the keys of encrypted stores.
type storeKeys struct {
	ring  *storekey.Ring
	fresh *crypt.Key // what a store that is made is encrypted with
}

// keys gives where the keys of stores are found.
func (f *factory) keys() *storekey.Ring {
	if f.sealing.ring == nil {
		f.sealing.ring = storekey.New(f.getenv)
	}
	return f.sealing.ring
}

const encryptLong = `Encrypt the store of this machine: its campaigns, revisions, users, outbox and settings, and the
backups in its folder. It is written anew, compared with what it was, and takes its place; the old
files are removed. No other bugle may have the store open.

The key is a new one, which is put into the system keyring. Where there is none, make a key yourself
(openssl rand -base64 32) and give it in BUGLE_STORE_KEY, or a command that prints it in
BUGLE_STORE_KEY_COMMAND, to this command and to every bugle that opens the store. Whoever loses the
key loses the campaigns: --show-key prints it, to be kept somewhere safe.

--rotate writes the store anew with another key (of the keyring, or of BUGLE_NEW_STORE_KEY or
BUGLE_NEW_STORE_KEY_COMMAND); the one before stays in the keyring, for backups that are elsewhere.

What stays readable are names, number and sizes of the files, when they were written, and what the
terminal program remembers outside of the store's folder: searches, views and recipients that you
typed, and what was read from remote services.`

func newEncrypt(f *factory) *cobra.Command {
	var rotate, show, keep, removeOld bool
	cmd := &cobra.Command{
		Use:   "encrypt",
		Short: "Encrypt the store, or give it another key",
		Long:  encryptLong,
		Example: "  bugle encrypt\n  bugle encrypt --show-key\n  bugle encrypt --rotate\n" +
			"  pass show bugle-store | bugle encrypt --keep-key",
		Args:              exactly(0, "no arguments"),
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
	cmd.Flags().BoolVar(&rotate, "rotate", false, "encrypt a store that is encrypted with another key")
	cmd.Flags().BoolVar(&show, "show-key", false, "print the key of the store")
	cmd.Flags().BoolVar(&keep, "keep-key", false, "put the key that is on standard input into the system keyring")
	addRemoveOld(cmd, &removeOld)
	cmd.MarkFlagsMutuallyExclusive("rotate", "show-key", "keep-key")
	return cmd
}

func addRemoveOld(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "remove-old", false, "remove what was kept of the store before a restore or when it was damaged, too")
}

func newDecrypt(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "decrypt",
		Short: "Take the encryption from the store",
		Long: "Write the store anew without encryption, and the backups in its folder that its key encrypts.\n" +
			"No other bugle may have the store open. The key stays in the system keyring, for backups that\n" +
			"are elsewhere.",
		Example:           "  bugle decrypt",
		Args:              exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, encrypted, err := f.sealed(); err != nil {
				return err
			} else if !encrypted {
				return errors.New("the store is not encrypted")
			}
			out, err := f.rewrite(cmd.Context(), nil)
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(out)
			}
			fmt.Fprintf(f.out, "The store in %s is not encrypted any more; %s were written anew and compared.\n", line(f.dataDir()), count(out.Records, "record"))
			out.say(f)
			return nil
		},
	}
}

// sealed gives the id of the key of the store, which must be there; empty where it cannot be read.
func (f *factory) sealed() (key string, encrypted bool, err error) {
	have, err := f.hasStore()
	if err != nil {
		return "", false, err
	}
	if !have {
		return "", false, errNoWorkspace
	}
	return badger.Sealed(f.dataDir())
}

// stillSealed reports whether the store is there as it was sealed before. Where that is not certain, as
// when the new one could not be put in its place and is by the next bugle, its key must be kept.
func (f *factory) stillSealed(key string, encrypted bool) bool {
	now, is, err := f.sealed()
	return err == nil && now == key && is == encrypted
}

// rewritten is what became of a store that was encrypted or decrypted.
type rewritten struct {
	Encrypted bool   `json:"encrypted"`
	Key       string `json:"key_id,omitempty"`
	From      string `json:"key_from,omitempty"` // where the key is
	Records   int    `json:"records"`
	Backups   int    `json:"backups"`        // that were encrypted or decrypted with it
	Left      []left `json:"left,omitempty"` // what is as it was
}

// left is a file or folder that is as it was before, and why.
type left struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

func (r rewritten) say(f *factory) {
	if r.Backups > 0 {
		fmt.Fprintf(f.out, "%s in its folder, too.\n", count(r.Backups, "backup"))
	}
	for _, l := range r.Left {
		fmt.Fprintf(f.out, "As it was: %s (%s).\n", line(l.Path), line(l.Why))
	}
}

func runEncrypt(ctx context.Context, f *factory, rotate, removeOld bool) error {
	id, encrypted, err := f.sealed()
	switch {
	case err != nil:
		return err
	case rotate && !encrypted:
		return remedied{errors.New("the store is not encrypted"), "`bugle encrypt` encrypts it."}
	case encrypted && !rotate:
		return finishEncrypt(ctx, f, id, removeOld)
	}
	if encrypted { // before another one is made
		if _, err := f.keys().Find(ctx, id); err != nil {
			return fmt.Errorf("the store in %s is encrypted, and cannot be opened: %w", f.dataDir(), err)
		}
	}
	key, where, err := f.keys().Fresh(ctx, rotate)
	if err != nil {
		return err
	}
	if key.ID() == id {
		return misused("%s has the key that the store has already", where)
	}
	out, err := f.rewrite(ctx, &key)
	if err != nil {
		if where == storekey.Keyring && f.stillSealed(id, encrypted) {
			err = errors.Join(err, f.keys().Drop(key.ID()))
		}
		return err
	}
	out.From = where
	if err := out.oldCopies(f, removeOld); err != nil {
		return err
	}
	if f.json {
		return f.printJSON(out)
	}
	fmt.Fprintf(f.out, "The store in %s is encrypted; %s were written anew and compared.\n", line(f.dataDir()), count(out.Records, "record"))
	out.say(f)
	sayKey(f, where, rotate)
	return nil
}

// finishEncrypt encrypts what there is beside an encrypted store, as after one that was interrupted.
func finishEncrypt(ctx context.Context, f *factory, id string, removeOld bool) error {
	key, err := f.keys().Find(ctx, id)
	if err != nil {
		return fmt.Errorf("the store in %s is encrypted already, and its key is needed for the rest: %w", f.dataDir(), err)
	}
	out := rewritten{Encrypted: true, Key: key.ID()}
	if err := out.backups(ctx, f, &key); err != nil {
		return err
	}
	if err := out.oldCopies(f, removeOld); err != nil {
		return err
	}
	if f.json {
		return f.printJSON(out)
	}
	fmt.Fprintf(f.out, "The store in %s is encrypted already; --rotate gives it another key.\n", line(f.dataDir()))
	out.say(f)
	return nil
}

// sayKey says where the key is, and that nobody else has it.
func sayKey(f *factory, where string, rotated bool) {
	switch {
	case where == storekey.Keyring:
		fmt.Fprintln(f.out, "Its key is in the system keyring. Without it nothing can be read: `bugle encrypt --show-key` prints it, to be kept somewhere safe.")
	case rotated:
		fmt.Fprintf(f.out, "Its key is that of %s: from now on bugle needs it in %s or %s, or in the keyring (`bugle encrypt --keep-key`).\n", where, storekey.Env, storekey.EnvCommand)
	default:
		fmt.Fprintf(f.out, "Its key is that of %s, which bugle needs from now on. Without it nothing can be read.\n", where)
	}
}

// rewrite writes the store anew with a key, or with none, and then its backups.
func (f *factory) rewrite(ctx context.Context, to *crypt.Key) (out rewritten, err error) {
	told := f.meter("records written")
	out.Records, err = badger.Rewrite(ctx, badger.Options{Dir: f.dataDir(), Key: f.keys().Find}, to, func(n int, verifying bool) {
		if told != nil {
			told(attach.JobProgress{Records: n, Verifying: verifying})
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

// backups seals the backups in the folder of the store anew, but for those with a passphrase.
func (r *rewritten) backups(ctx context.Context, f *factory, to *crypt.Key) error {
	if err := backup.Sweep(f.dataDir()); err != nil {
		return err
	}
	list, err := backup.List(f.dataDir())
	if err != nil {
		return err
	}
	want := ""
	if to != nil {
		want = to.ID()
	}
	for _, b := range list {
		if b.Key == want && b.Encrypted == (to != nil) || b.Encrypted && b.Key == "" {
			continue
		}
		secret, err := f.backupKey(ctx, b)
		if err == nil {
			_, err = backup.Reseal(ctx, b.File, secret, to)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.Left = append(r.Left, left{b.File, err.Error()})
			continue
		}
		r.Backups++
	}
	return nil
}

// backupKey gives the passphrase of a backup that the key of a store encrypts; empty where none does.
func (f *factory) backupKey(ctx context.Context, b backup.Info) (string, error) {
	if b.Key == "" {
		return "", nil
	}
	key, err := f.keys().Find(ctx, b.Key)
	if err != nil {
		return "", fmt.Errorf("the backup %s is encrypted with the key of a store: %w", b.File, err)
	}
	return key.Passphrase(), nil
}

// oldCopies removes the copies of the store from before a restore, which are not encrypted, or says
// that they are there.
func (r *rewritten) oldCopies(f *factory, remove bool) error {
	copies, err := badger.OldCopies(f.dataDir())
	if err != nil {
		return err
	}
	for _, dir := range copies {
		if remove {
			if err := os.RemoveAll(dir); err != nil {
				return fmt.Errorf("cannot remove %s: %w", dir, cause(err))
			}
			continue
		}
		r.Left = append(r.Left, left{dir, "an earlier copy of the store; --remove-old removes it"})
	}
	return nil
}

func showKey(ctx context.Context, f *factory) error {
	id, encrypted, err := f.sealed()
	if err != nil {
		return err
	}
	if !encrypted {
		return errors.New("the store is not encrypted, and has no key")
	}
	key, err := f.keys().Find(ctx, id)
	if err != nil {
		return err
	}
	if f.json {
		return f.printJSON(map[string]string{"key_id": key.ID(), "key": key.Text()})
	}
	fmt.Fprintln(f.out, key.Text())
	return nil
}

func keepKey(ctx context.Context, f *factory) error {
	b, err := f.read(ctx, stdin)
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(b)) == "" {
		return misused("there is no key on standard input")
	}
	key, err := crypt.Parse(string(b))
	if err != nil {
		return usageError{err}
	}
	id, _, err := badger.Sealed(f.dataDir())
	if err != nil {
		return err
	}
	if id != "" && id != key.ID() {
		return fmt.Errorf("%w: that of the store in %s has the id %s, and this one %s", crypt.ErrWrongKey, f.dataDir(), id, key.ID())
	}
	if err := f.keys().Keep(key); err != nil {
		return err
	}
	if f.json {
		return f.printJSON(map[string]string{"key_id": key.ID()})
	}
	fmt.Fprintf(f.out, "The key %s is in the system keyring.\n", key.ID())
	return nil
}

// readable gives what beside an encrypted store can be read without its key.
func readable(dataDir string) (out []string) {
	if _, encrypted, err := badger.Sealed(dataDir); err != nil || !encrypted {
		return nil
	}
	if list, err := backup.List(dataDir); err == nil {
		for _, b := range list {
			if !b.Encrypted {
				out = append(out, b.File)
			}
		}
	}
	return out
}
