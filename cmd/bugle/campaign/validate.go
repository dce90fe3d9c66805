package campaign

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// NewValidate returns the command bugle validate.
func NewValidate(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "validate ID",
		Short: "Check if a campaign is ready to publish",
		Long: "Nothing is changed. Each problem is printed on a line with the path of the field and what to do.\n" +
			"Warnings are counted, and listed under \"warnings\" with --json; `bugle check` explains them. Exits with 3 if\n" +
			"there is a problem.",
		Example:           "  bugle validate 65f0a1b2c3d4e5f60718293a\n  bugle validate 65f0a1b2c3d4e5f60718293a --json",
		Args:              cli.Exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, id, err := f.Campaign(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			v, err := svc.Validate(cmd.Context(), id)
			if err != nil {
				return err
			}
			warnings, err := warningsOf(cmd.Context(), f, svc, id)
			if err != nil {
				return err
			}
			if err := printValidation(&f.Printer, v, warnings); err != nil {
				return err
			}
			if !v.Valid {
				return cli.Silent(cli.ExitInvalid)
			}
			return nil
		},
	}
}

// warningsOf returns what the checks find in a campaign of the service; nothing for channels that can only be read.
func warningsOf(ctx context.Context, f *cli.Factory, svc engine.Service, id string) ([]check.Finding, error) {
	kept, err := f.Dismissals(svc)
	if err != nil {
		return nil, err
	}
	var p preflight
	if err := p.load(ctx, svc, kept, id); err != nil {
		return nil, err
	}
	return p.result.Findings, nil
}

func printValidation(p *cli.Printer, v engine.Validation, warnings []check.Finding) error {
	if p.JSON {
		out, err := v.Document().Set(doc.P("warnings"), check.Documents(warnings))
		if err != nil {
			return err
		}
		return p.PrintDoc(out)
	}
	if v.Valid {
		fmt.Fprintln(p.Out, "Valid. This campaign is ready to publish.")
	} else {
		fmt.Fprintf(p.Out, "Not valid yet: %s to fix.\n", phrase.Count(len(schema.Errors(v.Problems)), "problem"))
	}
	for _, problem := range v.Problems {
		fmt.Fprintln(p.Out, cli.ProblemLine(problem))
	}
	if n := (check.Result{Findings: warnings}).Count(check.Warning); n > 0 {
		fmt.Fprintf(p.Out, "%s; list them with `bugle check`.\n", phrase.Count(n, "warning"))
	}
	return nil
}
