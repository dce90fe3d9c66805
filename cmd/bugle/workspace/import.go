package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/phrase"
	records "bugle/engine/workspace/settings"
	"bugle/engine/workspace/userfile"
)

func newImport(f *cli.Factory) *cobra.Command {
	var i records.Import
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Import users from a CSV or JSON lines file",
		Long: "The file can have any size. The whole file is checked before anything is saved, and\n" +
			"importing it again is safe.\n\n" +
			"The first line of a CSV file names the columns. id is required. Optional are\n" +
			strings.Join(userfile.Columns()[1:4], ", ") + ",\n" + strings.Join(userfile.Columns()[4:], ", ") + ".\n" +
			"Any other column is a user attribute with the type that the workspace defines. A name that\n" +
			"is nearly one of these is an error, and one that the workspace lacks a warning. Cells are\n" +
			"separated by commas, semicolons or tabs; blanks around them are left out, and empty ones ignored.\n" +
			"A date can be in any form that means one day, such as 1990-03-14 or 14 March 1990.\n" +
			"A JSON lines file has one user per line, in the format of\n" +
			"`bugle users get`. Existing users are replaced, or completed with --merge.",
		Example: "  bugle users import users.csv --merge\n" +
			"  zcat users.jsonl.gz | bugle users import -\n" +
			"  bugle users import users.csv --dry-run",
		Args: cli.Exactly(1, "a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			i.File = args[0]
			return importUsers(cmd.Context(), f, i)
		},
	}
	fl := cmd.Flags()
	formats := cli.Choices{{Value: string(userfile.CSV), Help: "a table"}, {Value: string(userfile.JSONLines), Help: "one user per line"}}
	cli.ChoiceFlag(cmd, cli.OneOf((*string)(&i.Format), formats), "format", "format of the file, `csv|jsonl` (default detected from the file)")
	fl.BoolVar(&i.Merge, "merge", false, "keep attributes and devices that the file does not have")
	cli.AddDryRun(cmd, &i.Check)
	fl.BoolVar(&i.SkipInvalid, "skip-invalid", false, "import the valid lines and list the others")
	return cmd
}

// importUsers imports users, and shows progress on a terminal.
func importUsers(ctx context.Context, f *cli.Factory, i records.Import) error {
	svc, err := f.Service(ctx)
	if err != nil {
		return err
	}
	if i.File == cli.Stdin {
		i.In = f.Interruptible(ctx)
	}
	show := cli.Progress(f.Streams, "Imported", "user")
	out, err := i.Import(ctx, svc, func(p records.ImportProgress) {
		if p.Checked {
			show(p.Users)
		}
	})
	show(-1)
	return reportImport(f, i, out, cmp.Or(err, ctx.Err())) // standard input ends with ctx
}

// reportImport prints what was imported and which lines failed.
func reportImport(f *cli.Factory, i records.Import, n records.ImportResult, err error) error {
	stored := n.Total()
	if err != nil && stored == 0 {
		return err
	}
	if f.JSON {
		wrong := []string{}
		for _, e := range n.LineErrors {
			wrong = append(wrong, e.Error())
		}
		if jerr := f.PrintJSON(map[string]any{"added": n.Added, "changed": n.Changed, "invalid": n.Invalid, "errors": wrong, "dry_run": i.Check, "new_attributes": slices.Concat([]string{}, n.NewAttributes)}); jerr != nil {
			return jerr
		}
	} else {
		for _, e := range n.LineErrors {
			fmt.Fprintln(f.Err, cli.Line(e.Error()))
		}
		if more := n.Invalid - len(n.LineErrors); more > 0 {
			fmt.Fprintf(f.Err, "... and %s more\n", phrase.Count(more, "line"))
		}
		if len(n.NewAttributes) > 0 {
			fmt.Fprintln(f.Err, "bugle: "+cli.Line("warning: the workspace has no attribute "+strings.Join(n.NewAttributes, ", ")+"; correct the names, or add it with `bugle attributes put`"))
		}
		switch {
		case i.Check && n.Invalid == 0 && err == nil:
			fmt.Fprintf(f.Out, "%s, all valid.\n", phrase.Count(n.Users, "user"))
		case stored > 0:
			fmt.Fprintf(f.Out, "Imported %s: %d added, %d changed.\n", phrase.Count(stored, "user"), n.Added, n.Changed)
		}
	}
	switch {
	case err != nil:
		return cli.WithRemedy(fmt.Errorf("import stopped after %s: %w", phrase.Count(stored, "user"), err), "Run it again to import all users; none is there twice.")
	case n.Invalid > 0 && i.SkipInvalid && !i.Check:
		return fmt.Errorf("%s not imported", phrase.Count(n.Invalid, "line"))
	case n.Invalid > 0 && stored > 0:
		return errors.New("import stopped at an invalid line; fix it and run the import again, or use --skip-invalid")
	case n.Invalid > 0:
		return errors.New("nothing was imported; fix the file, or use --skip-invalid")
	}
	return nil
}
