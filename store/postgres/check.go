package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
	"bugle/store/kv"
)

// Check reads every record in one snapshot, and checks what the database cannot: the checksums of documents, and whether
// summaries match their documents. Progress, if not nil, is called with the number of records read so far.
func (d *DB) Check(ctx context.Context, progress func(records int)) (kv.CheckResult, error) {
	out := kv.CheckResult{Format: kv.Format, Findings: []kv.Finding{}}
	err := d.Read(ctx, func(t store.Tx) error {
		out.Findings, out.Records, out.Campaigns = []kv.Finding{}, 0, 0
		ids, err := t.Workspaces()
		for _, id := range ids {
			if err == nil {
				err = (&check{space: t.Workspace(id).(space), out: &out, progress: progress}).all()
			}
		}
		return err
	})
	if err != nil {
		return out, fmt.Errorf("checking the store: %w", err)
	}
	if progress != nil {
		progress(out.Records)
	}
	return out, nil
}

// check reads the records of a workspace.
type check struct {
	space    space
	out      *kv.CheckResult
	progress func(int)
}

const (
	adviceBackup = "restore it from a backup with `bugle restore FILE --campaign ID`, or the database from its own"
	adviceSave   = "save the campaign again"
)

func (c *check) count() {
	if c.out.Records++; c.progress != nil && c.out.Records%256 == 0 {
		c.progress(c.out.Records)
	}
}

// found notes what is damaged, and returns every other error.
func (c *check) found(campaign string, err error, advice string) error {
	if err == nil {
		return nil
	}
	var all interface{ Unwrap() []error }
	if errors.As(err, &all) {
		for _, one := range all.Unwrap() {
			if err := c.found(campaign, one, advice); err != nil {
				return err
			}
		}
		return nil
	}
	var bad *store.CorruptError
	if !errors.As(err, &bad) {
		return err
	}
	c.report(campaign, fmt.Sprintf("%s is damaged: %v", bad.What, bad.Err), advice)
	return nil
}

func (c *check) report(campaign, what, advice string) {
	c.out.Findings = append(c.out.Findings, kv.Finding{Workspace: c.space.settings.id, Campaign: campaign, What: what, Advice: advice})
}

func (c *check) all() error {
	c.count()
	if err := c.found("", c.space.SettingsDamage(), "restore a backup with `bugle restore`"); err != nil {
		return err
	}
	err := c.space.Summaries(func(sum engine.Summary) error { return c.campaign(sum) })
	if err := c.found("", err, adviceSave); err != nil {
		return err
	}
	if err := c.found("", c.space.Profiles("", func(engine.User) error { c.count(); return nil }), "import the user again"); err != nil {
		return err
	}
	for _, kind := range store.ContentKinds() {
		err := c.space.Content(kind, func(engine.ContentItem) error { c.count(); return nil })
		if err := c.found("", err, "save the item again"); err != nil {
			return err
		}
	}
	messages, err := c.space.Outbox(0)
	c.out.Records += len(messages)
	if err := c.found("", err, "clear the outbox"); err != nil {
		return err
	}
	if err := c.found("", c.space.TestSends(0, func(engine.TestRecord) error { c.count(); return nil }), adviceBackup); err != nil {
		return err
	}
	return c.found("", c.space.EachIdempotencyRecord(func(store.IdempotencyRecord) error { c.count(); return nil }), "it goes within a day")
}

func (c *check) campaign(sum engine.Summary) error {
	c.out.Campaigns++
	c.count()
	doc, err := c.space.Campaign(sum.ID)
	if err != nil {
		if err := c.found(sum.ID, err, adviceBackup); err != nil {
			return err
		}
	} else if want := engine.Summarize(doc); !sameRow(want, sum) {
		c.report(sum.ID, fmt.Sprintf("the summary of campaign %q in workspace %q is not what its document says", sum.ID, c.space.settings.id), adviceSave)
	}
	revisions, err := c.space.Revisions(sum.ID)
	if err := c.found(sum.ID, err, adviceBackup); err != nil {
		return err
	}
	for _, rev := range revisions {
		c.count()
		if _, err := c.space.Revision(sum.ID, rev.N); err != nil {
			if err := c.found(sum.ID, err, adviceBackup); err != nil {
				return err
			}
		}
	}
	if _, err := c.space.Dismissals(sum.ID); err != nil {
		if err := c.found(sum.ID, err, "dismiss the warnings of the campaign again"); err != nil {
			return err
		}
	}
	_, err = c.space.WorkingCopy(sum.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	c.count()
	return c.found(sum.ID, err, "discard the unsaved changes of the campaign")
}

// sameRow reports whether two summaries are stored alike.
func sameRow(a, b engine.Summary) bool {
	rowA, errA := wire.Encode(wire.ToSummary(a))
	rowB, errB := wire.Encode(wire.ToSummary(b))
	return errA == nil && errB == nil && bytes.Equal(rowA, rowB)
}
