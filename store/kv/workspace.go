package kv

import (
	"context"

	"github.com/google/uuid"

	"bugle/store"
)

// Records is the records in a store of keys, as a [store.DB] has them. Drivers embed one, so that they are both.
type Records struct {
	db    DB
	lease string
}

// NewRecords returns the records in a store of keys.
func NewRecords(db DB) Records { return Records{db, uuid.NewString()} }

// Lease implements [store.DB]. One process at a time has a store of keys: nobody holds a lease that this one does not.
func (r Records) Lease() string { return r.lease }

// Read implements [store.DB].
func (r Records) Read(ctx context.Context, fn func(store.Tx) error) error {
	return r.db.View(ctx, func(tx Tx) error { return fn(&recordTx{tx: tx, lease: r.lease}) })
}

// Write implements [store.DB].
func (r Records) Write(ctx context.Context, fn func(store.Tx) error) error {
	return r.db.Update(ctx, func(tx Tx) error { return fn(&recordTx{tx: tx, lease: r.lease}) })
}

// WrapTx returns a transaction over keys as one over records.
func WrapTx(tx Tx) store.Tx { return &recordTx{tx: tx} }

// recordTx is a transaction over records, in one over keys.
type recordTx struct {
	tx    Tx
	watch store.Watcher
	lease string
}

func (t *recordTx) Workspace(workspace string) store.WorkspaceTx {
	return newWorkspaceTx(t.tx, workspace, t.watch, t.lease)
}

func (t *recordTx) Workspaces() ([]string, error) { return Workspaces(t.tx) }

func (t *recordTx) Watch(w store.Watcher) { t.watch = w }

func (t *recordTx) Version() uint64 {
	if d, ok := t.tx.(Versioned); ok {
		return d.Version()
	}
	return 0
}

// WorkspaceTx is the records of one workspace within one transaction. Its methods fail with
// [ErrNotFound] where a record is not there and with a *[CorruptError] where it is damaged.
//
// The methods that walk over records go on after a damaged one, and return all that was
// damaged at the end: one bad record hides no other.
type WorkspaceTx struct {
	*records
	WorkspaceSettings
	Campaigns
	WorkingCopies
	Users
	ContentItems
	OutboxMessages
	TestSendRecords
	IdempotencyKeys
}

// Workspace returns the records of a workspace. Every method fails where the id is empty or has
// spaces or unprintable characters.
func NewWorkspaceTx(tx Tx, workspace string) WorkspaceTx {
	return newWorkspaceTx(tx, workspace, nil, "")
}

func newWorkspaceTx(tx Tx, workspace string, watch store.Watcher, lease string) WorkspaceTx {
	r := &records{tx, workspace, watch, lease}
	d := Documents{r}
	return WorkspaceTx{
		r, WorkspaceSettings{r}, Campaigns{d, SummaryRows{d}, History{d}}, WorkingCopies{r}, Users{r}, ContentItems{r}, OutboxMessages{r}, TestSendRecords{r},
		IdempotencyKeys{r},
	}
}

// UnwrapTx returns the transaction over keys below one over records, which must be of this package.
func UnwrapTx(t store.Tx) Tx { return t.(*recordTx).tx }
