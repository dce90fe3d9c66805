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

// Check reads every record of a store in one snapshot. It reports records that are damaged, and summaries that do not match
// their campaigns. progress, which may be nil, is called with the number of records read so far.
func Check(ctx context.Context, db DB, progress func(records int)) (out CheckResult, err error) {
	err = db.Read(ctx, func(tx Tx) error {
		out = CheckResult{Findings: []Finding{}}
		ids, err := tx.Workspaces()
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := (&check{WorkspaceTx: tx.Workspace(id), workspace: id, out: &out, progress: progress}).all(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return out, fmt.Errorf("checking the store: %w", err)
	}
	if progress != nil {
		progress(out.Records)
	}
	return out, nil
}

// What to do about damage.
const (
	AdviceStore  = "restore a backup; `bugle restore` lists them"
	adviceBackup = "restore it from a backup with `bugle restore FILE --campaign ID`, or the database from its own"
	adviceSave   = "save the campaign again"
)

// check is the check of one workspace.
type check struct {
	WorkspaceTx
	workspace string
	out       *CheckResult
	progress  func(int)
	err       error // why the check cannot go on
}

func (c *check) count() {
	if c.out.Records++; c.progress != nil && c.out.Records%256 == 0 {
		c.progress(c.out.Records)
	}
}

// counting returns a function that counts records until the check cannot go on.
func counting[T any](c *check) func(T) error {
	return func(T) error { c.count(); return c.err }
}

// found reports damage. The check cannot go on after any other error.
func (c *check) found(campaign string, err error, advice string) {
	if several, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // one level after the other
		for _, one := range several.Unwrap() {
			c.found(campaign, one, advice)
		}
		return
	}
	var bad *CorruptError
	if errors.As(err, &bad) {
		c.report(campaign, fmt.Sprintf("%s is damaged: %v", bad.What, bad.Err), advice)
	} else if c.err == nil {
		c.err = err
	}
}

func (c *check) report(campaign, what, advice string) {
	c.out.Findings = append(c.out.Findings, Finding{Workspace: c.workspace, Campaign: campaign, What: what, Advice: advice})
}

func (c *check) all() error {
	c.count()
	_, err := c.Settings()
	c.found("", err, AdviceStore)
	c.found("", c.Summaries(c.campaign), adviceSave)
	c.found("", c.Profiles("", counting[engine.User](c)), "import the user again")
	for _, kind := range ContentKinds() {
		c.found("", c.Content(kind, counting[engine.ContentItem](c)), "save the item again")
	}
	messages, err := c.Outbox(0)
	c.out.Records += len(messages)
	c.found("", err, "clear the outbox")
	c.found("", c.TestSends(0, counting[engine.TestRecord](c)), adviceBackup)
	return c.err
}

// campaign checks a campaign and what belongs to it.
func (c *check) campaign(sum engine.Summary) error {
	c.out.Campaigns++
	c.count()
	document, err := c.Campaign(sum.ID)
	if err == nil && !sameSummary(engine.Summarize(document), sum) {
		c.report(sum.ID, fmt.Sprintf(SummaryName+" in workspace %q is not what its document says", sum.ID, c.workspace), adviceSave)
	}
	c.found(sum.ID, err, adviceBackup)
	revisions, err := c.Revisions(sum.ID)
	c.found(sum.ID, err, adviceBackup)
	if len(revisions) > 0 && revisions[0].N != sum.Revision {
		c.report(sum.ID, fmt.Sprintf(CampaignName+" in workspace %q is at revision %d, but its history ends with %d", sum.ID, c.workspace, sum.Revision, revisions[0].N), adviceBackup)
	}
	for _, rev := range revisions {
		c.count()
		_, err := c.Revision(sum.ID, rev.N)
		if errors.Is(err, ErrNotFound) {
			err = Damaged(c.workspace, fmt.Sprintf(RevisionName, sum.ID, rev.N), errors.New("its document is missing"))
		}
		c.found(sum.ID, err, adviceBackup)
	}
	_, err = c.Dismissals(sum.ID)
	c.found(sum.ID, err, "dismiss the warnings of the campaign again")
	if _, err = c.WorkingCopy(sum.ID); !errors.Is(err, ErrNotFound) {
		c.count()
		c.found(sum.ID, err, "discard the unsaved changes of the campaign")
	}
	return c.err
}

// sameSummary reports whether two summaries are stored alike.
func sameSummary(a, b engine.Summary) bool {
	for _, list := range []*[]string{&a.Tags, &a.Platforms, &b.Tags, &b.Platforms} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	textA, errA := json.Marshal(a)
	textB, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(textA, textB)
}
