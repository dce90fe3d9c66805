package main

import (
	"bufio"
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
	"golang.org/x/sync/errgroup"

	"bugle/engine"
	"bugle/engine/profiles"
)

// profileImport says what users are taken from a file, and how.
type profileImport struct {
	file    string
	format  string
	merge   bool
	check   bool
	lenient bool
}

func newWorkspaceImport(f *factory) *cobra.Command {
	var i profileImport
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
			i.file = args[0]
			return i.run(cmd.Context(), f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&i.format, "format", "", "`csv|jsonl`; otherwise the name or the content of the file tells")
	fl.BoolVar(&i.merge, "merge", false, "keep what the file does not speak of")
	fl.BoolVar(&i.check, "check", false, "check the file and store nothing")
	fl.BoolVar(&i.lenient, "skip-invalid", false, "store the lines that are right, and list the others")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]cobra.Completion{string(profiles.CSV), string(profiles.JSONLines)}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// importOutcome is what an import did, and the --json of it.
type importOutcome struct {
	Added   int      `json:"added"`
	Changed int      `json:"changed"`
	Invalid int      `json:"invalid"`
	Errors  []string `json:"errors"` // of the first lines that are wrong
	Checked bool     `json:"checked,omitempty"`
	lines   int
}

// shownErrors is how many lines that are wrong are told of.
const shownErrors = 20

func (n *importOutcome) wrong(err error) {
	n.Invalid++
	if len(n.Errors) < shownErrors {
		n.Errors = append(n.Errors, err.Error())
	}
}

func (i *profileImport) run(ctx context.Context, f *factory) error {
	if i.format != "" && !slices.Contains(profiles.Formats(), profiles.Format(i.format)) {
		return misused("--format is csv or jsonl, not %q", i.format)
	}
	svc, err := f.service(ctx)
	if err != nil {
		return err
	}
	w, err := svc.Workspace(ctx)
	if err != nil {
		return err
	}
	n := importOutcome{Errors: []string{}, Checked: i.check}
	// What comes through a pipe can be read only once.
	if i.check || !i.lenient && i.file != stdin {
		err = i.read(ctx, f, w, &n, nil)
		if err != nil || i.check || n.Invalid > 0 {
			return i.report(f, n, err)
		}
	}
	show := f.progress("Stored", "user")
	defer show(-1)
	n = importOutcome{Errors: []string{}}
	err = i.read(ctx, f, w, &n, func(ctx context.Context, rows []engine.ProfileRow) error {
		done, err := svc.ImportProfiles(ctx, engine.ProfileImport{Rows: rows, Merge: i.merge})
		n.Added += done.Added
		n.Changed += done.Changed
		show(n.Added + n.Changed)
		return err
	})
	show(-1)
	return i.report(f, n, err)
}

// importBatch is how many users are stored together.
const importBatch = 500

// read goes through the file once. It hands users to store, in another goroutine than the one that reads;
// store may be nil. Where a wrong line ends the import, what came before it is stored.
func (i *profileImport) read(ctx context.Context, f *factory, w engine.Workspace, n *importOutcome, store func(context.Context, []engine.ProfileRow) error) error {
	in, done, err := i.open(ctx, f)
	if err != nil {
		return err
	}
	defer done()
	group, gctx := errgroup.WithContext(ctx)
	batches := make(chan []engine.ProfileRow, 2)
	group.Go(func() error {
		defer close(batches)
		return i.rows(gctx, in, w, n, batches)
	})
	group.Go(func() error {
		for rows := range batches {
			if store == nil {
				continue
			}
			if err := store(gctx, rows); err != nil {
				return err
			}
		}
		return nil
	})
	err = group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// rows reads users into batches.
func (i *profileImport) rows(ctx context.Context, in *bufio.Reader, w engine.Workspace, n *importOutcome, out chan<- []engine.ProfileRow) error {
	format := profiles.Format(i.format)
	if format == "" {
		format = profiles.Detect(i.file, in)
	}
	var rows []engine.ProfileRow
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		select {
		case out <- rows:
			rows = nil
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for row, err := range profiles.Read(in, format, w.Attributes) {
		if err != nil {
			n.wrong(err)
			var line *profiles.LineError
			if errors.As(err, &line) && line.Fatal || !i.lenient && i.file == stdin && !i.check {
				break
			}
			continue
		}
		n.lines++
		rows = append(rows, row.ProfileRow)
		if len(rows) < importBatch {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return flush()
}

// open gives the file, or standard input, which ends with ctx.
func (i *profileImport) open(ctx context.Context, f *factory) (*bufio.Reader, func(), error) {
	const room = 256 << 10
	if i.file != stdin {
		file, err := os.Open(i.file)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot read %s: %w", i.file, cause(err))
		}
		return bufio.NewReaderSize(file, room), func() { _ = file.Close() }, nil
	}
	var in io.Reader = f.in
	cancel, err := cancelreader.NewReader(f.in)
	if err != nil {
		return bufio.NewReaderSize(in, room), func() {}, nil
	}
	stop := context.AfterFunc(ctx, func() { cancel.Cancel() })
	return bufio.NewReaderSize(cancel, room), func() { stop(); _ = cancel.Close() }, nil
}

// report tells what was stored and which lines were not.
func (i *profileImport) report(f *factory, n importOutcome, err error) error {
	if f.json {
		if jerr := f.printJSON(n); jerr != nil {
			return jerr
		}
	} else {
		for _, e := range n.Errors {
			fmt.Fprintln(f.err, line(e))
		}
		if more := n.Invalid - len(n.Errors); more > 0 {
			fmt.Fprintf(f.err, "… and %s more\n", counted(more, "line"))
		}
		switch {
		case n.Checked && n.Invalid == 0 && err == nil:
			fmt.Fprintf(f.out, "%s, all right.\n", counted(n.lines, "user"))
		case n.Added+n.Changed > 0:
			fmt.Fprintf(f.out, "Stored %s: %d added, %d changed.\n", counted(n.Added+n.Changed, "user"), n.Added, n.Changed)
		}
	}
	switch stored := n.Added + n.Changed; {
	case err != nil && stored > 0:
		return fmt.Errorf("the import ended early, with %s stored (doing it again is safe): %w", counted(stored, "user"), err)
	case err != nil:
		return err
	case n.Invalid > 0 && i.lenient && !n.Checked:
		return fmt.Errorf("%s not stored", counted(n.Invalid, "line"))
	case n.Invalid > 0 && stored > 0:
		return errors.New("the import ended at a line that is wrong; mend it and do it again, or use --skip-invalid")
	case n.Invalid > 0:
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
