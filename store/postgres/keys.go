package postgres

import (
	"context"
	"errors"
	"fmt"
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

// IdempotencyRecord implements [store.Idempotency]. A write transaction waits for others with the same key: what it reads
// later would otherwise be the work of the very request that it repeats.
func (k keys) IdempotencyRecord(op, key string) (store.IdempotencyRecord, error) {
	if err := k.checkOnce(op, key); err != nil {
		return store.IdempotencyRecord{}, err
	}
	k.serialize("idempotency", op, key)
	// Locking the row makes the commit of this transaction wait for the standbys. The record itself may so far have been
	// committed on the primary only.
	i := store.IdempotencyRecord{Operation: op, Key: key}
	var begun *time.Time
	var sum int64
	err := k.one("SELECT fingerprint, running, lease, at, expires_at, answer, checksum FROM idempotency WHERE workspace = $1 AND operation = $2 AND key = $3"+k.lock(""),
		[]any{k.id, escape(op), escape(key)}, &i.Fingerprint, &i.Running, &i.Lease, &begun, &i.ExpiresAt, &i.Result, &sum)
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
	if i.Lease != "" {
		if err := k.db.leases.hold(k.tx, i.Lease); err != nil {
			return err
		}
	}
	return k.exec(`INSERT INTO idempotency (workspace, operation, key, fingerprint, running, lease, at, expires_at, answer, checksum)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (workspace, operation, key) DO UPDATE SET fingerprint = excluded.fingerprint,
		running = excluded.running, lease = excluded.lease, at = excluded.at, expires_at = excluded.expires_at, answer = excluded.answer, checksum = excluded.checksum`,
		k.id, escape(i.Operation), escape(i.Key), escape(i.Fingerprint), i.Running, escape(i.Lease), at(i.At), i.ExpiresAt.UTC(), i.Result, k.keySum(i))
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

// RequestID implements [store.Idempotency]. A write transaction waits for others with the same id.
func (k keys) RequestID(op, id string) (until time.Time, err error) {
	if err := k.checkOnce(op, id); err != nil {
		return until, err
	}
	k.serialize("request_id", op, id)
	err = k.one("SELECT expires_at FROM request_id WHERE workspace = $1 AND operation = $2 AND id = $3"+k.lock(""), []any{k.id, escape(op), escape(id)}, &until)
	return until.UTC(), err
}

// PutRequestID implements [store.Idempotency].
func (k keys) PutRequestID(op, id string, until time.Time) error {
	if err := k.checkOnce(op, id); err != nil {
		return err
	}
	return k.exec(`INSERT INTO request_id (workspace, operation, id, expires_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (workspace, operation, id) DO UPDATE SET expires_at = excluded.expires_at`, k.id, escape(op), escape(id), until.UTC())
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
