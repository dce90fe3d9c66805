package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/schema"
)

func newValidate(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "validate ID",
		Short: "Check a campaign as publishing would",
		Long: "Check a campaign as publishing would, without changing it. Each problem is a line: its path,\n" +
			"and what to do about it. Exits with 3 when there is one.",
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
			if err := f.printValidation(v); err != nil {
				return err
			}
			if !v.Valid {
				return silentError(exitInvalid)
			}
			return nil
		},
	}
}

func (f *factory) printValidation(v engine.Validation) error {
	if f.json {
		return f.printDoc(v.Document())
	}
	if v.Valid {
		fmt.Fprintln(f.out, "Valid: this campaign can be published.")
	} else {
		fmt.Fprintf(f.out, "Not valid: %d to mend.\n", len(schema.Errors(v.Problems)))
	}
	for _, p := range v.Problems {
		fmt.Fprintln(f.out, problemLine(p))
	}
	return nil
}

// problemLine gives a problem as a line, its path first, as compilers do.
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
