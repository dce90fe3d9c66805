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

// RecordsOf returns the records in a store of keys.
func RecordsOf(db DB) Records { return Records{db, uuid.NewString()} }

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

// TxOf returns a transaction over keys as one over records.
func TxOf(tx Tx) store.Tx { return &recordTx{tx: tx} }

// recordTx is a transaction over records, in one over keys.
type recordTx struct {
	tx    Tx
	watch store.Watcher
	lease string
}

func (t *recordTx) In(workspace string) store.Space { return in(t.tx, workspace, t.watch, t.lease) }

func (t *recordTx) Workspaces() ([]string, error) { return Workspaces(t.tx) }

func (t *recordTx) Watch(w store.Watcher) { t.watch = w }

func (t *recordTx) Version() uint64 {
	if d, ok := t.tx.(Dated); ok {
		return d.Version()
	}
	return 0
}

// Space is the records of one workspace within one transaction. Its methods fail with
// [ErrNotFound] where a record is not there and with a *[CorruptError] where it is damaged.
//
// The methods that walk over records go on after a damaged one, and return all that was
// damaged at the end: one bad record hides no other.
type Space struct {
	*records
	WorkspaceSettings
	Campaigns
	Copies
	DismissedWarnings
	Users
	ContentItems
	OutboxMessages
	TestSends
	IdempotencyKeys
}

// In returns the records of a workspace. Every method fails where the id is empty or has
// spaces or unprintable characters.
func In(tx Tx, workspace string) Space { return in(tx, workspace, nil, "") }

func in(tx Tx, workspace string, watch store.Watcher, lease string) Space {
	r := &records{tx, workspace, watch, lease}
	d := Documents{r}
	return Space{
		r, WorkspaceSettings{r}, Campaigns{d, SummaryRows{d}, History{d}}, Copies{r}, DismissedWarnings{r}, Users{r}, ContentItems{r}, OutboxMessages{r}, TestSends{r},
		IdempotencyKeys{r},
	}
}

// Keys returns the transaction over keys below one over records, which must be of this package.
func Keys(t store.Tx) Tx { return t.(*recordTx).tx }
