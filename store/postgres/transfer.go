package postgres

import (
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/store"
)

var _ store.Transferable = space{}

// ImportCampaign implements [store.Transferable].
func (d documents) ImportCampaign(c engine.Campaign, sum engine.Summary) error {
	if err := d.check(whatCampaign, c.ID); err != nil {
		return err
	}
	return d.putRow(c, sum, c.Revision, true)
}

// ImportRevision implements [store.Transferable].
func (d documents) ImportRevision(id string, rev engine.Revision, c engine.Campaign) error {
	if err := d.check(whatCampaign, id); err != nil {
		return err
	}
	return d.putPast(id, rev, c)
}

// EachIdempotencyRecord implements [store.Transferable].
func (k keys) EachIdempotencyRecord(fn func(store.IdempotencyRecord) error) error {
	if err := k.check(); err != nil {
		return err
	}
	var bad []error
	k.long = true
	err := k.query("SELECT operation, key, fingerprint, running, lease, at, expires_at, answer, checksum FROM idempotency WHERE workspace = $1", []any{k.id}, func(rows pgx.Rows) error {
		var i store.IdempotencyRecord
		var begun *time.Time
		var sum int64
		if err := rows.Scan(&i.Operation, &i.Key, &i.Fingerprint, &i.Running, &i.Lease, &begun, &i.ExpiresAt, &i.Result, &sum); err != nil {
			return err
		}
		i.Operation, i.Key, i.Fingerprint, i.Lease, i.ExpiresAt = unescape(i.Operation), unescape(i.Key), unescape(i.Fingerprint), unescape(i.Lease), i.ExpiresAt.UTC()
		if begun != nil {
			i.At = begun.UTC()
		}
		if sum != k.keySum(i) {
			bad = append(bad, k.damaged(fmt.Sprintf("the %s with key %q", i.Operation, i.Key), errChecksum))
			return nil
		}
		return fn(i)
	})
	if err != nil {
		return err
	}
	return errors.Join(bad...)
}

// EachRequestID implements [store.Transferable].
func (k keys) EachRequestID(fn func(op, id string, until time.Time) error) error {
	if err := k.check(); err != nil {
		return err
	}
	k.long = true
	return k.query("SELECT operation, id, expires_at FROM request_id WHERE workspace = $1", []any{k.id}, func(rows pgx.Rows) error {
		var op, id string
		var until time.Time
		if err := rows.Scan(&op, &id, &until); err != nil {
			return err
		}
		return fn(unescape(op), unescape(id), until.UTC())
	})
}
