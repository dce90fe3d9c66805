package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"bugle/store"
)

// keys are the idempotency keys and request ids of a workspace.
type keys struct{ *records }

func (k keys) checkOnce(op, key string) error {
	return k.check("the name of an operation", op, "a key", key)
}

// IdempotencyRecord implements [store.Idempotency]. A write transaction assumes that there is none, which is true unless a
// request is repeated.
func (k keys) IdempotencyRecord(op, key string) (store.IdempotencyRecord, error) {
	if err := k.checkOnce(op, key); err != nil {
		return store.IdempotencyRecord{}, err
	}
	if k.guess() {
		k.unused = append(k.unused, keyName{k.id, op, key})
		k.expect(assumption{name: k.name("idempotency", []string{op, key}), condition: "NOT EXISTS (SELECT FROM idempotency WHERE workspace = $1 AND operation = $2 AND key = $3)",
			args: []any{k.id, escape(op), escape(key)}})
		k.note(store.ErrNotFound, "idempotency", op, key)
		return store.IdempotencyRecord{}, store.ErrNotFound
	}
	// Locking the row makes the commit of this transaction wait for the standbys. The record itself may so far have been
	// committed on the primary only.
	i := store.IdempotencyRecord{Operation: op, Key: key}
	var begun *time.Time
	var sum int64
	err := k.one("SELECT fingerprint, running, lease, at, expires_at, answer, checksum FROM idempotency WHERE workspace = $1 AND operation = $2 AND key = $3"+k.lock(""),
		[]any{k.id, escape(op), escape(key)}, &i.Fingerprint, &i.Running, &i.Lease, &begun, &i.ExpiresAt, &i.Result, &sum)
	k.note(err, "idempotency", op, key)
	if errors.Is(err, store.ErrNotFound) {
		k.unused = append(k.unused, keyName{k.id, op, key})
	}
	if err != nil {
		return store.IdempotencyRecord{}, err
	}
	i.Fingerprint, i.Lease, i.ExpiresAt = unescape(i.Fingerprint), unescape(i.Lease), i.ExpiresAt.UTC()
	if begun != nil {
		i.At = begun.UTC()
	}
	if sum != k.keySum(i) {
		return store.IdempotencyRecord{}, k.damaged(fmt.Sprintf("the %s with key %q", op, key), errChecksum)
	}
	return i, nil
}

func (k keys) keySum(i store.IdempotencyRecord) int64 {
	return k.sum("idempotency", []byte(i.Operation), []byte(i.Key), []byte(i.Fingerprint), []byte(i.Lease), fmt.Append(nil, i.Running), i.Result)
}

// PutIdempotencyRecord implements [store.Idempotency].
func (k keys) PutIdempotencyRecord(i store.IdempotencyRecord) error {
	if err := k.checkOnce(i.Operation, i.Key); err != nil {
		return err
	}
	if i.ExpiresAt.IsZero() {
		return fmt.Errorf("the %s with key %q must have a time of expiry", i.Operation, i.Key)
	}
	own := keyName{k.id, i.Operation, i.Key}
	k.unused = slices.DeleteFunc(k.unused, func(n keyName) bool { return n == own })
	if i.Lease != "" {
		if err := k.db.leases.hold(k.tx, i.Lease); err != nil {
			return err
		}
	}
	values := []any{k.id, escape(i.Operation), escape(i.Key), escape(i.Fingerprint), i.Running, escape(i.Lease), at(i.At), i.ExpiresAt.UTC(), i.Result, k.keySum(i)}
	return k.put(&addIdempotent, values, ` ON CONFLICT (workspace, operation, key) DO UPDATE SET fingerprint = excluded.fingerprint, running = excluded.running, lease = excluded.lease,
		at = excluded.at, expires_at = excluded.expires_at, answer = excluded.answer, checksum = excluded.checksum`, "idempotency", i.Operation, i.Key)
}

// put queues the insertion of a row, or of one that replaces an earlier one.
func (k keys) put(in *insertion, values []any, replace, table string, names ...string) error {
	if replace = k.replacing(replace, table, names...); replace == "" {
		return k.add(in, values...)
	}
	return k.exec(in.sql+replace, arrays([]row{{in, values}})...)
}

// DeleteIdempotencyRecord implements [store.Idempotency].
func (k keys) DeleteIdempotencyRecord(op, key string) error {
	if err := k.checkOnce(op, key); err != nil {
		return err
	}
	return k.exec("DELETE FROM idempotency WHERE workspace = $1 AND operation = $2 AND key = $3", k.id, escape(op), escape(key))
}

// LeaseHeld implements [store.Idempotency].
func (k keys) LeaseHeld(lease string) (bool, error) {
	var held bool
	err := k.one("SELECT expires_at > clock_timestamp() FROM lease WHERE id = $1", []any{escape(lease)}, &held)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return held, err
}

