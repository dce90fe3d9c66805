package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"bugle/store"
	"bugle/store/internal/wire"
)

var (
	idempotency = table[store.IdempotencyRecord]{
		name: "idempotency", key: []string{"operation", "key"}, ids: []string{"the name of an operation", "a key"}, record: oneColumn, checksum: "checksum",
		others: []string{"expires_at"}, what: store.IdempotencyName,
		decode: func(record [][]byte) (store.IdempotencyRecord, error) {
			var i wire.IdempotencyRecord
			err := wire.DecodeRow(record[0], &i)
			return store.IdempotencyRecord(i), err
		},
	}
	requests = table[requestID]{
		name: "request_id", key: []string{"operation", "id"}, ids: []string{"the name of an operation", "a request id"}, record: oneColumn, checksum: "checksum",
		others: []string{"expires_at"}, what: store.RequestName,
		decode: decode[requestID],
	}
)

// requestID is a request id that is in use.
type requestID struct {
	Operation string    `json:"op"`
	ID        string    `json:"id"`
	Until     time.Time `json:"until"`
}

// IdempotencyRecord implements [store.Idempotency]. A write transaction waits for others with the same key: what it reads
// later would otherwise be the work of the very request that it repeats. The lock on the row makes its commit wait for the
// standbys; the record itself may so far have been committed on the primary only.
func (w workspace) IdempotencyRecord(op, key string) (store.IdempotencyRecord, error) {
	w.serialize(rowName("idempotency", w.id, []any{op, key}))
	return idempotency.get(w, op, key)
}

// PutIdempotencyRecord implements [store.Idempotency].
func (w workspace) PutIdempotencyRecord(i store.IdempotencyRecord) error {
	if err := store.CheckIdempotencyRecord(i); err != nil {
		return err
	}
	if i.Lease != "" {
		w.db.leases.hold(w.tx, i.Lease)
	}
	record, err := encode(wire.IdempotencyRecord(i))
	return idempotency.put(w, []any{i.Operation, i.Key}, record, err, i.ExpiresAt.UTC())
}

// DeleteIdempotencyRecord implements [store.Idempotency].
func (w workspace) DeleteIdempotencyRecord(op, key string) error {
	return idempotency.delete(w, op, key)
}

// EachIdempotencyRecord implements [store.Transferable].
func (w workspace) EachIdempotencyRecord(fn func(store.IdempotencyRecord) error) error {
	return idempotency.each(w, scanOptions{}, fn)
}

// RequestID implements [store.Idempotency]. A write transaction waits for others with the same id.
func (w workspace) RequestID(op, id string) (until time.Time, err error) {
	w.serialize(rowName("request_id", w.id, []any{op, id}))
	r, err := requests.get(w, op, id)
	return r.Until, err
}

// PutRequestID implements [store.Idempotency].
func (w workspace) PutRequestID(op, id string, until time.Time) error {
	record, err := encode(requestID{op, id, until})
	return requests.put(w, []any{op, id}, record, err, until.UTC())
}

// EachRequestID implements [store.Transferable].
func (w workspace) EachRequestID(fn func(op, id string, until time.Time) error) error {
	return requests.each(w, scanOptions{}, func(r requestID) error { return fn(r.Operation, r.ID, r.Until) })
}

const (
	sweepBatch = 1000
	// sweepAfter is how long records are kept after they have expired, in case the clock of the database is set forward and
	// back again.
	sweepAfter  = "1 hour"
	changesKept = "1 day"
)

// Sweep implements [store.Idempotency], by the clock of the database. It also deletes old changes and expired leases.
func (w workspace) Sweep(now time.Time) (more bool, err error) {
	if err := w.check(); err != nil {
		return false, err
	}
	for _, sweep := range []struct {
		sql  string
		args []any
	}{
		{sweepExpired("idempotency"), []any{w.id, now.UTC(), sweepBatch}},
		{sweepExpired("request_id"), []any{w.id, now.UTC(), sweepBatch}},
		{`DELETE FROM change WHERE ctid = ANY (ARRAY (SELECT ctid FROM (SELECT ctid, at FROM change ORDER BY xid, seq LIMIT $1) AS oldest
			WHERE at < clock_timestamp() - interval '` + changesKept + `'))`, []any{sweepBatch}},
		{"DELETE FROM lease WHERE expires_at < clock_timestamp() - interval '" + changesKept + "'", nil},
	} {
		n, err := w.remove(sweep.sql, sweep.args...)
		if err != nil {
			return false, err
		}
		more = more || n == sweepBatch
	}
	return more, nil
}

func sweepExpired(table string) string {
	return `DELETE FROM ` + table + ` WHERE ctid = ANY (ARRAY (SELECT ctid FROM ` + table + ` WHERE workspace = $1
		AND expires_at < least($2, clock_timestamp() - interval '` + sweepAfter + `') ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED))`
}

// LeaseHeld implements [store.Idempotency].
func (w workspace) LeaseHeld(lease string) (held bool, err error) {
	err = w.first("SELECT expires_at > clock_timestamp() FROM lease WHERE id = $1", []any{escape(lease)}, func(rows pgx.Rows) error { return rows.Scan(&held) })
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return held, err
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
	l := &d.leases
	l.mu.Lock()
	defer l.mu.Unlock()
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
func (l *leases) hold(t *tx, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ours[id] {
		return
	}
	t.lease = id
	if id == l.id && !l.held {
		l.held = t.db.start(func(ctx context.Context) { t.db.renew(ctx, id) })
	}
}

// renew renews a lease until the store is closed, or the lease has expired, as while the machine was suspended. New work
// gets another one then.
func (d *DB) renew(ctx context.Context, id string) {
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

// release ends the lease, which would otherwise expire.
func (l *leases) release(ctx context.Context, pool *pgxpool.Pool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held {
		_, _ = pool.Exec(ctx, "DELETE FROM lease WHERE id = $1", l.id)
	}
}
