package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/phrase"
	"bugle/engine/timeparse"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
	"bugle/store/socket"
)

// NewRestore returns the command bugle restore.
func NewRestore(f *cli.Factory) *cobra.Command {
	var pass passphrase
	var campaign string
	cmd := &cobra.Command{
		Use:   "restore [FILE]",
		Short: "Restore the store or one campaign from a backup",
		Long: "The backup is checked completely first, and the current store is kept under another name. Quit\n" +
			"other bugle processes first. Without FILE, list the backups in the data folder, newest first.\n\n" +
			"A store in a database gets the workspaces of the backup, unless it has one of them already: this is\n" +
			"also how to move a store from a folder to a database, and back.\n\n" +
			"With --campaign, restore one campaign that is damaged or missing, with its history. Other bugle\n" +
			"processes can keep using the store.",
		Example: "  bugle restore\n  bugle restore backups/daily-20260304-120000" + backup.Suffix + "\n" +
			"  bugle restore my" + backup.Suffix + " --campaign 6746f3b1c2a4e5d6f7a8b9c0",
		Args: cli.Between(0, 1, "at most one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if campaign != "" {
					return cli.Misused("--campaign needs a backup file; `bugle restore` lists them")
				}
				return listBackups(f)
			}
			file, err := filepath.Abs(args[0])
			if err != nil {
				return fmt.Errorf("cannot use this file name: %w", err)
			}
			info, err := backup.ReadHeader(file)
			if err != nil {
				return err
			}
			if campaign != "" {
				return restoreCampaign(cmd.Context(), f, info, pass, campaign)
			}
			if _, ok := f.Database(); ok {
				return restoreDatabase(cmd.Context(), f, info, pass)
			}
			return restoreStore(cmd.Context(), f, info, pass)
		},
	}
	cmd.Flags().StringVar(&campaign, "campaign", "", "restore only the campaign with this `ID`")
	pass.flags(cmd)
	return cmd
}

func listBackups(f *cli.Factory) error {
	list, err := backup.List(f.DataDir())
	if err != nil {
		return err
	}
	if f.JSON {
		return f.PrintJSON(map[string]any{"backups": append([]backup.Info{}, list...)})
	}
	if len(list) == 0 {
		fmt.Fprintf(f.Out, "No backups in %s. Create one with `bugle backup`.\n", cli.Line(filepath.Join(f.DataDir(), backup.Folder)))
		return nil
	}
	rows := [][]string{}
	for _, b := range list {
		how := ""
		switch {
		case b.Key != "":
			how = "encrypted with the key of a store"
		case b.Encrypted:
			how = "encrypted"
		}
		rows = append(rows, []string{timeparse.Moment(b.Made.Local(), time.Now()), bytesText(b.Size), how, b.File})
	}
	return f.Rows([]string{"CREATED", "SIZE", "", "FILE"}, rows)
}

// restoreStore verifies the backup, creates a store from it, verifies the store, and replaces the current store with
// it.
func restoreStore(ctx context.Context, f *cli.Factory, from backup.Info, pass passphrase) error {
	key, err := restoredKey(ctx, f, from)
	if err != nil {
		return err
	}
	secret, err := backupSecret(ctx, f, from, pass)
	if err != nil {
		return err
	}
	file := from.File
	told := meter(&f.Printer, "records read")
	records := func(n int) {
		if told != nil {
			told(socket.JobProgress{Records: n})
		}
	}
	info, err := backup.Verify(ctx, file, secret, records)
	if err != nil {
		return passRemedy(err)
	}
	aside, err := badger.Replace(ctx, f.DataDir(), key, func(ctx context.Context, db kv.DB) error {
		if _, err := backup.Load(ctx, db, file, secret, records); err != nil {
			return err
		}
		found, err := kv.Check(ctx, db, records)
		switch {
		case err != nil:
			return err
		case found.Campaigns != info.Campaigns || info.Store == kv.Format && found.Records != info.Records:
			return fmt.Errorf("the store restored from %s has %d campaigns and %d records instead of %d and %d; no changes made",
				file, found.Campaigns, found.Records, info.Campaigns, info.Records)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f.JSON {
		return f.PrintJSON(map[string]any{"restored": info, "kept_aside": aside, "encrypted": key != nil})
	}
	printRestored(f, info)
	if aside != "" {
		fmt.Fprintf(f.Out, "The previous store is in %s.\n", cli.Line(aside))
	}
	if info.Encrypted && key == nil {
		fmt.Fprintln(f.Out, "The backup was encrypted, but the store is not. Encrypt it with `bugle encrypt`.")
	}
	if !info.Healthy() {
		fmt.Fprintln(f.Out, "The store was already damaged when this backup was made. See `bugle doctor`.")
	}
	return nil
}

func printRestored(f *cli.Factory, info backup.Info) {
	fmt.Fprintf(f.Out, "Restored %s in %s, as of %s.\n", phrase.Count(info.Campaigns, "campaign"), phrase.Count(len(info.Workspaces), "workspace"),
		info.Made.Local().Format("2006-01-02 15:04"))
}

// restoreDatabase restores the workspaces of a backup to a database, and creates its tables if they do not exist.
func restoreDatabase(ctx context.Context, f *cli.Factory, from backup.Info, pass passphrase) error {
	secret, err := backupSecret(ctx, f, from, pass)
	if err != nil {
		return err
	}
	db, err := f.Connect(ctx, true)
	if err != nil {
		return err
	}
	defer db.Close()
	told := meter(&f.Printer, "records read")
	info, err := backup.LoadInto(ctx, db, from.File, secret, func(n int) {
		if told != nil {
			told(socket.JobProgress{Records: n})
		}
	})
	if err != nil {
		return passRemedy(err)
	}
	if f.JSON {
		return f.PrintJSON(map[string]any{"restored": info})
	}
	printRestored(f, info)
	return nil
}

// backupSecret returns the passphrase of a backup: that of its key, or one from the user; empty if it is not encrypted.
func backupSecret(ctx context.Context, f *cli.Factory, b backup.Info, pass passphrase) (string, error) {
	if b.Encrypted && b.Key == "" {
		return pass.read(ctx, f, false)
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

func restoreCampaign(ctx context.Context, f *cli.Factory, from backup.Info, pass passphrase, id string) error {
	secret := ""
	// The owner of the store has its key.
	own, _, err := badger.Encryption(f.DataDir())
	if err == nil && (own != from.Key || own == "") {
		secret, err = backupSecret(ctx, f, from, pass)
	}
	if err != nil {
		return err
	}
	store, err := openStore(ctx, f)
	if err != nil {
		return err
	}
	ws, err := f.WorkspaceID(ctx, store)
	if err != nil {
		return err
	}
	_, err = store.Do(ctx, socket.Job{Kind: socket.JobRecover, File: from.File, Passphrase: secret, Workspace: ws, Campaign: id}, nil)
	if err != nil {
		return passRemedy(err)
	}
	if f.JSON {
		return f.PrintJSON(map[string]string{"id": id, "workspace_id": ws})
	}
	fmt.Fprintf(f.Out, "Restored campaign %s with its history.\n", cli.Line(id))
	return nil
}

// passRemedy adds how to provide a passphrase. The error may have come through the socket, as text.
func passRemedy(err error) error {
	wrong := errors.Is(err, backup.ErrPassphrase) || strings.Contains(err.Error(), backup.ErrPassphrase.Error())
	if !wrong {
		return err
	}
	return cli.WithRemedy(err, "Set it with "+EnvPassphrase+" or --passphrase-command, or type it.")
}
