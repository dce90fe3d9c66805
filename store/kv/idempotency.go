package kv

import (
	"errors"
	"fmt"
	"time"

	"bugle/store"
	"bugle/store/internal/wire"
)

// IdempotencyRecord returns the record of a key, even if it has expired, because the caller's clock decides
// ([store.IdempotencyRecord.Expired]).
func (s WorkspaceTx) IdempotencyRecord(op, key string) (store.IdempotencyRecord, error) {
	if err := s.checkKey(op, key); err != nil {
		return store.IdempotencyRecord{}, err
	}
	var w wire.IdempotencyRecord
	err := s.getRow(idempotencyName(op, key), s.key(kindIdempotency, op, key), &w)
	return store.IdempotencyRecord(w), err
}

// PutIdempotencyRecord stores the record of a key and replaces an earlier one. ExpiresAt must be set.
func (s WorkspaceTx) PutIdempotencyRecord(i store.IdempotencyRecord) error {
	if err := s.checkKey(i.Operation, i.Key); err != nil {
		return err
	}
	what := idempotencyName(i.Operation, i.Key)
	if err := store.CheckIdempotencyRecord(i); err != nil {
		return err
	}
	old, err := s.deleteIdempotencyRecord(i.Operation, i.Key)
	if err != nil {
		return err
	}
	if i.Lease != "" && !i.Running && old.Lease != i.Lease && old.Lease != "" {
		return store.ErrLeaseExpired // another process has taken over the work
	}
	return errors.Join(
		s.putJSON(what, s.key(kindIdempotency, i.Operation, i.Key), wire.IdempotencyRecord(i)),
		s.put(what, s.expiryKey(i.ExpiresAt, kindIdempotency, i.Operation, i.Key), nil),
	)
}

// DeleteIdempotencyRecord removes the record of a key, if there is one.
func (s WorkspaceTx) DeleteIdempotencyRecord(op, key string) error {
	_, err := s.deleteIdempotencyRecord(op, key)
	return err
}

// deleteIdempotencyRecord removes the record of a key and returns it, if there was one.
func (s WorkspaceTx) deleteIdempotencyRecord(op, key string) (old store.IdempotencyRecord, err error) {
	old, err = s.IdempotencyRecord(op, key)
	if errors.Is(err, store.ErrNotFound) {
		return old, nil
	}
	if err != nil {
		return old, err
	}
	what := idempotencyName(op, key)
	return old, errors.Join(
		s.delete(what, s.key(kindIdempotency, op, key)),
		s.delete(what, s.expiryKey(old.ExpiresAt, kindIdempotency, op, key)),
	)
}

// LeaseHeld implements [store.Idempotency].
func (s WorkspaceTx) LeaseHeld(lease string) (bool, error) {
	if t, ok := s.tx.(*tx); ok && lease != s.lease {
		return t.leaseHeld(lease)
	}
	return lease == s.lease, nil
}

// RequestID returns the time until which the request_id of an operation must not be reused (CONTRACT.md, Create). It
// may be in the past, because the caller's clock decides.
func (s WorkspaceTx) RequestID(op, id string) (time.Time, error) {
	if err := s.checkKey(op, id); err != nil {
		return time.Time{}, err
	}
	var w wire.RequestWindow
	err := s.getRow(requestName(op, id), s.key(kindRequest, op, id), &w)
	return w.Until, err
}

