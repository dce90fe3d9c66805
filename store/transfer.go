package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bugle/engine"
)

// Transferable is a [WorkspaceTx] whose records can be copied to another store unchanged.
type Transferable interface {
	WorkspaceTx
	// ImportCampaign stores a new campaign with its existing revision number. Its history is imported separately.
	ImportCampaign(c engine.Campaign, sum engine.Summary) error
	// ImportRevision stores a revision of an existing campaign, which must not have that revision yet.
	ImportRevision(id string, rev engine.Revision, c engine.Campaign) error
	// EachIdempotencyRecord calls fn, which must not use the transaction, with every idempotency record.
	EachIdempotencyRecord(fn func(IdempotencyRecord) error) error
	// EachRequestID calls fn, which must not use the transaction, with every request id.
	EachRequestID(fn func(op, id string, until time.Time) error) error
}

// Transfer copies the records of a store to another one.
type Transfer struct {
	// Write runs fn in a transaction of the destination: [DB.Write], or a function that uses an open transaction.
	Write    func(ctx context.Context, fn func(Tx) error) error
	Progress func(records int) // may be nil

	records int
	damaged []error
	steps   []func(Transferable) error
	size    int
}

// Approximate limits of one transaction.
const (
	transferSteps = 500
	transferSize  = 1 << 20
)

// Damaged returns the damage in the source. Damaged records are skipped.
func (t *Transfer) Damaged() []error { return t.damaged }

// Records returns the number of copied records.
func (t *Transfer) Records() int { return t.records }

// Workspace copies all records of a workspace from tx.
func (t *Transfer) Workspace(ctx context.Context, tx Tx, id string) error {
	from, ok := tx.Workspace(id).(Transferable)
	if !ok {
		return errors.New("this store cannot be copied")
	}
	w, err := from.Settings()
	if err != nil {
		return err // without settings, the destination could not be read
	}
	put := func(size int, fn func(Transferable) error) error { return t.add(ctx, id, size, fn) }
	if err := put(0, func(a Transferable) error { return a.PutSettings(w) }); err != nil {
		return err
	}
	for _, carry := range []func(Transferable, func(int, func(Transferable) error) error) error{
		t.campaigns, t.users, t.content, t.messages, t.keys,
	} {
		if err := t.collectDamage(carry(from, put)); err != nil {
			return err
		}
	}
	return t.flush(ctx, id)
}

// add adds a step to the current transaction, and commits the transaction if it is large enough.
func (t *Transfer) add(ctx context.Context, id string, size int, fn func(Transferable) error) error {
	t.steps, t.size = append(t.steps, fn), t.size+size
	if t.records++; t.Progress != nil && t.records%256 == 0 {
		t.Progress(t.records)
	}
	if len(t.steps) < transferSteps && t.size < transferSize {
		return ctx.Err()
	}
	return t.flush(ctx, id)
}

func (t *Transfer) flush(ctx context.Context, id string) error {
	steps := t.steps
	t.steps, t.size = nil, 0
	if len(steps) == 0 {
		return nil
	}
	return t.commit(ctx, id, steps)
}

// commit takes steps in one transaction, or in several if they are more than the store takes at once: their sizes are
// estimates.
func (t *Transfer) commit(ctx context.Context, id string, steps []func(Transferable) error) error {
	err := t.Write(ctx, func(tx Tx) error {
		to, ok := tx.Workspace(id).(Transferable)
		if !ok {
			return errors.New("nothing can be copied into this store")
		}
		for _, step := range steps {
			if err := step(to); err != nil {
				return err
			}
		}
		return nil
	})
	if half := len(steps) / 2; half > 0 && errors.Is(err, ErrTooLarge) {
		if err = t.commit(ctx, id, steps[:half]); err == nil {
			err = t.commit(ctx, id, steps[half:])
		}
	}
	return err
}

// collectDamage records err if it is damage, and returns any other error.
func (t *Transfer) collectDamage(err error) error {
	var bad *CorruptError
	if errors.As(err, &bad) {
		t.damaged = append(t.damaged, err)
		return nil
	}
	return err
}

