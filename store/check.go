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

// check is the check of one workspace.
type check struct {
	WorkspaceTx
	workspace string
	out       *CheckResult
	progress  func(int)
}

// What to do about damage.
const (
	AdviceStore  = "restore a backup; `bugle restore` lists them"
	adviceBackup = "restore it from a backup with `bugle restore FILE --campaign ID`, or the database from its own"
	adviceSave   = "save the campaign again"
)

func (c *check) count() {
	if c.out.Records++; c.progress != nil && c.out.Records%256 == 0 {
		c.progress(c.out.Records)
	}
}

// found reports damage, and returns every other error.
func (c *check) found(campaign string, err error, advice string) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // one level after the other
		for _, one := range several.Unwrap() {
			if err := c.found(campaign, one, advice); err != nil {
				return err
			}
		}
		return nil
	}
	var bad *CorruptError
	if !errors.As(err, &bad) {
		return err
	}
	c.report(campaign, fmt.Sprintf("%s is damaged: %v", bad.What, bad.Err), advice)
	return nil
}

func (c *check) report(campaign, what, advice string) {
	c.out.Findings = append(c.out.Findings, Finding{Workspace: c.workspace, Campaign: campaign, What: what, Advice: advice})
}

func (c *check) all() error {
	c.count()
	for _, kind := range []struct {
		read   func() error
		advice string
	}{
		{func() error { _, err := c.Settings(); return err }, AdviceStore},
		{func() error { return c.Summaries(c.campaign) }, adviceSave},
		{func() error { return c.Profiles("", func(engine.User) error { c.count(); return nil }) }, "import the user again"},
		{c.content, "save the item again"},
		{c.outbox, "clear the outbox"},
		{func() error { return c.TestSends(0, func(engine.TestRecord) error { c.count(); return nil }) }, adviceBackup},
		{c.keys, "it goes within a day"},
	} {
		if err := c.found("", kind.read(), kind.advice); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) content() error {
	var all []error
	for _, kind := range ContentKinds() {
		all = append(all, c.Content(kind, func(engine.ContentItem) error { c.count(); return nil }))
	}
	return errors.Join(all...)
}

func (c *check) outbox() error {
	messages, err := c.Outbox(0)
	for range messages {
		c.count()
	}
	return err
}

func (c *check) keys() error {
	t, ok := c.WorkspaceTx.(Transferable)
	if !ok {
		return nil
	}
	return t.EachIdempotencyRecord(func(IdempotencyRecord) error { c.count(); return nil })
}

// campaign checks a campaign and what belongs to it.
func (c *check) campaign(sum engine.Summary) error {
	c.out.Campaigns++
	c.count()
	document, err := c.Campaign(sum.ID)
	if err == nil && !sameSummary(engine.Summarize(document), sum) {
		c.report(sum.ID, fmt.Sprintf(SummaryName+" in workspace %q is not what its document says", sum.ID, c.workspace), adviceSave)
	}
	if err := c.found(sum.ID, err, adviceBackup); err != nil {
		return err
	}
	revisions, err := c.Revisions(sum.ID)
	if err := c.found(sum.ID, err, adviceBackup); err != nil {
		return err
	}
	if len(revisions) > 0 && revisions[0].N != sum.Revision {
		c.report(sum.ID, fmt.Sprintf(CampaignName+" in workspace %q is at revision %d, but its history ends with %d", sum.ID, c.workspace, sum.Revision, revisions[0].N), adviceBackup)
	}
	for _, rev := range revisions {
		c.count()
		_, err := c.Revision(sum.ID, rev.N)
		if errors.Is(err, ErrNotFound) {
			err = Damaged(c.workspace, fmt.Sprintf(RevisionName, sum.ID, rev.N), errors.New("its document is missing"))
		}
		if err := c.found(sum.ID, err, adviceBackup); err != nil {
			return err
		}
	}
	_, err = c.Dismissals(sum.ID)
	if err := c.found(sum.ID, err, "dismiss the warnings of the campaign again"); err != nil {
		return err
	}
	_, err = c.WorkingCopy(sum.ID)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	c.count()
	return c.found(sum.ID, err, "discard the unsaved changes of the campaign")
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