// PutRequestID stores that a request_id of an operation is in use until a time.
func (s WorkspaceTx) PutRequestID(op, id string, until time.Time) error {
	old, err := s.RequestID(op, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	what := requestName(op, id)
	if !old.IsZero() {
		if err := s.delete(what, s.expiryKey(old, kindRequest, op, id)); err != nil {
			return err
		}
	}
	return errors.Join(
		s.putJSON(what, s.key(kindRequest, op, id), wire.RequestWindow{Until: until}),
		s.put(what, s.expiryKey(until, kindRequest, op, id), nil),
	)
}

// ExpireBatch is the most records that one call of [WorkspaceTx.DeleteExpired] removes, which keeps its transaction
// small.
const ExpireBatch = 1000

// DeleteExpired removes idempotency keys and request ids that have expired at now, and returns their number. If that is
// [ExpireBatch], more may remain.
func (s WorkspaceTx) DeleteExpired(now time.Time) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	const what = "the list of expiry times"
	prefix, n := s.key(kindExpiry), 0
	err := s.tx.Scan(prefix, ScanOptions{KeysOnly: true, Limit: ExpireBatch}, func(key, _ []byte) error {
		e, err := cutExpiry(key[len(prefix):])
		if err != nil {
			return s.damaged(what, err)
		}
		if now.Before(e.at) {
			return store.Stop
		}
		n++
		if err := s.delete(what, append([]byte(nil), key...)); err != nil {
			return err
		}
		return s.expire(e, now)
	})
	return n, err
}

// SweepInterval is the least time between two sweeps. A record is removed if it was expired at both.
const SweepInterval = time.Hour

// sweepTime is the time of the last sweep for expired records.
type sweepTime struct {
	At time.Time `json:"at"`
}

// Sweep removes at most [ExpireBatch] expired idempotency keys and request ids, and reports whether more may remain. It
// removes a record only if the record was expired at two sweeps at least [SweepInterval] apart, so that a clock that
// was wrong for a shorter time removes nothing. A clock that is behind the last sweep starts over.
func (s WorkspaceTx) Sweep(now time.Time) (more bool, err error) {
	if err := s.check(); err != nil {
		return false, err
	}
	if _, err := s.tx.Get(s.settingsKey()); errors.Is(err, store.ErrNotFound) {
		return false, nil // there is no such workspace
	}
	const what = "the time of the last removal of expired records"
	key := s.key(kindSweep)
	var last sweepTime
	err = s.getRow(what, key, &last)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && now.Before(last.At): // the first sweep, or the clock was set back
		return false, s.putJSON(what, key, sweepTime{now})
	case err != nil:
		return false, err
	case now.Sub(last.At) < SweepInterval:
		return false, nil
	}
	n, err := s.DeleteExpired(last.At)
	if err != nil || n == ExpireBatch {
		return err == nil, err
	}
	return false, s.putJSON(what, key, sweepTime{now})
}

// expire removes the record of an index entry, unless its expiry was extended.
func (s WorkspaceTx) expire(e expiry, now time.Time) error {
	var until time.Time
	var err error
	if e.kind == kindRequest {
		until, err = s.RequestID(e.op, e.key)
	} else {
		var i store.IdempotencyRecord
		i, err = s.IdempotencyRecord(e.op, e.key)
		until = i.ExpiresAt
	}
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && now.Before(until):
		return nil
	case err != nil:
		return err
	}
	return s.delete("expired records", s.key(e.kind, e.op, e.key))
}

type expiry struct {
	at      time.Time
	kind    byte
	op, key string
}

func (s WorkspaceTx) expiryKey(at time.Time, kind byte, op, key string) []byte {
	k := append(appendTime(s.key(kindExpiry), at), kind)
	return appendName(appendName(k, op), key)
}

func cutExpiry(rest []byte) (e expiry, err error) {
	if e.at, rest, err = cutTime(rest); err != nil {
		return e, err
	}
	if len(rest) == 0 {
		return e, errKey
	}
	e.kind, rest = rest[0], rest[1:]
	if e.op, rest, err = cutName(rest); err != nil {
		return e, err
	}
	e.key, _, err = cutName(rest)
	return e, err
}

func (s WorkspaceTx) checkKey(op, key string) error {
	return s.check("the name of an operation", op, "a key", key)
}

func idempotencyName(op, key string) string { return fmt.Sprintf(store.IdempotencyName, op, key) }

func requestName(op, id string) string { return fmt.Sprintf(store.RequestName, op, id) }
