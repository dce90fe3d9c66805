package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/report"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/check"
	"bugle/engine/message/mjml"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

// NewLint returns the command bugle lint.
func NewLint(f *cli.Factory) *cobra.Command {
	stage := cli.StageDraft
	cmd := &cobra.Command{
		Use:   "lint FILE...|DIR",
		Short: "Check campaign files",
		Long: "Checks JSON and YAML files, or those in a folder, without a store, for example in CI. Each problem is printed on a\n" +
			"line with the file, line and column, the path of the field, what to do, and the id of the rule. With --stage\n" +
			"publish, also check what publishing requires. Expressions are always checked. Names that depend on a workspace,\n" +
			"such as those of connectors, are not checked. Warnings and notes of `bugle check` that need no workspace are\n" +
			"printed too. Exits with 3 if a file is invalid, and with 1 if one cannot be read. `bugle help files` has a\n" +
			"GitHub workflow that shows the problems in the pull request.",
		Example: "  bugle lint campaigns\n  bugle lint --stage publish --json - < campaign.yaml",
		Args:    someFiles("files or a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			env := schema.Env{Stage: schema.Draft, Now: time.Now(), Expression: template.Check}
			if stage == cli.StagePublish {
				env.Stage = schema.Publish
			}
			return lint(cmd.Context(), &f.Printer, campaignfile.Files(args...), env)
		},
	}
	cli.ChoiceFlag(cmd, cli.OneOf(&stage, cli.StageChoices), "stage", "`stage` to check at: draft or publish")
	return cmd
}

// linted is the result for one file.
type linted struct {
	File     string              `json:"file"`
	Valid    bool                `json:"valid"`
	Error    string              `json:"error,omitempty"` // why it cannot be checked
	Line     int                 `json:"line,omitempty"`  // of the error
	Column   int                 `json:"column,omitempty"`
	Problems []report.Diagnostic `json:"problems"`
	Warnings []report.Diagnostic `json:"warnings"` // what the checks find that need no workspace

	code int
}

// lint checks all files and prints the results. It continues after a file that cannot be read.
func lint(ctx context.Context, p *cli.Printer, files []campaignfile.File, env schema.Env) error {
	out := []linted{}
	code := cli.ExitDone
	for _, file := range files {
		one := lintFile(ctx, p.Streams, file, env)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		// A file that cannot be read is worse than an invalid one: the check is incomplete.
		if code != cli.ExitFailed && one.code != cli.ExitDone {
			code = one.code
		}
		switch {
		case p.JSON:
			out = append(out, one)
		case one.Error != "":
			fmt.Fprintln(p.Err, "bugle: "+cli.Line(one.Error))
		default:
			one.print(p)
		}
	}
	if p.JSON {
		if err := p.PrintJSON(map[string]any{"files": out}); err != nil {
			return err
		}
	}
	return cli.Silent(code)
}

// print prints what is wrong with the file for people.
func (l linted) print(p *cli.Printer) {
	if l.Valid {
		fmt.Fprintln(p.Out, cli.Line(cli.InputName(l.File)+": valid"))
	}
	for _, d := range l.Problems {
		fmt.Fprintln(p.Out, d.String()+" ["+d.Rule+"]")
	}
	for _, d := range l.Warnings {
		fmt.Fprintln(p.Out, d.String())
	}
}

func lintFile(ctx context.Context, s cli.Streams, file campaignfile.File, env schema.Env) linted {
	l := linted{File: file.Name, Problems: []report.Diagnostic{}, Warnings: []report.Diagnostic{}}
	h := campaignfile.Read(ctx, s, file)
	if h.Err == nil {
		if err := edit.Fits(h.Body); err != nil {
			h.Err = fmt.Errorf("%s: %w", cli.InputName(file.Name), err)
		}
	}
	if h.Err != nil {
		l.Error, l.code = h.Err.Error(), cli.ExitFailed
		if errors.As(h.Err, new(cli.DocumentError)) || engine.AsError(h.Err) != nil {
			l.code = cli.ExitInvalid
		}
		d := report.Failure(h)
		l.Line, l.Column, l.Problems = d.Line, d.Column, append(l.Problems, d)
		return l
	}
	body, uncompiled, err := mjml.UpdateAll(ctx, catalog.Campaign(engine.ParseRecord(h.Body).Channel), h.Body, h.Body) // what is compiled is checked below
	if err != nil {
		return l
	}
	problems := lintDocument(body, env)
	if env.Stage == schema.Draft { // a mistake in an expression is no part of a draft that is still to come
		env.Stage = schema.Publish
		problems = append(problems, slices.DeleteFunc(lintDocument(body, env), func(p schema.Problem) bool {
			return !strings.HasSuffix(p.Rule, "#"+schema.Expressions{}.Key())
		})...)
	}
	// Why MJML was not compiled says more than that it was not.
	for i, p := range uncompiled {
		if mjml.IsMissing(p) { // it may be installed where the file is applied
			uncompiled[i].Severity = schema.Notice
			continue
		}
		problems = slices.DeleteFunc(problems, func(o schema.Problem) bool {
			return strings.HasSuffix(o.Rule, catalog.RuleCompiled) && o.Path.Equal(p.Path)
		})
	}
	problems = append(uncompiled, problems...)
	if l.Valid = len(schema.Errors(problems)) == 0; !l.Valid {
		l.code = cli.ExitInvalid
	}
	out, _ := check.Run(ctx, engine.ParseRecord(body), check.Facts{Now: env.Now, CompilesMJML: true}) // it only fails if ctx has ended
	l.Problems, l.Warnings = report.All(problems, nil, h.Body, h.Source), report.All(nil, out.Findings, h.Body, h.Source)
	return l
}

// lintDocument checks a campaign: the body of a create request, or a record with id and state.
func lintDocument(v doc.Value, env schema.Env) []schema.Problem {
	rec := engine.ParseRecord(v)
	if rec.CreatedBy == "" { // apply signs what nobody has signed
		v = engine.WithCreator(v, "apply@example.com")
		rec = engine.ParseRecord(v)
	}
	if (campaignfile.IsRecord(v) || campaignfile.IsExport(v)) && rec.Channel.Writable() {
		if campaignfile.IsRecord(v) {
			env.Record = rec.Document()
		}
		return catalog.Campaign(rec.Channel).Validate(rec.Document(), env)
	}
	return catalog.CreateRequest(rec.Channel).Validate(v, env)
}
