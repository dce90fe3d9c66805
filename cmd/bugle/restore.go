package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine/attach"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
)

func newRestore(f *factory) *cobra.Command {
	var pass passphrase
	var campaign string
	cmd := &cobra.Command{
		Use:   "restore [FILE]",
		Short: "Put the store, or one campaign, back from a backup",
		Long: "Put the store back from a backup: it is read and checked completely before it takes the place of\n" +
			"the store that is there, which is kept aside. No other bugle may have the store open. Without FILE\n" +
			"the backups in the data folder are listed, newest first.\n\n" +
			"--campaign puts back one campaign with its history, where it is damaged or gone, and works while\n" +
			"other bugles have the store open.",
		Example: "  bugle restore\n  bugle restore backups/daily-20260304-120000" + backup.Suffix + "\n" +
			"  bugle restore my" + backup.Suffix + " --campaign 6746f3b1c2a4e5d6f7a8b9c0",
		Args: between(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if campaign != "" {
					return misused("name the backup FILE that the campaign comes from; bugle restore lists them")
				}
				return listBackups(f)
			}
			file, err := filepath.Abs(args[0])
			if err != nil {
				return fmt.Errorf("the name of the backup cannot be used: %w", err)
			}
			info, err := backup.ReadHeader(file)
			if err != nil {
				return err
			}
			if campaign != "" {
				return restoreCampaign(cmd.Context(), f, info, pass, campaign)
			}
			return restoreStore(cmd.Context(), f, info, pass)
		},
	}
	cmd.Flags().StringVar(&campaign, "campaign", "", "`ID` of the one campaign to put back")
	pass.flags(cmd)
	return cmd
}

func listBackups(f *factory) error {
	list, err := backup.List(f.dataDir())
	if err != nil {
		return err
	}
	if f.json {
		return f.printJSON(list)
	}
	if len(list) == 0 {
		fmt.Fprintf(f.out, "There are no backups in %s; `bugle backup` makes one.\n", line(filepath.Join(f.dataDir(), backup.Folder)))
		return nil
	}
	rows := [][]string{}
	for _, b := range list {
		how := ""
		switch {
		case b.Key != "":
			how = "encrypted with a store's key"
		case b.Encrypted:
			how = "encrypted"
		}
		rows = append(rows, []string{b.Made.Local().Format("2006-01-02 15:04"), bytesText(b.Size), how, b.File})
	}
	return f.rows([]string{"MADE", "SIZE", "", "FILE"}, rows)
}

// restoreStore proves the backup, makes a store of it and proves that, and puts it in the place of the
// one that is there.
func restoreStore(ctx context.Context, f *factory, from backup.Info, pass passphrase) error {
	key, err := f.restoredKey(ctx, from)
	if err != nil {
		return err
	}
	secret, err := f.backupSecret(ctx, from, pass)
	if err != nil {
		return err
	}
	file := from.File
	told := f.meter("records read")
	records := func(n int) {
		if told != nil {
			told(attach.JobProgress{Records: n})
		}
	}
	info, err := backup.Verify(ctx, file, secret, records)
	if err != nil {
		return passRemedy(err)
	}
	aside, err := badger.Replace(ctx, f.dataDir(), key, func(ctx context.Context, db store.DB) error {
		if _, err := backup.Load(ctx, db, file, secret, records); err != nil {
			return err
		}
		found, err := store.Check(ctx, db, records)
		switch {
		case err != nil:
			return err
		case found.Campaigns != info.Campaigns || info.Store == store.Format && found.Records != info.Records:
			return fmt.Errorf("the store that was made of %s has %d campaigns and %d records, and the backup %d and %d; nothing was changed",
				file, found.Campaigns, found.Records, info.Campaigns, info.Records)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f.json {
		return f.printJSON(map[string]any{"restored": info, "kept_aside": aside, "encrypted": key != nil})
	}
	fmt.Fprintf(f.out, "%s in %s are back, as of %s.\n", count(info.Campaigns, "campaign"), count(len(info.Workspaces), "workspace"),
		info.Made.Local().Format("2006-01-02 15:04"))
	if aside != "" {
		fmt.Fprintf(f.out, "The store that was there is kept in %s.\n", line(aside))
	}
	if info.Encrypted && key == nil {
		fmt.Fprintln(f.out, "The backup was encrypted, and the store is not: `bugle encrypt` encrypts it.")
	}
	if !info.Sound() {
		fmt.Fprintln(f.out, "The store was damaged when the backup was made: see `bugle doctor`.")
	}
	return nil
}

// backupSecret gives the passphrase of a backup: that of its key, or one that is asked for; empty where
// it is not encrypted.
func (f *factory) backupSecret(ctx context.Context, b backup.Info, pass passphrase) (string, error) {
	if b.Encrypted && b.Key == "" {
		return pass.read(ctx, f, false)
	}
	return f.backupKey(ctx, b)
}

// restoredKey gives the key of a store that is put back: that of the store which is there, or where
// there is none that of the backup; nil where it is not to be encrypted.
func (f *factory) restoredKey(ctx context.Context, b backup.Info) (*crypt.Key, error) {
	id, encrypted, err := badger.Sealed(f.dataDir())
	switch {
	case err != nil:
		return nil, err
	case id == "" && (encrypted || !badger.Has(f.dataDir())):
		id, encrypted = b.Key, encrypted || b.Key != ""
	}
	if !encrypted {
		return nil, nil
	}
	key, err := f.keys().Find(ctx, id)
	if err != nil {
		return nil, remedied{fmt.Errorf("the store that is put back is to be encrypted: %w", err), "Nothing was changed. --data puts it into another folder."}
	}
	return &key, nil
}

func restoreCampaign(ctx context.Context, f *factory, from backup.Info, pass passphrase, id string) error {
	secret := ""
	// Who has the store has its key.
	own, _, err := badger.Sealed(f.dataDir())
	if err == nil && (own != from.Key || own == "") {
		secret, err = f.backupSecret(ctx, from, pass)
	}
	if err != nil {
		return err
	}
	node, err := f.store(ctx)
	if err != nil {
		return err
	}
	ws, err := f.workspaceID(ctx, node)
	if err != nil {
		return err
	}
	_, err = node.Do(ctx, attach.Job{Kind: attach.JobRecover, File: from.File, Passphrase: secret, Workspace: ws, Campaign: id}, nil)
	if err != nil {
		return passRemedy(err)
	}
	if f.json {
		return f.printJSON(map[string]string{"id": id, "workspace_id": ws})
	}
	fmt.Fprintf(f.out, "%s is back, with its history.\n", line(id))
	return nil
}

// passRemedy says where a passphrase is given. The error may have come through the socket, as text.
func passRemedy(err error) error {
	wrong := errors.Is(err, backup.ErrPassphrase) || strings.Contains(err.Error(), backup.ErrPassphrase.Error())
	if !wrong {
		return err
	}
	return remedied{err, "It is read from " + envPassphrase + ", from --passphrase-command, or typed."}
}
