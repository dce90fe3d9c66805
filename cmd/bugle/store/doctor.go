package store

import (
	"context"
	"errors"
	"fmt"

	shellquote "github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/phrase"
	datastore "bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
)

// NewDoctor returns the command bugle doctor.
func NewDoctor(f *cli.Factory) *cobra.Command {
	rescue := ""
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the store",
		Long: "Reads everything in the store, every block on disk and every record, and lists what is damaged and\n" +
			"which backup has it. Other bugle processes can keep using the store.\n\n" +
			"If there is no backup that is new enough, --rescue copies everything that can be read into a new\n" +
			"store in another folder, and lists what could not be read. Quit other bugle processes first.",
		Example: "  bugle doctor\n  bugle doctor --rescue ~/rescued",
		Args:    cli.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			defer f.Notices.Take() // damage is what this command reports
			if cmd.Flags().Changed("rescue") {
				return runRescue(cmd.Context(), f, rescue)
			}
			return runDoctor(cmd.Context(), f)
		},
	}
	cmd.Flags().StringVar(&rescue, "rescue", "", "copy what can be read into a new store in this `folder`")
	return cmd
}

// checkup is the result of doctor.
type checkup struct {
	Sound     bool `json:"sound"`
	Encrypted bool `json:"encrypted"`
	datastore.CheckResult
}

func runDoctor(ctx context.Context, f *cli.Factory) error {
	s, err := f.Store(ctx)
	if err != nil {
		return err
	}
	show := cli.Progress(f.Streams, "Checked", "record")
	found, err := s.Check(ctx, show)
	show(-1)
	if err != nil {
		return err
	}
	out := checkup{CheckResult: found}
	if _, database := f.Database(); !database {
		if _, out.Encrypted, err = badger.Encryption(f.DataDir()); err != nil {
			return err
		}
		if err := compareBackups(ctx, f, s, &out.CheckResult); err != nil {
			return err
		}
	}
	out.Sound = len(out.Findings) == 0
	if f.JSON {
		err = f.PrintJSON(out)
	} else {
		out.print(f)
	}
	if err == nil && !out.Sound {
		err = cli.Silent(cli.ExitFailed)
	}
	return err
}

func (c checkup) print(f *cli.Factory) {
	read := fmt.Sprintf("Checked %s, including %s.", phrase.Count(c.Records, "record"), phrase.Count(c.Campaigns, "campaign"))
	if c.Sound {
		fmt.Fprintln(f.Out, read+" No problems found.")
		return
	}
	fmt.Fprintf(f.Out, "%s Found %s:\n", read, phrase.Count(len(c.Findings), "problem"))
	for _, x := range c.Findings {
		fmt.Fprintf(f.Out, "\n  %s\n    %s\n", cli.Line(x.What), cli.Line(x.Advice))
	}
	fmt.Fprintln(f.Out, "\nIf no backup is new enough, `bugle doctor --rescue FOLDER` copies what can be read into a new store.")
}

// compareBackups adds to the findings of a damaged store which campaigns the newest backup that can be read has, and the store
// does not have, or only at an earlier revision.
func compareBackups(ctx context.Context, f *cli.Factory, s *cli.Store, found *datastore.CheckResult) error {
	if len(found.Findings) == 0 {
		return nil
	}
	list, err := backup.List(f.DataDir(), "")
	for _, info := range list {
		secret, errKey := backupKey(ctx, f, info)
		if errKey != nil {
			continue
		}
		_, differences, _, errRead := backup.Differences(ctx, s.Records(), info.File, secret, nil)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errRead != nil { // it has a passphrase, or is damaged itself
			continue
		}
		made := info.Made.Local().Format("2006-01-02 15:04")
		found.Findings = append(found.Findings, datastore.Finding{
			What:   fmt.Sprintf("the newest backup that can be read is %s, of %s", info.File, made),
			Advice: fmt.Sprintf("`bugle restore %s` restores the whole store as it was then", shellquote.Join(info.File)),
		})
		for _, d := range differences {
			for _, b := range d.Behind {
				what := fmt.Sprintf("campaign %q in workspace %q is missing, but is in that backup; it was lost, or deleted since then", b.Campaign, d.Workspace)
				if b.Store > 0 {
					what = fmt.Sprintf("campaign %q in workspace %q is at revision %d, but that backup has revision %d", b.Campaign, d.Workspace, b.Store, b.Backup)
				}
				found.Findings = append(found.Findings, datastore.Finding{
					Workspace: d.Workspace, Campaign: b.Campaign, What: what,
					Advice: fmt.Sprintf("restore it with `bugle restore %s`", shellquote.Join(info.File, "--campaign", b.Campaign, "--workspace", d.Workspace)),
				})
			}
		}
		return err
	}
	return err
}

// runRescue copies what can be read of the store into a new one in a folder.
func runRescue(ctx context.Context, f *cli.Factory, dir string) error {
	if err := f.CheckFolder(); err != nil {
		return err
	}
	if badger.Exists(dir) {
		return cli.Misused("%s has a store; choose another folder", dir)
	}
	from, err := badger.Open(ctx, badger.Options{Dir: f.DataDir(), Key: f.Keys().Find})
	if err != nil {
		return err
	}
	defer from.Close() // nothing was written
	var key *crypt.Key
	if k, ok := from.Key(); ok {
		key = &k
	}
	to, err := badger.Open(ctx, badger.Options{Dir: dir, Encrypt: key})
	if err != nil {
		return err
	}
	show := cli.Progress(f.Streams, "Rescued", "record")
	out, err := from.Rescue(ctx, to, show)
	show(-1)
	if err := errors.Join(err, to.Close()); err != nil {
		return err
	}
	if f.JSON {
		return f.PrintJSON(out)
	}
	fmt.Fprintf(f.Out, "Copied %s into a new store in %s.\n", phrase.Count(out.Records, "record"), cli.Line(dir))
	for _, text := range out.Missing {
		fmt.Fprintf(f.Out, "\n  %s\n", cli.Line(text))
	}
	if len(out.Missing) == 0 {
		fmt.Fprintln(f.Out, "Nothing is missing.")
	}
	fmt.Fprintf(f.Out, "\nLook at it with `bugle --data %s`. To use it, put it in the place of %s.\n", shellquote.Join(dir), cli.Line(f.DataDir()))
	return nil
}
