package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/muesli/cancelreader"
	"github.com/spf13/cobra"

	"bugle/engine/profiles"
	records "bugle/engine/settings"
)

func newWorkspaceImport(f *factory) *cobra.Command {
	var i records.Import
	var format string
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Add and change many users from a CSV or JSON lines file",
		Long: "Add and change users from a file, as many as there are: it is read as it is stored.\n\n" +
			"A CSV file names its columns in the first line. One is id; " + strings.Join(profiles.Columns()[1:], ", ") + "\n" +
			"say what they are called; every other column is the attribute of its name, of the type that the\n" +
			"workspace knows. An empty cell says nothing. A JSON lines file has one user a line, as\n" +
			"`bugle workspace profile` takes it.\n\n" +
			"A user who is there already is replaced; with --merge, what the file does not speak of stays.\n" +
			"A file is checked as a whole before anything is stored. The same file twice does no harm.",
		Example: "  bugle workspace import users.csv --merge\n" +
			"  zcat users.jsonl.gz | bugle workspace import -\n" +
			"  bugle workspace import users.csv --check",
		Args: exactly(1, "a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if i.Format = profiles.Format(format); format != "" && !slices.Contains(profiles.Formats(), i.Format) {
				return misused("--format is csv or jsonl, not %q", format)
			}
			i.File = args[0]
			return importUsers(cmd.Context(), f, i)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&format, "format", "", "`csv|jsonl`; otherwise the name or the content of the file tells")
	fl.BoolVar(&i.Merge, "merge", false, "keep what the file does not speak of")
	fl.BoolVar(&i.Check, "check", false, "check the file and store nothing")
	fl.BoolVar(&i.SkipInvalid, "skip-invalid", false, "store the lines that are right, and list the others")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]cobra.Completion{string(profiles.CSV), string(profiles.JSONLines)}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// importUsers imports users, and tells how far it is where somebody sees it.
func importUsers(ctx context.Context, f *factory, i records.Import) error {
	svc, err := f.service(ctx)
	if err != nil {
		return err
	}
	if i.File == stdin {
		in, done := f.untilDone(ctx)
		defer done()
		i.In = in
	}
	show := f.progress("Stored", "user")
	out, err := i.Import(ctx, svc, func(p records.ImportProgress) {
		if p.Checked {
			show(p.Users)
		}
	})
	show(-1)
	return reportImport(f, i, out, err)
}

// untilDone gives standard input, which ends with ctx: ctrl+c means it.
func (f *factory) untilDone(ctx context.Context) (io.Reader, func()) {
	in, err := cancelreader.NewReader(f.in)
	if err != nil { // a file, which nobody has to wait for
		return f.in, func() {}
	}
	stop := context.AfterFunc(ctx, func() { in.Cancel() })
	return in, func() { stop(); _ = in.Close() }
}

// reportImport tells what was stored and which lines were not.
func reportImport(f *factory, i records.Import, n records.Imported, err error) error {
	stored := n.Total()
	if f.json {
		wrong := []string{}
		for _, e := range n.Wrong {
			wrong = append(wrong, e.Error())
		}
		if jerr := f.printJSON(map[string]any{"added": n.Added, "changed": n.Changed, "invalid": n.Bad, "errors": wrong, "checked": i.Check}); jerr != nil {
			return jerr
		}
	} else {
		for _, e := range n.Wrong {
			fmt.Fprintln(f.err, line(e.Error()))
		}
		if more := n.Bad - len(n.Wrong); more > 0 {
			fmt.Fprintf(f.err, "… and %s more\n", counted(more, "line"))
		}
		switch {
		case i.Check && n.Bad == 0 && err == nil:
			fmt.Fprintf(f.out, "%s, all right.\n", counted(n.Users, "user"))
		case stored > 0:
			fmt.Fprintf(f.out, "Stored %s: %d added, %d changed.\n", counted(stored, "user"), n.Added, n.Changed)
		}
	}
	switch {
	case err != nil && stored > 0:
		return fmt.Errorf("the import ended early, with %s stored (doing it again is safe): %w", counted(stored, "user"), err)
	case err != nil:
		return err
	case n.Bad > 0 && i.SkipInvalid && !i.Check:
		return fmt.Errorf("%s not stored", counted(n.Bad, "line"))
	case n.Bad > 0 && stored > 0:
		return errors.New("the import ended at a line that is wrong; mend it and do it again, or use --skip-invalid")
	case n.Bad > 0:
		return errors.New("nothing was stored; mend the file, or use --skip-invalid")
	}
	return nil
}

// progress shows on standard error how far long work is, where somebody sees it. A negative number ends
// the showing.
func (f *factory) progress(done, noun string) func(n int) {
	file, ok := f.err.(*os.File)
	if !ok || !isTerminal(file) {
		return func(int) {}
	}
	last := time.Now()
	drawn := false
	return func(n int) {
		switch {
		case n < 0 && drawn:
			fmt.Fprint(f.err, "\r\x1b[K")
			drawn = false
		case n >= 0 && time.Since(last) >= 100*time.Millisecond:
			fmt.Fprintf(f.err, "\r%s %s… (ctrl+c stops)\x1b[K", done, counted(n, noun))
			last, drawn = time.Now(), true
		}
	}
}
