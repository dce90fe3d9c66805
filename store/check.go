package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"bugle/engine"
)

// CheckResult is the result of [Check].
type CheckResult struct {
	// The number of records that were read.
	Records   int       `json:"records"`
	Campaigns int       `json:"campaigns"`
	Findings  []Finding `json:"findings"` // never nil
}

// Finding is a problem in a store.
type Finding struct {
	Workspace string `json:"workspace,omitempty"`
	// Campaign is the id of the affected campaign, or empty if the problem is about something else.
	Campaign string `json:"campaign,omitempty"`
	What     string `json:"what"`             // a sentence without its period
	Advice   string `json:"advice,omitempty"` // what a person can do about it
}

// What to do about damage.
const (
	AdviceStore    = "restore a backup; `bugle restore` lists them"
	adviceCampaign = "restore it from a backup with `bugle restore FILE --campaign ID`, or the database from its own"
	adviceSave     = "save the campaign again"
)

// Check reads every record of a store in one snapshot. It reports records that are damaged, and summaries that do not match
// their campaigns. progress, which may be nil, is called with the number of records read so far.
func Check(ctx context.Context, db DB, progress func(records int)) (out CheckResult, err error) {
	if progress == nil {
		progress = func(int) {}
	}
	err = db.Read(ctx, func(tx Tx) error {
		out = CheckResult{Findings: []Finding{}}
		ids, err := tx.Workspaces()
		for _, id := range ids {
			if err == nil {
				err = out.damage(id, tx.Workspace(id).Records(func(r Record) error {
					out.record(id, r)
					progress(out.Records)
					return nil
				}))
			}
		}
		return err
	})
	if err != nil {
		return out, fmt.Errorf("checking the store: %w", err)
	}
	progress(out.Records)
	return out, nil
}

// record checks a record of a workspace.
func (out *CheckResult) record(workspace string, r Record) {
	out.Records++
	c, ok := r.(WholeCampaign)
	if !ok {
		return
	}
	out.Campaigns++
	out.Records += len(c.History)
	if c.WorkingCopy != nil {
		out.Records++
	}
	sum := c.Summary
	found := func(advice, format string, args ...any) {
		out.Findings = append(out.Findings, Finding{Workspace: workspace, Campaign: sum.ID, What: fmt.Sprintf(format, args...), Advice: advice})
	}
	if !sameSummary(engine.Summarize(c.Campaign), sum) {
		found(adviceSave, "the summary of campaign %q in workspace %q is not what its document says", sum.ID, workspace)
	}
	if len(c.History) > 0 && c.History[0].Revision.N != sum.Revision {
		found(adviceCampaign, "campaign %q in workspace %q is at revision %d, but its history ends with %d",
			sum.ID, workspace, sum.Revision, c.History[0].Revision.N)
	}
}

// damage reports what is damaged. It returns every other error.
func (out *CheckResult) damage(workspace string, err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // one level after the other
		for _, one := range several.Unwrap() {
			if err := out.damage(workspace, one); err != nil {
				return err
			}
		}
		return nil
	}
	var bad *CorruptError
	if !errors.As(err, &bad) {
		return err
	}
	advice := AdviceStore
	if bad.Campaign != "" {
		advice = adviceCampaign
	}
	out.Findings = append(out.Findings,
		Finding{Workspace: workspace, Campaign: bad.Campaign, What: fmt.Sprintf("%s is damaged: %v", bad.What, bad.Err), Advice: advice})
	return nil
}

// sameSummary reports whether two summaries are stored alike.
func sameSummary(a, b engine.Summary) bool {
	textA, errA := json.Marshal(a)
	textB, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(textA, textB)
}
