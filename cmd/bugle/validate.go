package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

func newValidate(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "validate ID",
		Short: "Check if a campaign is ready to publish",
		Long: "Nothing is changed. Each problem is printed on a line with the path of the field and what to do. Exits\n" +
			"with 3 if there is a problem.",
		Example:           "  bugle validate 65f0a1b2c3d4e5f60718293a\n  bugle validate 65f0a1b2c3d4e5f60718293a --json",
		Args:              exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.completeIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.campaigns(cmd.Context())
			if err != nil {
				return err
			}
			v, err := svc.Validate(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := printValidation(&f.printer, v); err != nil {
				return err
			}
			if !v.Valid {
				return silent(exitInvalid)
			}
			return nil
		},
	}
}

func printValidation(p *printer, v engine.Validation) error {
	if p.json {
		return p.printDoc(v.Document())
	}
	if v.Valid {
		fmt.Fprintln(p.out, "Valid. This campaign is ready to publish.")
	} else {
		fmt.Fprintf(p.out, "Not valid yet: %s to fix.\n", phrase.Count(len(schema.Errors(v.Problems)), "problem"))
	}
	for _, problem := range v.Problems {
		fmt.Fprintln(p.out, problemLine(problem))
	}
	return nil
}

// problemLine returns a problem as one line that begins with its path.
func problemLine(p schema.Problem) string {
	path, kind := p.Path.String(), ""
	if path == "" {
		path = "campaign"
	}
	if p.Severity == schema.Notice {
		kind = "note: "
	}
	return line(path + ": " + kind + p.Message)
}
