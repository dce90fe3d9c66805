package files

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/check"
	"bugle/engine/message/personalize"
	"bugle/engine/schema"
	"bugle/engine/service/local"
)

// NewLint returns the command bugle lint.
func NewLint(f *cli.Factory) *cobra.Command {
	stage := cli.StageDraft
	cmd := &cobra.Command{
		Use:   "lint FILE...|DIR",
		Short: "Check campaign files",
		Long: "Checks JSON and YAML files, or those in a folder, without a store, for example in CI. Each problem is printed on a\n" +
			"line with the file, the path of the field, what to do, and the id of the rule. With --stage publish,\n" +
			"also check what publishing requires. Names that depend on a workspace, such as those of connectors,\n" +
			"are not checked. Warnings and notes of `bugle check` that need no workspace are printed too. Exits\n" +
			"with 3 if a file is invalid, and with 1 if one cannot be read.",
		Example: "  bugle lint campaigns\n  bugle lint --stage publish --json - < campaign.yaml",
		Args:    someFiles("files or a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			env := schema.Env{Stage: schema.Draft, Now: time.Now(), Expression: personalize.Parse}
			if stage == cli.StagePublish {
				env.Stage = schema.Publish
			}
			var files []string
			for _, arg := range args {
				files = append(files, campaignFiles(arg)...)
			}
			return lintFiles(cmd.Context(), &f.Printer, files, env)
		},
	}
	cli.ChoiceFlag(cmd, cli.OneOf(&stage, cli.StageChoices), "stage", "`stage` to check at: draft or publish")
	return cmd
}

// linted is the result for one file.
type linted struct {
	File     string      `json:"file"`
	Valid    bool        `json:"valid"`
	Error    string      `json:"error,omitempty"` // why it cannot be checked
	Problems []lintedRow `json:"problems"`
	Warnings doc.Value   `json:"warnings"` // what the checks find that need no workspace

	findings []check.Finding

	code int
}

type lintedRow struct {
	Path     string `json:"path"`
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // error or notice
	Message  string `json:"message"`

	line string
}

// lintFiles checks all files and prints the results. It continues after a file that cannot be read.
func lintFiles(ctx context.Context, p *cli.Printer, files []string, env schema.Env) error {
	out := make([]linted, 0, len(files))
	code := cli.ExitDone
	for _, name := range files {
		l := lintFile(ctx, p.Streams, name, env)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		// A file that cannot be read is worse than an invalid one: the check is incomplete.
		if code != cli.ExitFailed && l.code != cli.ExitDone {
			code = l.code
		}
		out = append(out, l)
		if !p.JSON {
			printLinted(p, l)
		}
	}
	if p.JSON {
		if err := p.PrintJSON(map[string]any{"files": out}); err != nil {
			return err
		}
	}
	if code != cli.ExitDone {
		return cli.Silent(code)
	}
	return nil
}

func lintFile(ctx context.Context, s cli.Streams, name string, env schema.Env) linted {
	l := linted{File: name, Problems: []lintedRow{}, Warnings: doc.NewArray()}
	body, err := s.Document(ctx, name)
	if err == nil {
		if n := len(body.Encode()); n > local.MaxBody {
			err = cli.DocumentError{Err: fmt.Errorf("%s has %d KiB; a campaign can have up to %d KiB", cli.InputName(name), n>>10, local.MaxBody>>10)}
		}
	}
	if err != nil {
		l.Error, l.code = err.Error(), cli.ExitFailed
		if errors.As(err, new(cli.DocumentError)) || engine.AsError(err) != nil {
			l.code = cli.ExitInvalid
		}
		return l
	}
	problems := lintDocument(body, env)
	for _, p := range problems {
		row := lintedRow{Path: p.Path.String(), Rule: p.Rule, Severity: "error", Message: p.Message, line: cli.ProblemLine(p)}
		if p.Severity == schema.Notice {
			row.Severity = "notice"
		}
		l.Problems = append(l.Problems, row)
	}
	if out, err := check.Run(ctx, engine.ParseRecord(body), check.Facts{Now: env.Now}); err == nil { // else ctx has ended
		l.findings, l.Warnings = out.Findings, check.Documents(out.Findings)
	}
	if l.Valid = len(schema.Errors(problems)) == 0; !l.Valid {
		l.code = cli.ExitInvalid
	}
	return l
}

func printLinted(p *cli.Printer, l linted) {
	switch {
	case l.Error != "":
		fmt.Fprintln(p.Err, "bugle: "+cli.Line(l.Error))
	case l.Valid:
		fmt.Fprintln(p.Out, cli.Line(cli.InputName(l.File)+": valid"))
	}
	for _, row := range l.Problems {
		fmt.Fprintln(p.Out, cli.Line(cli.InputName(l.File)+": "+row.line+" ["+row.Rule+"]"))
	}
	for _, found := range l.findings {
		fmt.Fprintln(p.Out, cli.Line(fmt.Sprintf("%s: %s: %s", cli.InputName(l.File), found.Severity, cli.FindingLine(found))))
	}
}

// lintDocument checks a campaign: the body of a create request, or a record with id and state.
func lintDocument(v doc.Value, env schema.Env) []schema.Problem {
	rec := engine.ParseRecord(v)
	if (cli.IsRecord(v) || cli.IsExport(v)) && rec.Channel.Writable() {
		if cli.IsRecord(v) {
			env.Record = rec.Document()
		}
		return catalog.Campaign(rec.Channel).Validate(rec.Document(), env)
	}
	return catalog.CreateRequest(rec.Channel).Validate(v, env)
}
