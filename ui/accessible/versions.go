package accessible

import (
	"context"
	"fmt"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/timeparse"
)

// versions compares the campaign with its earlier versions, and restores one.
type versions struct{ *document }

// maxRevisions is how many earlier versions are listed.
const maxRevisions = 20

// history lists the earlier versions, and restores one.
func (v versions) history(ctx context.Context) error {
	h := v.deps.Service.(engine.RevisionReader)
	revisions, err := h.Revisions(ctx, v.campaign.ID)
	if err != nil {
		return v.reportError(ctx, "Cannot load the history", err)
	}
	return v.choose(ctx, menu{
		header: func() []string {
			return []string{"History: " + phrase.Count(len(revisions), "version") + ", the newest first."}
		},
		items: func() []item {
			var out []item
			for i, r := range revisions {
				if i == maxRevisions {
					break
				}
				label := fmt.Sprintf("Version %d", r.N)
				state := timeparse.Ago(r.At, v.deps.Now())
				if r.By != "" {
					state += " by " + r.By
				}
				if r.Note != "" {
					state += ", " + r.Note
				}
				out = append(out, item{label: label, state: state, run: func(ctx context.Context) error { return v.revision(ctx, h, r.N) }})
			}
			return out
		},
		help: func() []string {
			return []string{"Choose a version to compare it with the current one, or to restore it."}
		},
		leaveOnEmpty: true,
	})
}

// maxChanges is how many differences are listed.
const maxChanges = 30

// revision prints how a version differs from the current one, and restores it after a question.
func (v versions) revision(ctx context.Context, h engine.RevisionReader, n int64) error {
	then, err := h.Revision(ctx, v.campaign.ID, n)
	if err != nil {
		return v.reportError(ctx, "Cannot load the version", err)
	}
	c := v.campaign
	c.Body = then.Body
	root := c.Document()
	changes := doc.Diff(engine.DocumentBody(v.root), c.Body)
	if len(changes) == 0 {
		v.println("Version %d is the same as the current one.", n)
		return nil
	}
	v.println("Version %d has %s.", n, phrase.Count(len(changes), "difference"))
	for i, ch := range changes {
		if i == maxChanges {
			v.println("And %d more.", len(changes)-i)
			break
		}
		v.println("%s: %s now, %s then.", placeName(v.schema, ch.Path), v.valueText(ch.Path, ch.Before), v.valueText(ch.Path, ch.After))
	}
	yes, err := v.confirm(ctx, fmt.Sprintf("Restore version %d", n), false)
	if err != nil || !yes {
		return err
	}
	return v.change(ctx, root, fmt.Sprintf("version %d restored", n))
}

// valueText formats the value of a place.
func (v versions) valueText(p doc.Path, value doc.Value) string {
	r := v.rowAt(p)
	r.Value = value
	if !value.Exists() {
		return "empty"
	}
	return valueText(r.FieldState)
}
