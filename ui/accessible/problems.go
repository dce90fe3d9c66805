package accessible

import (
	"context"
	"fmt"

	"bugle/engine/catalog"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// validate validates the campaign as publishing does, and looks for warnings. It goes to the fields that they are about.
func (w *campaignMenu) validate(ctx context.Context) error {
	var problems []schema.Problem
	var warnings check.Result
	look := func(ctx context.Context) (err error) {
		if problems, err = w.allProblems(ctx); err == nil {
			warnings, err = w.findWarnings(ctx)
		}
		return err
	}
	if err := look(ctx); err != nil {
		return w.reportError(ctx, "Cannot check the campaign", err)
	}
	for _, line := range warnings.NotChecked() {
		w.println("%s.", line)
	}
	if len(problems)+len(warnings.Findings) == 0 {
		w.println("%s", w.validationSummary(problems, warnings))
		return nil
	}
	fix := func(open func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			if err := open(ctx); err != nil {
				return err
			}
			if err := look(ctx); err != nil {
				return w.reportError(ctx, "Cannot check the campaign again", err)
			}
			if len(schema.Errors(problems))+len(warnings.Findings) == 0 {
				w.println("%s", w.validationSummary(problems, warnings))
				return errLeave
			}
			return nil
		}
	}
	return w.choose(ctx, menu{
		header: func() []string { return []string{w.validationSummary(problems, warnings)} },
		items: func() []item {
			var out []item
			for _, pr := range problems {
				out = append(out, item{label: w.problemLine(pr), run: fix(func(ctx context.Context) error { return w.sections.goTo(ctx, pr.Path) })})
			}
			for _, f := range warnings.Findings {
				out = append(out, item{label: w.warningLine(f), run: fix(func(ctx context.Context) error { return w.warning(ctx, f) })})
			}
			return out
		},
		help: func() []string {
			return []string{"Type the number of a problem to go to its field, or of a warning to fix or dismiss it."}
		},
		leaveOnEmpty: true, listAlways: true,
	})
}

// allProblems asks the service for problems, and adds the notices that only the schema reports.
func (d *document) allProblems(ctx context.Context) ([]schema.Problem, error) {
	if d.pending {
		return d.edits.ChangeProblems(), nil
	}
	v, err := d.deps.Service.Validate(ctx, d.campaign.ID)
	return v.Problems, err
}

// validationSummary describes the result of a validation.
func (d *document) validationSummary(problems []schema.Problem, warnings check.Result) string {
	bad := len(schema.Errors(problems))
	notes := len(problems) - bad
	out := "Valid: this campaign can be published."
	if d.pending && d.campaign.Status != catalog.Draft {
		out = "Valid: your changes can be applied."
	}
	switch {
	case bad == 0 && notes > 0:
		out += " " + phrase.Count(notes, "notice") + ", which do not block that."
	case bad == 0:
	case notes > 0:
		out = fmt.Sprintf("Not valid yet: %s, and %s.", phrase.Count(bad, "problem"), phrase.Count(notes, "notice"))
	default:
		out = fmt.Sprintf("Not valid yet: %s.", phrase.Count(bad, "problem"))
	}
	if n := warnings.Summary(); n != "" {
		out += " Also worth a look: " + n + "."
	}
	if n := len(warnings.Dismissed); n > 0 {
		out += " " + phrase.Count(n, "warning") + " dismissed."
	}
	return out
}
