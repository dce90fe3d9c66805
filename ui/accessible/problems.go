package accessible

import (
	"context"
	"fmt"

	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// validate validates the campaign as publishing does, and goes to the invalid fields.
func (w *campaignMenu) validate(ctx context.Context) error {
	problems, err := w.allProblems(ctx)
	if err != nil {
		return w.reportError(ctx, "Cannot check the campaign", err)
	}
	if len(problems) == 0 {
		w.println("Valid: this campaign can be published.")
		return nil
	}
	return w.choose(ctx, menu{
		header: func() []string { return []string{problemSummary(problems)} },
		items: func() []item {
			var out []item
			for _, pr := range problems {
				out = append(out, item{label: w.problemLine(pr), run: func(ctx context.Context) error {
					if err := w.sections.goTo(ctx, pr.Path); err != nil {
						return err
					}
					if problems, err = w.allProblems(ctx); err != nil {
						return w.reportError(ctx, "Cannot check the campaign again", err)
					}
					if len(schema.Errors(problems)) == 0 {
						w.println("Valid: this campaign can be published.")
						return errLeave
					}
					return nil
				}})
			}
			return out
		},
		help:         func() []string { return []string{"Type the number of a problem to go to its field."} },
		leaveOnEmpty: true, listAlways: true,
	})
}

// allProblems asks the service for problems, and adds the notices that only the schema reports.
func (d *document) allProblems(ctx context.Context) ([]schema.Problem, error) {
	if d.pending {
		return d.problems, nil
	}
	v, err := d.deps.Service.Validate(ctx, d.campaign.ID)
	return v.Problems, err
}

func problemSummary(problems []schema.Problem) string {
	bad := len(schema.Errors(problems))
	notes := len(problems) - bad
	switch {
	case bad == 0:
		return "Valid: this campaign can be published. " + phrase.Count(notes, "notice") + ", which do not block publishing."
	case notes > 0:
		return fmt.Sprintf("Not valid yet: %s, and %s.", phrase.Count(bad, "problem"), phrase.Count(notes, "notice"))
	}
	return fmt.Sprintf("Not valid yet: %s.", phrase.Count(bad, "problem"))
}
