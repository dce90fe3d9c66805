// Package store implements the commands that manage the store on this machine: backup, restore, doctor, encrypt, rotate,
// decrypt and key.
package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/phrase"
	"bugle/store/backup"
)

// EnvPassphrase is the environment variable with the passphrase of backups.
const EnvPassphrase = "BUGLE_PASSPHRASE"

// readPassphrase returns the passphrase of a backup: from [EnvPassphrase], or typed in the terminal, twice if it is new. It is
// never an argument, because other users of the machine could read it.
func readPassphrase(ctx context.Context, f *cli.Factory, fresh bool) (string, error) {
	if text := f.Getenv(EnvPassphrase); text != "" {
		return text, nil
	}
	in, _, ok := f.Terminal()
	if !ok {
		return "", cli.Misused("a passphrase is needed; set the environment variable %s", EnvPassphrase)
	}
	text, err := askPassphrase(ctx, f, in, "Passphrase: ")
	if err != nil || !fresh {
		return text, err
	}
	again, err := askPassphrase(ctx, f, in, "Repeat the passphrase: ")
	if err == nil && again != text {
		err = errors.New("the passphrases do not match; nothing was written")
	}
	return text, err
}

func askPassphrase(ctx context.Context, f *cli.Factory, in *os.File, prompt string) (string, error) {
	text, err := f.Typed(ctx, in, prompt)
	if err != nil {
		return "", fmt.Errorf("reading the passphrase: %w", err)
	}
	if text == "" {
		return "", errors.New("the passphrase is empty")
	}
	return text, nil
}

// NewBackup returns the command bugle backup.
func NewBackup(f *cli.Factory) *cobra.Command {
	var encrypt bool
	cmd := &cobra.Command{
		Use:   "backup [FILE]",
		Short: "Back up the store to a file",
		Long: "The backup is one compressed file with checksums. It is read back after it is written. Other bugle\n" +
			"processes can keep using the store. Without FILE, it goes into the folder backups of the data folder.\n" +
			"A backup is always complete: if some of the store cannot be read, the command names it and fails.\n\n" +
			"While the terminal program or `bugle serve` runs, it makes a backup there every day, and keeps those\n" +
			fmt.Sprintf("of the last %d days and %d weeks. %s=off turns daily backups off.", backup.KeptDays, backup.KeptWeeks, cli.EnvBackups) +
			"\n\nBackups of an encrypted store are encrypted with its key, or with a passphrase if you use --encrypt.",
		Example: "  bugle backup\n  bugle backup /mnt/stick/campaigns" + backup.Suffix + " --encrypt",
		Args:    cli.Between(0, 1, "at most one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			secret := ""
			if encrypt {
				var err error
				if secret, err = readPassphrase(cmd.Context(), f, true); err != nil {
					return err
				}
			}
			return runBackup(cmd.Context(), f, strings.Join(args, ""), secret)
		},
	}
	cmd.Flags().BoolVar(&encrypt, "encrypt", false, "encrypt the backup with a passphrase: "+EnvPassphrase+", or one that you type")
	return cmd
}

func runBackup(ctx context.Context, f *cli.Factory, file, secret string) error {
	store, err := f.Store(ctx)
	if err != nil {
		return err
	}
	if file == "" {
		if file, err = backup.NewFile(f.DataDir(), time.Now()); err != nil {
			return err
		}
	}
	if file, err = filepath.Abs(file); err != nil {
		return fmt.Errorf("cannot use this file name: %w", err)
	}
	show := cli.Progress(f.Streams, "Written or verified", "record")
	info, err := f.Backup(ctx, store, file, secret, show)
	show(-1)
	if err != nil {
		return err
	}
	if f.JSON {
		return f.PrintJSON(info)
	}
	how := ""
	switch {
	case info.Key != "":
		how = ", encrypted with the key of the store"
	case info.Encrypted:
		how = ", encrypted"
	}
	fmt.Fprintf(f.Out, "Backed up %s, %s and %s to %s (%s%s). The backup was verified.\n", phrase.Count(len(info.Workspaces), "workspace"),
		phrase.Count(info.Campaigns, "campaign"), phrase.Count(info.Records, "record"), cli.Line(info.File), bytesText(info.Size), how)
	return nil
}

func bytesText(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
