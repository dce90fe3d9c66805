package kv

import (
	"context"

	"github.com/google/uuid"

	"bugle/store"
)

// Records implements [store.DB] over a key-value store. Drivers embed it, so that they implement both interfaces.
type Records struct {
	db    DB
	lease string
}

// NewRecords returns the records in db.
func NewRecords(db DB) Records { return Records{db, uuid.NewString()} }

// Lease implements [store.DB]. One process at a time owns a key-value store, so this lease is the only one.
func (r Records) Lease() string { return r.lease }

// Read implements [store.DB].
func (r Records) Read(ctx context.Context, fn func(store.Tx) error) error {
	return r.db.View(ctx, func(tx Tx) error { return fn(&recordTx{tx: tx, lease: r.lease}) })
}

// Write implements [store.DB].
func (r Records) Write(ctx context.Context, fn func(store.Tx) error) error {
	return r.db.Update(ctx, func(tx Tx) error { return fn(&recordTx{tx: tx, lease: r.lease}) })
}

// recordTx is a record transaction over a key-value transaction.
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

// WorkspaceTx is the records of one workspace within one transaction. Its methods fail with [store.ErrNotFound] if a
// record does not exist and with a *[store.CorruptError] if it is damaged. Methods that iterate over records continue
// after a damaged one, and return all damage at the end.
type WorkspaceTx struct {
	*records
	WorkspaceSettings
	Campaigns
	WorkingCopies
	DismissedWarnings
	Users
	ContentItems
	OutboxMessages
	TestSendRecords
	IdempotencyKeys
}

// NewWorkspaceTx returns the records of a workspace. Every method fails if the id is empty or contains spaces or
// unprintable characters.
func NewWorkspaceTx(tx Tx, workspace string) WorkspaceTx {
	return newWorkspaceTx(tx, workspace, nil, "")
}

func newWorkspaceTx(tx Tx, workspace string, watch store.Watcher, lease string) WorkspaceTx {
	r := &records{tx, workspace, watch, lease}
	d := Documents{r}
	return WorkspaceTx{
		r, WorkspaceSettings{r}, Campaigns{d, SummaryRows{d}, History{d}}, WorkingCopies{r}, DismissedWarnings{r}, Users{r}, ContentItems{r}, OutboxMessages{r}, TestSendRecords{r},
		IdempotencyKeys{r},
	}
}
