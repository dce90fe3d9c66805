package accessible

import (
	"context"
	"fmt"
	"strings"

	"bugle/engine/message/check"
)

// findWarnings looks for what is likely wrong with the campaign although it may be published.
func (d *document) findWarnings(ctx context.Context) (check.Result, error) {
	_, r, err := check.LoadAndRun(ctx, d.deps.Service, d.deps.Dismissals(), d.current(), d.deps.Now())
	return r, err
}

// warningLine describes a warning: "Warning. Email, Subject: it is cut".
func (d *document) warningLine(f check.Finding) string {
	kind := "Warning"
	if f.Severity == check.Note {
		kind = "Note"
	}
	return fmt.Sprintf("%s. %s: %s. %s", kind, placeName(d.schema, f.Path), f.Text(), strings.TrimSuffix(f.Remedy, "."))
}

// warning asks what to do about a warning.
func (w *campaignMenu) warning(ctx context.Context, f check.Finding) error {
	why := ""
	if w.deps.Dismissals() == nil {
		why = "this service cannot store which warnings are dismissed"
	}
	return w.choose(ctx, menu{
		header: func() []string { return []string{w.warningLine(f) + "."} },
		items: func() []item {
			return []item{
				{label: "Go to the field", word: "field", run: func(ctx context.Context) error { return w.sections.goTo(ctx, f.Path) }},
				{label: "Dismiss the warning", word: "dismiss", state: "hide it, with a reason, until its text changes", disabledReason: why, run: func(ctx context.Context) error { return w.dismiss(ctx, f) }},
			}
		},
		leaveOnEmpty: true, listAlways: true, once: true,
	})
}

// dismiss asks why a warning can be ignored, and dismisses it.
func (w *campaignMenu) dismiss(ctx context.Context, f check.Finding) error {
	return w.ask(ctx, question{
		prompt: "Why can it be ignored", text: true,
		help: func() []string { return []string{"The reason is kept beside the campaign, for others who read it."} },
		handle: func(a answer) error {
			reason := strings.TrimSpace(a.text)
			if reason == "" {
				return invalid("Write a reason, or type back.")
			}
			if err := w.deps.Dismissals().PutDismissal(ctx, w.campaign.ID, f.Dismiss(w.deps.Author, reason, w.deps.Now())); err != nil {
				return w.reportError(ctx, "The warning was not dismissed", err)
			}
			w.println("Dismissed.")
			return nil
		},
	})
}

// printWarnings prints the warnings before a campaign is published.
func (d *document) printWarnings(ctx context.Context) error {
	r, err := d.findWarnings(ctx)
	if err != nil {
		return d.reportError(ctx, "Cannot look for warnings", err)
	}
	for _, f := range r.Findings {
		if f.Severity == check.Warning {
			d.println("%s.", d.warningLine(f))
		}
	}
	return nil
}