func (t *Transfer) campaigns(from Transferable, put func(int, func(Transferable) error) error) error {
	return from.Summaries(func(sum engine.Summary) error {
		c, err := from.Campaign(sum.ID)
		if err != nil {
			return t.collectDamage(err)
		}
		if err := put(c.Body.Size(), func(a Transferable) error { return a.ImportCampaign(c, sum) }); err != nil {
			return err
		}
		revisions, err := from.Revisions(sum.ID)
		if err := t.collectDamage(err); err != nil {
			return err
		}
		for _, rev := range revisions {
			past, err := from.Revision(sum.ID, rev.N)
			if err != nil {
				if err := t.collectDamage(err); err != nil {
					return fmt.Errorf("campaign %s, revision %d: %w", sum.ID, rev.N, err)
				}
				continue
			}
			if err := put(past.Body.Size(), func(a Transferable) error { return a.ImportRevision(sum.ID, rev, past) }); err != nil {
				return err
			}
		}
		dismissed, err := from.Dismissals(sum.ID)
		if err := t.collectDamage(err); err != nil {
			return err
		}
		if len(dismissed) > 0 {
			if err := put(200*len(dismissed), func(a Transferable) error { return a.PutDismissals(sum.ID, dismissed) }); err != nil {
				return err
			}
		}
		w, err := from.WorkingCopy(sum.ID)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return t.collectDamage(err)
		}
		return put(w.Body.Size(), func(a Transferable) error { return a.PutWorkingCopy(sum.ID, w) })
	})
}

func (t *Transfer) users(from Transferable, put func(int, func(Transferable) error) error) error {
	var some []engine.User
	size := 0
	flush := func() error {
		list, n := some, size
		some, size = nil, 0
		if len(list) == 0 {
			return nil
		}
		t.records += len(list) - 1
		return put(n, func(a Transferable) error { return a.PutProfiles(list) })
	}
	err := from.Profiles("", func(p engine.User) error {
		some, size = append(some, p), size+userSize(p)
		if len(some) < 200 && size < transferSize/2 {
			return nil
		}
		return flush()
	})
	if err := flush(); err != nil { // this error is more important than damage
		return err
	}
	return err
}

// userSize returns about how long the record of a user is, in bytes.
func userSize(u engine.User) int {
	n := 200 + valueSize(u.Attributes)
	for _, d := range u.Devices {
		n += 100 + len(d.Token)
	}
	for _, e := range u.Events {
		n += 100 + len(e.Name) + valueSize(e.Attributes)
	}
	return n
}

// valueSize returns about how long the value of an attribute is as JSON, in bytes.
func valueSize(v any) int {
	n := 16
	switch v := v.(type) {
	case string:
		n += len(v)
	case []any:
		for _, e := range v {
			n += valueSize(e)
		}
	case map[string]any:
		for name, e := range v {
			n += len(name) + valueSize(e)
		}
	}
	return n
}

func (t *Transfer) content(from Transferable, put func(int, func(Transferable) error) error) error {
	for _, kind := range ContentKinds() {
		err := from.Content(kind, func(item engine.ContentItem) error {
			return put(1<<10, func(a Transferable) error { return a.PutContent(item) })
		})
		if err := t.collectDamage(err); err != nil {
			return err
		}
	}
	return nil
}

func (t *Transfer) messages(from Transferable, put func(int, func(Transferable) error) error) error {
	out, err := from.Outbox(0)
	if err := t.collectDamage(err); err != nil {
		return err
	}
	for _, d := range out {
		if err := put(8<<10, func(a Transferable) error { return a.PutOutbox(d) }); err != nil {
			return err
		}
	}
	var tests []engine.TestRecord
	err = from.TestSends(0, func(r engine.TestRecord) error { tests = append(tests, r); return nil })
	if err := t.collectDamage(err); err != nil {
		return err
	}
	for i := range tests { // oldest first, to preserve the order of records with the same time
		r := tests[len(tests)-1-i]
		if err := put(r.Body.Size(), func(a Transferable) error { return a.PutTestSend(r) }); err != nil {
			return err
		}
	}
	return nil
}

func (t *Transfer) keys(from Transferable, put func(int, func(Transferable) error) error) error {
	err := from.EachIdempotencyRecord(func(i IdempotencyRecord) error {
		return put(len(i.Result), func(a Transferable) error { return a.PutIdempotencyRecord(i) })
	})
	if err := t.collectDamage(err); err != nil {
		return err
	}
	return from.EachRequestID(func(op, id string, until time.Time) error {
		return put(0, func(a Transferable) error { return a.PutRequestID(op, id, until) })
	})
}
