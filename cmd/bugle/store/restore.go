package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/phrase"
	"bugle/engine/timeparse"
	datastore "bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/postgres"
	"bugle/store/socket"
)

// restore holds the flags of bugle restore.
type restore struct {
	campaign    string
	dryRun, yes bool
}

// NewRestore returns the command bugle restore.
func NewRestore(f *cli.Factory) *cobra.Command {
	var r restore
	cmd := &cobra.Command{
		Use:   "restore [FILE]",
		Short: "Restore the store or one campaign from a backup",
		Long: "The backup is checked completely, compared with the store, and replaces it after a question. The store as\n" +
			"it was is kept in a folder beside it. Quit other bugle processes first. Without FILE, list the backups\n" +
			"in the data folder, newest first, and the store that each was made of.\n\n" +
			"A store in a database gets the workspaces of the backup, unless it has one of them already: this is\n" +
			"also how to move a store from a folder to a database, and back.\n\n" +
			"With --campaign, restore one campaign that is damaged or missing, with its history. Other bugle\n" +
			"processes can keep using the store.",
		Example: "  bugle restore\n  bugle restore backups/daily-20260304-120000" + backup.Suffix + " --dry-run\n" +
			"  bugle restore my" + backup.Suffix + " --campaign 6746f3b1c2a4e5d6f7a8b9c0",
		Args: cli.Between(0, 1, "at most one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && (r.campaign != "" || r.dryRun || r.yes):
				return cli.Misused("restoring needs a backup file; `bugle restore` lists them")
			case len(args) == 0:
				return listBackups(f)
			case !r.dryRun && !r.yes && !f.CanAsk():
				return cli.Misused("restoring replaces data, and nobody can be asked here; add --yes to restore, or --dry-run to see what is replaced")
			}
			file, err := filepath.Abs(args[0])
			if err != nil {
				return fmt.Errorf("cannot use this file name: %w", err)
			}
			info, err := backup.ReadHeader(file)
			if err != nil {
				return err
			}
			if r.campaign != "" {
				return r.one(cmd.Context(), f, info)
			}
			return r.store(cmd.Context(), f, info)
		},
	}
	cmd.Flags().StringVar(&r.campaign, "campaign", "", "restore only the campaign with this `ID`")
	cli.AddDryRun(cmd, &r.dryRun)
	cli.AddYes(cmd, &r.yes)
	cmd.MarkFlagsMutuallyExclusive("dry-run", "yes")
	return cmd
}

func listBackups(f *cli.Factory) error {
	database := ""
	if url, ok := f.Database(); ok {
		database = postgres.Name(url)
	}
	list, refused := backup.List(f.DataDir(), database)
	if len(list) == 0 && refused != nil {
		return refused
	}
	l := cli.List{Name: "backups", Head: []string{"CREATED", "SIZE", "", "STORE", "FILE"}}
	l.Empty = cli.Line(fmt.Sprintf("No backups in %s. Create one with `bugle backup`.", filepath.Join(f.DataDir(), backup.Folder)))
	for _, b := range list {
		how := ""
		switch {
		case b.Key != "":
			how = "encrypted with the key of a store"
		case b.Encrypted:
			how = "encrypted"
		}
		v, err := cli.Doc(b)
		if err != nil {
			return err
		}
		l.Add(v, timeparse.Moment(b.Made.Local(), time.Now()), bytesText(b.Size), how, cmp.Or(b.Store(), "unknown"), b.File)
	}
	return errors.Join(f.PrintList(l, nil), refused)
}

// store compares the whole store with a backup, asks, and restores it.
func (r restore) store(ctx context.Context, f *cli.Factory, from backup.Info) error {
	_, database := f.Database()
	var key *crypt.Key
	if !database {
		var err error
		if key, err = restoredKey(ctx, f, from); err != nil {
			return err
		}
	}
	secret, err := backupSecret(ctx, f, from)
	if err != nil {
		return err
	}
	records := cli.Progress(f.Streams, "Read", "record")
	info, changes, unread, err := compare(ctx, f, from.File, secret, !r.dryRun, records)
	records(-1)
	if err != nil {
		return passRemedy(err)
	}
	replaced := slices.ContainsFunc(changes, func(d backup.Difference) bool { return d.Now != nil })
	if database {
		for _, d := range changes {
			if d.Now != nil && d.Backup != nil {
				return fmt.Errorf("there is already a workspace %q in this store; restore into an empty one", d.Workspace)
			}
		}
		changes = slices.DeleteFunc(changes, func(d backup.Difference) bool { return d.Backup == nil })
	}
	if !f.JSON {
		if err := printChanges(f, info, changes, unread); err != nil {
			return err
		}
	}
	question := "Replace the store?"
	if database || !replaced && unread == nil {
		question = "Restore the backup?"
	}
	if ok, err := r.agreed(ctx, f, question, map[string]any{"backup": info, "changes": changes}); !ok {
		return err
	}
	out := map[string]any{"restored": info, "changes": changes}
	var notes []string
	if database {
		err = loadDatabase(ctx, f, info, secret, records)
	} else {
		out["encrypted"] = key != nil
		notes, out["kept_aside"], err = replaceStore(ctx, f, info, secret, key, records)
	}
	records(-1)
	switch {
	case err != nil:
		return passRemedy(err)
	case f.JSON:
		return f.PrintJSON(out)
	}
	fmt.Fprintf(f.Out, "Restored %s in %s, as of %s.\n", phrase.Count(info.Campaigns, "campaign"), phrase.Count(len(info.Workspaces), "workspace"),
		info.Made.Local().Format("2006-01-02 15:04"))
	// Push gateways ask before they send a secret of this machine, and connectors do not.
	notes = append(notes, "If the backup is not yours, check where it sends before you test: see `bugle connectors list` and `bugle gateways list`.")
	for _, note := range notes {
		fmt.Fprintln(f.Out, cli.Line(note))
	}
	return nil
}

