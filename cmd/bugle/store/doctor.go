package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/phrase"
	"bugle/store/socket"
)

// NewDoctor returns the command bugle doctor.
func NewDoctor(f *cli.Factory) *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check and repair the store",
		Long: "Checks every record, and lists what is wrong and what can be done about it. Nothing is changed\n" +
			"without --repair. Other bugle processes can keep using the store.\n\n" +
			"Records that a repair replaces or removes are kept in the store and listed. With --json, they are\n" +
			"printed with their keys and values in base64, in the list kept.",
		Example:           "  bugle doctor\n  bugle doctor --repair",
		Args:              cli.Exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDoctor(cmd.Context(), f, repair)
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "repair what can be repaired")
	return cmd
}

func runDoctor(ctx context.Context, f *cli.Factory, repair bool) error {
	f.Notices.IgnoreDamage() // it is what this command reports
	store, err := openStore(ctx, f)
	if err != nil {
		return err
	}
	found, err := examine(ctx, f, store, socket.JobCheck)
	if err != nil {
		return err
	}
	if repair && found.Repairable() > 0 {
		if !f.JSON {
			printFindings(f, found, "repair")
			fmt.Fprintln(f.Out)
		}
		if found, err = examine(ctx, f, store, socket.JobRepair); err != nil {
			return err
		}
		if !f.JSON {
			printRepaired(f, found)
		}
	} else if !f.JSON {
		printFindings(f, found, "possible repair")
	}
	if !f.JSON {
		printQuarantined(f, found)
	}
	if f.JSON {
		if err := f.PrintJSON(found); err != nil {
			return err
		}
	}
	if !found.Sound {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// openStore opens the store on this machine, which must exist.
func openStore(ctx context.Context, f *cli.Factory) (*cli.Store, error) {
	if have, err := f.HasStore(ctx); err != nil {
		return nil, err
	} else if !have {
		return nil, cli.ErrNoWorkspace
	}
	return f.Open(ctx)
}

func examine(ctx context.Context, f *cli.Factory, store *cli.Store, kind socket.JobKind) (out cli.Checkup, err error) {
	told := meter(&f.Printer, "records checked")
	b, err := store.Do(ctx, socket.Job{Kind: kind}, told)
	if err != nil {
		return out, err
	}
	err = json.Unmarshal(b, &out)
	if _, ok := f.Database(); !ok {
		out.Readable = cli.Readable(f.DataDir())
	}
	return out, err
}

// printFindings prints the problems; how introduces the possible repairs.
func printFindings(f *cli.Factory, c cli.Checkup, how string) {
	for _, n := range c.Notices {
		fmt.Fprintln(f.Out, cli.Line(n))
	}
	for _, file := range c.Readable {
		fmt.Fprintf(f.Out, "The store is encrypted, but this backup is not: %s. Encrypt it with `bugle encrypt`.\n", cli.Line(file))
	}
	if len(c.Findings) == 0 {
		fmt.Fprintf(f.Out, "Checked %s, including %s. No problems found.\n", phrase.Count(c.Records, "record"), phrase.Count(c.Campaigns, "campaign"))
		return
	}
	fmt.Fprintf(f.Out, "Checked %s, including %s. Found %s:\n", phrase.Count(c.Records, "record"), phrase.Count(c.Campaigns, "campaign"), phrase.Count(len(c.Findings), "problem"))
	for _, x := range c.Findings {
		fmt.Fprintf(f.Out, "\n  %s\n", cli.Line(x.What))
		if x.Repair != "" {
			fmt.Fprintf(f.Out, "    %s: %s\n", how, cli.Line(x.Repair))
			if x.Loss {
				fmt.Fprintf(f.Out, "    this does not bring back lost data; %s\n", cli.Line(x.Advice))
			}
		} else {
			fmt.Fprintf(f.Out, "    cannot be repaired; %s\n", cli.Line(x.Advice))
		}
	}
	if n := c.Repairable(); n > 0 && how == "possible repair" {
		fmt.Fprintf(f.Out, "\nRepair %d of %d with `bugle doctor --repair`.\n", n, len(c.Findings))
	}
}

// printRepaired prints the results of a repair.
func printRepaired(f *cli.Factory, c cli.Checkup) {
	done := 0
	for _, x := range c.Findings {
		switch {
		case x.Repaired:
			done++
		case x.Failed != "":
			fmt.Fprintf(f.Out, "Not repaired: %s: %s\n", cli.Line(x.What), cli.Line(x.Failed))
		}
	}
	fmt.Fprintf(f.Out, "Repaired %d of %d.\n", done, len(c.Findings))
}

// maxQuarantineLines is how many quarantined records are listed.
const maxQuarantineLines = 10

// printQuarantined lists the records that repairs replaced or removed, newest first.
func printQuarantined(f *cli.Factory, c cli.Checkup) {
	if len(c.Quarantined) == 0 {
		return
	}
	fmt.Fprintf(f.Out, "\nRepairs replaced or removed %s. The originals are kept; print them with `bugle doctor --json`:\n", phrase.Count(c.KeptRecords, "record"))
	for i := range min(len(c.Quarantined), maxQuarantineLines) {
		k := c.Quarantined[len(c.Quarantined)-1-i]
		fmt.Fprintf(f.Out, "  %s  %s (%s)\n", k.At.Local().Format("2006-01-02 15:04"), cli.Line(k.What), phrase.Count(k.Bytes, "byte"))
	}
	if more := c.KeptRecords - maxQuarantineLines; more > 0 {
		fmt.Fprintf(f.Out, "  and %d more\n", more)
	}
}

// meter returns a function that shows progress on one line of standard error if it is a terminal, and clears the line
// at the end.
func meter(p *cli.Printer, what string) func(socket.JobProgress) {
	file, ok := p.Err.(*os.File)
	if !ok || !cli.IsTerminal(file) || p.JSON {
		return nil
	}
	return func(done socket.JobProgress) {
		what := what
		if done.Verifying {
			what = "records verified"
		}
		fmt.Fprintf(p.Err, "\r\x1b[K%d %s\r", done.Records, what)
	}
}
