package campaign

import (
	"fmt"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// NewValidate returns the command bugle validate.
func NewValidate(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "validate ID",
		Short: "Check if a campaign is ready to publish",
		Long: "Nothing is changed. Each problem is printed on a line with the path of the field and what to do. Exits\n" +
			"with 3 if there is a problem.",
		Example:           "  bugle validate 65f0a1b2c3d4e5f60718293a\n  bugle validate 65f0a1b2c3d4e5f60718293a --json",
		Args:              cli.Exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Campaigns(cmd.Context())
			if err != nil {
				return err
			}
			v, err := svc.Validate(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := printValidation(&f.Printer, v); err != nil {
				return err
			}
			if !v.Valid {
				return cli.Silent(cli.ExitInvalid)
			}
			return nil
		},
	}
}

func printValidation(p *cli.Printer, v engine.Validation) error {
	if p.JSON {
		return p.PrintDoc(v.Document())
	}
	if v.Valid {
		fmt.Fprintln(p.Out, "Valid. This campaign is ready to publish.")
	} else {
		fmt.Fprintf(p.Out, "Not valid yet: %s to fix.\n", phrase.Count(len(schema.Errors(v.Problems)), "problem"))
	}
	for _, problem := range v.Problems {
		fmt.Fprintln(p.Out, cli.ProblemLine(problem))
	}
	return nil
}
