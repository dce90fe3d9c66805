package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/store"
	"bugle/store/internal/record"
)

// PutIdempotency implements [record.Backend].
func (w rows) PutIdempotency(i store.IdempotencyRecord) error {
	w.db.hold(w.tx, i.Lease)
	return record.Idempotency.Put(w, i, i.Operation, i.Key)
}

const (
	sweepBatch = 1000
	// sweepAfter is how long records are kept after they have expired, in case the clock of the database is set forward and
	// back again.
	sweepAfter  = "1 hour"
	changesKept = 24 * time.Hour
)

// Sweep implements [store.Idempotency], by the clock of the database. It also deletes old changes and expired leases.
func (w workspace) Sweep(now time.Time) (more bool, err error) {
	if err := store.CheckIDs(w.id); err != nil {
		return false, err
	}
	for _, sweep := range []struct {
		sql  string
		args []any
	}{
		{`DELETE FROM idempotency WHERE ctid = ANY (ARRAY (SELECT ctid FROM idempotency WHERE workspace = $1
			AND expires_at < least($2, clock_timestamp() - interval '` + sweepAfter + `') ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED))`,
			[]any{w.id, now.UTC(), sweepBatch}},
		{`DELETE FROM change WHERE ctid = ANY (ARRAY (SELECT ctid FROM (SELECT ctid, at FROM change ORDER BY xid, seq LIMIT $1) AS oldest
			WHERE at < clock_timestamp() - $2::interval))`, []any{sweepBatch, changesKept}},
		{"DELETE FROM lease WHERE expires_at < clock_timestamp() - $1::interval", []any{changesKept}},
	} {
		n, err := w.remove(sweep.sql, sweep.args...)
		if err != nil {
			return false, err
		}
		more = more || n == sweepBatch
	}
	return more, nil
}

// LeaseHeld implements [store.Idempotency].
func (w workspace) LeaseHeld(lease string) (held bool, err error) {
	err = w.first("SELECT expires_at > clock_timestamp() FROM lease WHERE id = $1", []any{lease}, func(found pgx.Rows) error { return found.Scan(&held) })
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return held, err
}

// lease is kept alive by a handle, from when it is first needed.
type lease struct {
	mu   sync.Mutex
	n    int  // how many leases of this handle have expired
	held bool // the present one is being renewed
}

const (
	leaseLife  = "15 seconds" // by the clock of the database
	leaseRenew = 4 * time.Second
)

// Lease implements [store.DB].
func (d *DB) Lease() string {
	d.lease.mu.Lock()
	defer d.lease.mu.Unlock()
	return d.present()
}

// present returns the id of the present lease. The caller holds its mutex.
func (d *DB) present() string { return fmt.Sprintf("%s %d", d.origin, d.lease.n) }

// hold has a transaction renew the lease that a record is marked with, if it is one that this handle has or had. The
// transaction fails if it has expired, because another process may have taken over the work.
func (d *DB) hold(t *tx, id string) {
	if !strings.HasPrefix(id, d.origin.String()) {
		return
	}
	t.lease = id
	d.lease.mu.Lock()
	defer d.lease.mu.Unlock()
	if id == d.present() && !d.lease.held {
		d.lease.held = d.start(d.renew)
	}
}

// renew renews the lease until it has expired, as while the machine was suspended, and new work gets another one. When the
// store is closed, it ends the lease, which would otherwise expire.
func (d *DB) renew(ctx context.Context) {
	id := d.Lease()
	for sleep(ctx, leaseRenew) == nil {
		limit, cancel := context.WithTimeout(ctx, leaseRenew)
		tag, err := d.pool.Exec(limit, `UPDATE lease SET expires_at = clock_timestamp() + $2::text::interval
			WHERE id = $1 AND expires_at > clock_timestamp()`, id, leaseLife)
		cancel()
		switch {
		case err == nil && tag.RowsAffected() == 0:
			d.lease.mu.Lock()
			defer d.lease.mu.Unlock()
			d.lease.n++
			d.lease.held = false
			return
		case err != nil && ctx.Err() == nil:
			d.log.Warn("the lease was not renewed", "error", err)
		}
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = d.pool.Exec(limit, "DELETE FROM lease WHERE id = $1", id)
}
