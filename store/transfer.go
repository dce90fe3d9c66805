package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bugle/engine"
)

// Archive is a [Space] whose records can be carried to another store as they are.
type Archive interface {
	Space
	// AddPresent stores a campaign that is not there as it is, with its number of a revision. Its history is added after.
	AddPresent(c engine.Campaign, sum engine.Summary) error
	// AddPast stores a revision of a campaign that is there, which has none of that number.
	AddPast(id string, rev engine.Revision, c engine.Campaign) error
	// EachIdempotent calls fn, which must not use the transaction, with every idempotency key.
	EachIdempotent(fn func(Idempotent) error) error
	// EachRequestID calls fn, which must not use the transaction, with every request id.
	EachRequestID(fn func(op, id string, until time.Time) error) error
}

// Transfer carries the records of a store to another one.
type Transfer struct {
	// Write runs fn in a transaction of the store that they go to: it is [DB.Write] of that, or within one that is open.
	Write    func(ctx context.Context, fn func(Tx) error) error
	Progress func(records int) // may be nil

	records int
	damaged []error
	steps   []func(Archive) error
	size    int
}

// A transaction has so many records and bytes, about, at most.
const (
	transferSteps = 500
	transferSize  = 1 << 20
)

// Damaged returns what was damaged where it came from, and was left out.
func (t *Transfer) Damaged() []error { return t.damaged }

// Records returns how many records were carried.
func (t *Transfer) Records() int { return t.records }

// Workspace carries all records of a workspace, as a transaction sees them.
func (t *Transfer) Workspace(ctx context.Context, tx Tx, id string) error {
	from, ok := tx.In(id).(Archive)
	if !ok {
		return errors.New("this store cannot be copied")
	}
	w, err := from.Settings()
	if err != nil {
		return err // without them nothing could be read
	}
	put := func(size int, fn func(Archive) error) error { return t.put(ctx, id, size, fn) }
	if err := put(0, func(a Archive) error { return a.PutSettings(w) }); err != nil {
		return err
	}
	for _, carry := range []func(Archive, func(int, func(Archive) error) error) error{
		t.campaigns, t.users, t.content, t.messages, t.keys,
	} {
		if err := t.mind(carry(from, put)); err != nil {
			return err
		}
	}
	return t.flush(ctx, id)
}

// put adds a step to the transaction, and ends that where it is large.
func (t *Transfer) put(ctx context.Context, id string, size int, fn func(Archive) error) error {
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
	return t.Write(ctx, func(tx Tx) error {
		to, ok := tx.In(id).(Archive)
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
}

// mind notes what is damaged, and returns every other error.
func (t *Transfer) mind(err error) error {
	var bad *CorruptError
	if errors.As(err, &bad) {
		t.damaged = append(t.damaged, err)
		return nil
	}
	return err
}

func (t *Transfer) campaigns(from Archive, put func(int, func(Archive) error) error) error {
	return from.Summaries(func(sum engine.Summary) error {
		c, err := from.Campaign(sum.ID)
		if err != nil {
			return t.mind(err)
		}
		if err := put(c.Body.Size(), func(a Archive) error { return a.AddPresent(c, sum) }); err != nil {
			return err
		}
		revisions, err := from.Revisions(sum.ID)
		if err := t.mind(err); err != nil {
			return err
		}
		for _, rev := range revisions {
			past, err := from.Revision(sum.ID, rev.N)
			if err != nil {
				if err := t.mind(err); err != nil {
					return fmt.Errorf("campaign %s, revision %d: %w", sum.ID, rev.N, err)
				}
				continue
			}
			if err := put(past.Body.Size(), func(a Archive) error { return a.AddPast(sum.ID, rev, past) }); err != nil {
				return err
			}
		}
		dismissed, err := from.Dismissals(sum.ID)
		if err := t.mind(err); err != nil {
			return err
		}
		if len(dismissed) > 0 {
			if err := put(200*len(dismissed), func(a Archive) error { return a.PutDismissals(sum.ID, dismissed) }); err != nil {
				return err
			}
		}
		w, err := from.Copy(sum.ID)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return t.mind(err)
		}
		return put(w.Body.Size(), func(a Archive) error { return a.PutCopy(sum.ID, w) })
	})
}

func (t *Transfer) users(from Archive, put func(int, func(Archive) error) error) error {
	var some []engine.User
	flush := func() error {
		list := some
		some = nil
		if len(list) == 0 {
			return nil
		}
		t.records += len(list) - 1
		return put(0, func(a Archive) error { return a.PutProfiles(list) })
	}
	err := from.Profiles(func(p engine.User) error {
		if some = append(some, p); len(some) < 200 {
			return nil
		}
		return flush()
	})
	if err := flush(); err != nil { // it counts for more than what is damaged
		return err
	}
	return err
}

func (t *Transfer) content(from Archive, put func(int, func(Archive) error) error) error {
	for _, kind := range ContentKinds() {
		err := from.Content(kind, func(item engine.ContentItem) error {
			return put(1<<10, func(a Archive) error { return a.PutContent(item) })
		})
		if err := t.mind(err); err != nil {
			return err
		}
	}
	return nil
}

func (t *Transfer) messages(from Archive, put func(int, func(Archive) error) error) error {
	out, err := from.Outbox(0)
	if err := t.mind(err); err != nil {
		return err
	}
	for _, d := range out {
		if err := put(8<<10, func(a Archive) error { return a.PutOutbox(d) }); err != nil {
			return err
		}
	}
	var tests []engine.TestRecord
	err = from.Tests(0, func(r engine.TestRecord) error { tests = append(tests, r); return nil })
	if err := t.mind(err); err != nil {
		return err
	}
	for i := range tests { // the oldest first: those of one moment stay in their order
		r := tests[len(tests)-1-i]
		if err := put(r.Body.Size(), func(a Archive) error { return a.PutTest(r) }); err != nil {
			return err
		}
	}
	return nil
}

func (t *Transfer) keys(from Archive, put func(int, func(Archive) error) error) error {
	err := from.EachIdempotent(func(i Idempotent) error {
		return put(len(i.Result), func(a Archive) error { return a.PutIdempotent(i) })
	})
	if err := t.mind(err); err != nil {
		return err
	}
	return from.EachRequestID(func(op, id string, until time.Time) error {
		return put(0, func(a Archive) error { return a.PutRequestID(op, id, until) })
	})
}