// agreed reports whether to restore. For --dry-run it prints the plan as JSON instead, if that is asked for.
func (r restore) agreed(ctx context.Context, f *cli.Factory, question string, plan map[string]any) (bool, error) {
	if r.dryRun {
		return false, f.Done(plan, "No changes made.")
	}
	return f.Agreed(ctx, r.yes, question, "to restore")
}

// compare checks a backup and compares it with the store, which is closed again. unread is why some of the store, or all of
// it, cannot be read. It fails if another process has a store in a folder that is to be replaced.
func compare(ctx context.Context, f *cli.Factory, file, secret string, replace bool, records func(int)) (info backup.Info, changes []backup.Difference, unread, err error) {
	defer f.Notices.Take() // they are about the store that is replaced
	var now datastore.DB
	store, err := f.Store(ctx)
	switch {
	case errors.Is(err, cli.ErrNoWorkspace):
	case errors.As(err, new(*datastore.LockedError)), ctx.Err() != nil, err != nil && cli.ExitCode(err) == cli.ExitMisused:
		return info, nil, nil, err
	case err != nil:
		unread = err
	default:
		if folder := store.Folder(); folder != nil && replace && folder.State().Role != socket.Owner {
			return info, nil, nil, &datastore.LockedError{Dir: f.DataDir(), PID: folder.State().PID}
		}
		now = store.Records()
	}
	info, changes, partly, err := backup.Differences(ctx, now, file, secret, records)
	if _, ok := f.Database(); ok && err == nil {
		err = partly
	}
	return info, changes, cmp.Or(unread, partly), errors.Join(err, f.Close())
}

// printChanges prints what a restore replaces by what.
func printChanges(f *cli.Factory, info backup.Info, changes []backup.Difference, unread error) error {
	fmt.Fprintf(f.Out, "Backup  %s\n        %s\nStore   %s\n\n", cli.Line(info.File), madeOf(info), cli.Line(f.Place()))
	row := func(name, side string, s *backup.Side) []string {
		switch {
		case s == nil:
			return []string{name, side, "-", "-"}
		case s.Changed.IsZero():
			return []string{name, side, strconv.Itoa(s.Campaigns), "-"}
		}
		return []string{name, side, strconv.Itoa(s.Campaigns), timeparse.Moment(s.Changed.Local(), time.Now())}
	}
	rows := [][]string{}
	older, replaced, sum := false, unread != nil, backup.Difference{}
	for _, d := range changes {
		rows = append(rows, row(d.Workspace, "now", d.Now), row("", "backup", d.Backup))
		older = older || d.Now != nil && (d.Backup == nil || d.Now.Changed.After(d.Backup.Changed))
		replaced = replaced || d.Now != nil
		sum.Removed, sum.Undone, sum.Added = sum.Removed+d.Removed, sum.Undone+d.Undone, sum.Added+d.Added
	}
	if err := f.Rows([]string{"WORKSPACE", "", "CAMPAIGNS", "LAST CHANGE"}, rows); err != nil {
		return err
	}
	fmt.Fprintln(f.Out)
	if unread != nil {
		fmt.Fprintf(f.Out, "Not everything in the store can be read: %s.\n", cli.Line(unread.Error()))
	}
	if older {
		fmt.Fprintln(f.Out, "The backup is older than the store.")
	}
	for _, c := range []struct {
		n    int
		what string
	}{{sum.Removed, "Not in the backup, so removed"}, {sum.Undone, "Changed since the backup, so set back"}, {sum.Added, "Only in the backup, so added"}} {
		if c.n > 0 {
			fmt.Fprintf(f.Out, "%s: %s.\n", c.what, phrase.Count(c.n, "campaign"))
		}
	}
	if replaced {
		fmt.Fprintln(f.Out, "Users, settings, API keys and test messages are replaced as well.\nThe store as it is now is kept in a folder beside the new one.")
	}
	return nil
}

