package kv

import (
	"errors"
	"time"

	"bugle/store"
	"bugle/store/internal/record"
)

var (
	// An expiry is an entry in the index of idempotency keys by time. It may remain of one that was replaced or deleted.
	expiries = onlyKeys(record.Kind{ID: 'e', Parts: "tss", Name: "the expiry at %v of %s %q", Plural: "expiry times"})
	sweeps   = record.AsJSON[sweep](record.Kind{ID: 'l', Name: "the time of the last removal of expired records", Plural: "times of sweeps"})
)

// sweep is the last removal of expired records.
type sweep struct {
	At time.Time `json:"at"`
}

// PutIdempotency implements [record.Backend].
func (s rows) PutIdempotency(i store.IdempotencyRecord) error {
	old, err := record.Idempotency.Get(s, i.Operation, i.Key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if i.Lease != "" && !i.Running && old.Lease != i.Lease && old.Lease != "" {
		return store.ErrLeaseExpired // another process has taken over the work
	}
	return errors.Join(record.Idempotency.Put(s, i, i.Operation, i.Key), expiries.Put(s, none{}, i.ExpiresAt, i.Operation, i.Key))
}

// LeaseHeld implements [store.Idempotency].
func (s WorkspaceTx) LeaseHeld(lease string) (bool, error) {
	t := s.rows.tx
	if h, ok := t.driver.(LeaseHolder); ok && lease != t.lease {
		return h.LeaseHeld(t.ctx, lease)
	}
	return lease == t.lease, nil
}

// ExpireBatch is the most records that one call of [WorkspaceTx.Sweep] removes, which keeps its transaction small.
const ExpireBatch = 1000

// SweepInterval is the least time between two sweeps. A record is removed if it was expired at both.
const SweepInterval = time.Hour

// Sweep implements [store.Idempotency]. It removes a record only if the record was expired at two sweeps at least
// [SweepInterval] apart, so that a clock that was wrong for a shorter time removes nothing. A clock that is behind the last
// sweep starts over.
func (s WorkspaceTx) Sweep(now time.Time) (more bool, err error) {
	if exists, err := settings.Has(s.rows); err != nil || !exists {
		return false, err // without a workspace, there is nothing to remove
	}
	last, err := sweeps.Get(s.rows)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && now.Before(last.At): // the first sweep, or the clock was set back
		return false, sweeps.Put(s.rows, sweep{now})
	case err != nil || now.Sub(last.At) < SweepInterval:
		return false, err
	}
	n := 0
	err = s.rows.keys(expiries.Kind, ScanOptions{Limit: ExpireBatch}, func(parts []any) error {
		if last.At.Before(parts[0].(time.Time)) {
			return store.Stop
		}
		n++
		return errors.Join(s.expire(parts[1:], last.At), expiries.Delete(s.rows, parts...))
	})
	if err != nil || n == ExpireBatch {
		return err == nil, err
	}
	return false, sweeps.Put(s.rows, sweep{now})
}

// expire removes the record of an index entry, unless it was removed or its expiry is later by now.
func (s WorkspaceTx) expire(key []any, now time.Time) error {
	i, err := record.Idempotency.Get(s.rows, key...)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && now.Before(i.ExpiresAt.Truncate(time.Microsecond)): // as the entry has it
		return nil
	case err != nil:
		return err
	}
	return record.Idempotency.Delete(s.rows, key...)
}