// RequestID implements [store.Idempotency]. A writer assumes that the id is not taken.
func (k keys) RequestID(op, id string) (until time.Time, err error) {
	if err := k.checkOnce(op, id); err != nil {
		return until, err
	}
	if k.guess() {
		k.expect(assumption{name: k.name("request_id", []string{op, id}), condition: "NOT EXISTS (SELECT FROM request_id WHERE workspace = $1 AND operation = $2 AND id = $3)",
			args: []any{k.id, escape(op), escape(id)}})
		k.note(store.ErrNotFound, "request_id", op, id)
		return until, store.ErrNotFound
	}
	err = k.one("SELECT expires_at FROM request_id WHERE workspace = $1 AND operation = $2 AND id = $3"+k.lock(""), []any{k.id, escape(op), escape(id)}, &until)
	k.note(err, "request_id", op, id)
	return until.UTC(), err
}

// PutRequestID implements [store.Idempotency].
func (k keys) PutRequestID(op, id string, until time.Time) error {
	if err := k.checkOnce(op, id); err != nil {
		return err
	}
	return k.put(&addRequestID, []any{k.id, escape(op), escape(id), until.UTC()},
		" ON CONFLICT (workspace, operation, id) DO UPDATE SET expires_at = excluded.expires_at", "request_id", op, id)
}

const (
	sweepBatch = 1000
	// sweepAfter is how long expired records are kept, in case the clock of a machine is behind that of the database.
	sweepAfter = "1 hour"
	// changesKept is how long changes are kept. A process that was disconnected for longer reads everything again.
	changesKept = "1 day"
)

// Sweep implements [store.Idempotency], by the clock of the database. It also deletes old changes and expired leases.
func (k keys) Sweep(now time.Time) (more bool, err error) {
	if err := k.check(); err != nil {
		return false, err
	}
	for _, table := range []string{"idempotency", "request_id"} {
		n, err := k.remove(`DELETE FROM `+table+` WHERE ctid = ANY (ARRAY (SELECT ctid FROM `+table+` WHERE workspace = $1
			AND expires_at < least($2, clock_timestamp() - interval '`+sweepAfter+`') ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED)) RETURNING 1`,
			k.id, now.UTC(), sweepBatch)
		if err != nil {
			return false, err
		}
		more = more || n == sweepBatch
	}
	n, err := k.remove(`DELETE FROM change WHERE ctid = ANY (ARRAY (SELECT ctid FROM (SELECT ctid, at FROM change ORDER BY xid, seq LIMIT $1) AS oldest
		WHERE at < clock_timestamp() - interval '`+changesKept+`')) RETURNING 1`, sweepBatch)
	if err != nil {
		return false, err
	}
	_, err = k.remove("DELETE FROM lease WHERE expires_at < clock_timestamp() - interval '" + changesKept + "' RETURNING 1")
	return more || n == sweepBatch, err
}

// leases keeps the lease of this handle alive, from when it is first needed.
type leases struct {
	mu   sync.Mutex
	id   string
	held bool            // it is being renewed
	ours map[string]bool // every lease that this handle has had
}

const (
	leaseLife  = "15 seconds" // by the clock of the database
	leaseRenew = 4 * time.Second
)

// Lease implements [store.DB].
func (d *DB) Lease() string {
	d.leases.mu.Lock()
	defer d.leases.mu.Unlock()
	return d.leases.current()
}

// current returns the lease that new work is marked with. mu is held.
func (l *leases) current() string {
	if l.id == "" {
		l.id = uuid.NewString()
		if l.ours == nil {
			l.ours = map[string]bool{}
		}
		l.ours[l.id] = true
	}
	return l.id
}

// hold has a transaction renew the lease that a record is marked with, if it is a lease of this handle. The transaction
// fails if that lease has expired, because another process may have taken over the work.
func (l *leases) hold(t *tx, id string) error {
	l.mu.Lock()
	ours, begin := l.ours[id], id == l.id && !l.held
	if begin {
		l.held = t.db.start(t.db.renewing)
	}
	l.mu.Unlock()
	if !ours {
		return nil
	}
	t.held = id
	return nil
}

// renewing renews the lease until the store is closed, or the lease has expired, as while the machine was suspended. New
// work gets another one then.
func (d *DB) renewing(ctx context.Context) {
	id := d.Lease()
	for sleep(ctx, leaseRenew) == nil {
		limit, cancel := context.WithTimeout(ctx, leaseRenew)
		tag, err := d.pool.Exec(limit, "UPDATE lease SET expires_at = clock_timestamp() + interval '"+leaseLife+"' WHERE id = $1 AND expires_at > clock_timestamp()", id)
		cancel()
		switch {
		case err == nil && tag.RowsAffected() == 0:
			d.leases.drop()
			return
		case err != nil && ctx.Err() == nil:
			d.log.Warn("the lease was not renewed", "error", err)
		}
	}
}

// drop forgets the current lease, which has expired.
func (l *leases) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.id, l.held = "", false
}

// release ends the lease.
func (l *leases) release(ctx context.Context, pool *pgxpool.Pool) {
	if l.held {
		_, _ = pool.Exec(ctx, "DELETE FROM lease WHERE id = $1", l.id) // it expires without this, too
	}
}
