package store

import (
	"time"

	"bugle/engine"
)

// Transferable is a [WorkspaceTx] whose records can be copied to another store unchanged. bugle/store/backup does that.
type Transferable interface {
	WorkspaceTx
	// ImportCampaign stores a new campaign with its existing revision number. Its history is imported separately.
	ImportCampaign(c engine.Campaign, sum engine.Summary) error
	// ImportRevision stores a revision of an existing campaign, which must not have that revision yet.
	ImportRevision(id string, rev engine.Revision, c engine.Campaign) error
	// EachOutboxMessage calls fn, which must not use the transaction, with every message of the outbox.
	EachOutboxMessage(fn func(engine.OutboxMessage) error) error
	// EachIdempotencyRecord calls fn, which must not use the transaction, with every idempotency record.
	EachIdempotencyRecord(fn func(IdempotencyRecord) error) error
	// EachRequestID calls fn, which must not use the transaction, with every request id.
	EachRequestID(fn func(op, id string, until time.Time) error) error
	// ClearWorkspace removes records of the workspace, its settings last, and reports whether more remain.
	ClearWorkspace() (more bool, err error)
}
