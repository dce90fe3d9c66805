package kv

import (
	"errors"
	"time"

	"bugle/store"
)

var (
	operationIDs = []string{"the name of an operation", "a key"}

	idempotency = asJSON[store.IdempotencyRecord](kind{id: 'i', parts: "ss", ids: operationIDs, name: store.IdempotencyName, plural: "idempotency keys"})
	requests    = asJSON[store.RequestID](kind{id: 'q', parts: "ss", ids: operationIDs, name: store.RequestName, plural: "request ids"})
	// An expiry is an entry in the index of the two by time: the time, which of the two, and the parts of its key. It may
	// remain of a record that was replaced or deleted.
	expiries = onlyKeys(kind{id: 'e', parts: "tsss", name: "the expiry at %v of %[3]s %[4]q", plural: "expiry times"})
	sweeps   = asJSON[sweep](kind{id: 'l', name: "the time of the last removal of expired records", plural: "times of sweeps"})
)

// sweep is the last removal of expired records.
type sweep struct {
	At time.Time `json:"at"`
}

// IdempotencyRecord implements [store.Idempotency].
func (s WorkspaceTx) IdempotencyRecord(op, key string) (store.IdempotencyRecord, error) {
	return idempotency.get(s, op, key)
}

// PutIdempotencyRecord implements [store.Idempotency].
func (s WorkspaceTx) PutIdempotencyRecord(i store.IdempotencyRecord) error {
	if err := store.CheckIdempotencyRecord(i); err != nil {
		return err
	}
	old, err := idempotency.get(s, i.Operation, i.Key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if i.Lease != "" && !i.Running && old.Lease != i.Lease && old.Lease != "" {
		return store.ErrLeaseExpired // another process has taken over the work
	}
	return errors.Join(
		idempotency.put(s, i, i.Operation, i.Key),
		expiries.put(s, none{}, i.ExpiresAt, string(idempotency.id), i.Operation, i.Key),
	)
}

// DeleteIdempotencyRecord implements [store.Idempotency].
func (s WorkspaceTx) DeleteIdempotencyRecord(op, key string) error {
	return idempotency.delete(s, op, key)
}

// EachIdempotencyRecord implements [wire.Source].
func (s WorkspaceTx) EachIdempotencyRecord(fn func(store.IdempotencyRecord) error) error {
	return idempotency.each(s, ScanOptions{}, fn)
}

// LeaseHeld implements [store.Idempotency].
func (s WorkspaceTx) LeaseHeld(lease string) (bool, error) {
	if t, ok := s.tx.(*tx); ok && lease != s.lease {
		return t.leaseHeld(lease)
	}
	return lease == s.lease, nil
}

// RequestID implements [store.Idempotency]. The time may be in the past, because the caller's clock decides.
func (s WorkspaceTx) RequestID(op, id string) (time.Time, error) {
	r, err := requests.get(s, op, id)
	return r.Until, err
}

// PutRequestID implements [store.Idempotency].
func (s WorkspaceTx) PutRequestID(op, id string, until time.Time) error {
	return errors.Join(
		requests.put(s, store.RequestID{Operation: op, ID: id, Until: until}, op, id),
		expiries.put(s, none{}, until, string(requests.id), op, id),
	)
}

// EachRequestID implements [wire.Source].
func (s WorkspaceTx) EachRequestID(fn func(store.RequestID) error) error {
	return requests.each(s, ScanOptions{}, fn)
}

// ExpireBatch is the most records that one call of [WorkspaceTx.Sweep] removes, which keeps its transaction small.
const ExpireBatch = 1000

// SweepInterval is the least time between two sweeps. A record is removed if it was expired at both.
const SweepInterval = time.Hour

// Sweep implements [store.Idempotency]. It removes a record only if the record was expired at two sweeps at least
// [SweepInterval] apart, so that a clock that was wrong for a shorter time removes nothing. A clock that is behind the last
// sweep starts over.
func (s WorkspaceTx) Sweep(now time.Time) (more bool, err error) {
	if exists, err := settings.exists(s); err != nil || !exists {
		return false, err // without a workspace, there is nothing to remove
	}
	last, err := sweeps.get(s)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && now.Before(last.At): // the first sweep, or the clock was set back
		return false, sweeps.put(s, sweep{now})
	case err != nil || now.Sub(last.At) < SweepInterval:
		return false, err
	}
	n := 0
	err = expiries.keys(s, ScanOptions{Limit: ExpireBatch}, func(parts []any) error {
		if last.At.Before(parts[0].(time.Time)) {
			return store.Stop
		}
		n++
		return errors.Join(s.expire(parts[1].(string), parts[2:], last.At), expiries.delete(s, parts...))
	})
	if err != nil || n == ExpireBatch {
		return err == nil, err
	}
	return false, sweeps.put(s, sweep{now})
}

// expire removes the record of an index entry, unless it was removed or its expiry is later by now.
func (s WorkspaceTx) expire(kind string, key []any, now time.Time) error {
	var until time.Time
	var err error
	of := idempotency.kind
	if kind == string(requests.id) {
		of = requests.kind
		until, err = s.RequestID(key[0].(string), key[1].(string))
	} else {
		var i store.IdempotencyRecord
		i, err = idempotency.get(s, key...)
		until = i.ExpiresAt
	}
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && now.Before(until.Truncate(time.Microsecond)): // as the entry has it
		return nil
	case err != nil:
		return err
	}
	return of.delete(s, key...)
}