// madeOf describes when a backup was made, and of what.
func madeOf(info backup.Info) string {
	text := "made " + timeparse.Moment(info.Made.Local(), time.Now())
	if of := info.Store(); of != "" {
		text += ", of the store in " + of
	}
	return cli.Line(text)
}

// replaceStore creates a store from the backup, verifies it, and replaces the current one with it. It returns what to say of that,
// and where the current one is kept.
func replaceStore(ctx context.Context, f *cli.Factory, info backup.Info, secret string, key *crypt.Key, records func(int)) (notes []string, aside string, err error) {
	aside, err = badger.Replace(ctx, f.DataDir(), key, badger.Filler{
		Fill: func(ctx context.Context, db *badger.DB) error {
			return backup.Load(ctx, db, info.File, secret, records)
		},
		Check: func(ctx context.Context, db *badger.DB) error { return backup.Compare(ctx, db, info.Contents, records) },
	})
	if aside != "" {
		notes = append(notes, fmt.Sprintf("The previous store is in %s. To go back to it, quit bugle and rename it to %s.", aside, badger.Folder))
	}
	if info.Encrypted && key == nil {
		notes = append(notes, "The backup was encrypted, but the store is not. Encrypt it with `bugle encrypt`.")
	}
	return notes, aside, err
}

// loadDatabase restores the workspaces of a backup to a database, and creates its tables if they do not exist.
func loadDatabase(ctx context.Context, f *cli.Factory, info backup.Info, secret string, records func(int)) error {
	s, err := f.Open(ctx)
	if err != nil {
		return err
	}
	return backup.Load(ctx, s.Records(), info.File, secret, records)
}

// backupSecret returns the passphrase of a backup: that of its key, or one from the user; empty if it is not encrypted.
func backupSecret(ctx context.Context, f *cli.Factory, b backup.Info) (string, error) {
	if b.Encrypted && b.Key == "" {
		return readPassphrase(ctx, f, false)
	}
	return backupKey(ctx, f, b)
}

// restoredKey returns the key of the store to restore: that of the current store, or else of the backup; nil if it will
// not be encrypted.
func restoredKey(ctx context.Context, f *cli.Factory, b backup.Info) (*crypt.Key, error) {
	id, encrypted, err := badger.Encryption(f.DataDir())
	switch {
	case err != nil:
		return nil, err
	case id == "" && (encrypted || !badger.Exists(f.DataDir())):
		id, encrypted = b.Key, encrypted || b.Key != ""
	}
	if !encrypted {
		return nil, nil
	}
	key, err := f.Keys().Find(ctx, id)
	if err != nil {
		return nil, cli.WithRemedy(fmt.Errorf("cannot encrypt the restored store: %w", err), "No changes made. Restore to another folder with --data.")
	}
	return &key, nil
}

// one restores one campaign after a question.
func (r restore) one(ctx context.Context, f *cli.Factory, from backup.Info) error {
	secret, err := backupSecret(ctx, f, from)
	if err != nil {
		return err
	}
	defer f.Notices.Take() // against damage this command helps
	store, err := f.Store(ctx)
	if err != nil {
		return err
	}
	ws, err := f.WorkspaceID(ctx, store)
	if err != nil {
		return err
	}
	found, err := backup.FindCampaign(ctx, store.Records(), from.File, secret, ws, r.campaign)
	if err != nil {
		return passRemedy(err)
	}
	if !f.JSON {
		state := "The store does not have it."
		if found.Damaged {
			state = "It is damaged in the store. What is left of it and its history is replaced for good."
		}
		fmt.Fprintf(f.Out, "Backup    %s\n          %s\nCampaign  %s\n          %s, last change %s\n\n%s\n", cli.Line(found.Backup.File), madeOf(found.Backup),
			cli.Line(r.campaign), cli.Line(cmp.Or(found.Name, "without a name")), timeparse.Moment(found.UpdatedAt.Local(), time.Now()), state)
	}
	if ok, err := r.agreed(ctx, f, "Restore this campaign?", map[string]any{"campaign": found}); !ok {
		return err
	}
	if err := found.Restore(ctx, store.Records()); err != nil {
		return err
	}
	if f.JSON {
		return f.PrintJSON(map[string]string{"id": r.campaign, "workspace_id": ws})
	}
	fmt.Fprintf(f.Out, "Restored campaign %s with its history.\n", cli.Line(r.campaign))
	return nil
}

// passRemedy adds how to provide a passphrase.
func passRemedy(err error) error {
	if !errors.Is(err, backup.ErrPassphrase) {
		return err
	}
	return cli.WithRemedy(err, "Set it with "+EnvPassphrase+", or type it.")
}
