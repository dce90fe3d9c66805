package kv

import (
	"errors"

	"bugle/store"
	"bugle/store/internal/wire"
)

// WorkspaceTx is the records of one workspace within one transaction. It implements [store.Transferable], whose
// documentation applies.
type WorkspaceTx struct {
	tx    Tx
	id    string
	watch store.Watcher // nil if nobody watches
	lease string        // of this handle of the store
}

var _ store.Transferable = WorkspaceTx{}

// NewWorkspaceTx returns the records of a workspace. Every method fails if the id is empty or contains spaces or
// unprintable characters.
func NewWorkspaceTx(tx Tx, workspace string) WorkspaceTx { return WorkspaceTx{tx: tx, id: workspace} }

// Damaged returns a [store.CorruptError] that names a record. It is for records whose contents are wrong, never for
// records that cannot be read at the moment: see [store.IsTooManyFiles]. A store on disk is told, so that it reads
// everything.
func (s WorkspaceTx) Damaged(name string, err error) error {
	bad := store.Damaged(s.id, name, err)
	if d, ok := s.tx.(Suspecter); ok {
		d.Suspect(bad)
	}
	return bad
}

// errLost is the damage of a record that is missing although another one proves that it was there, and errOlder that of
// one that is older than another one proves.
var (
	errLost  = errors.New("it is missing")
	errOlder = errors.New("its newest version is lost")
)

// clearBatch is how many records [WorkspaceTx.ClearWorkspace] removes of each kind at most.
const clearBatch = 1000

// ClearWorkspace implements [store.Transferable]. The settings go last.
func (s WorkspaceTx) ClearWorkspace() (more bool, err error) {
	if err := store.CheckIDs(s.id); err != nil {
		return false, err
	}
	for _, k := range kinds {
		if k.id == settingsChanges.id {
			continue // without it, the settings would be damaged
		}
		if n, err := k.clear(s, clearBatch); err != nil || n == clearBatch {
			return err == nil, err
		}
	}
	return false, errors.Join(settings.delete(s), settingsChanges.delete(s))
}

// Records implements [store.Transferable].
func (s WorkspaceTx) Records(fn func(store.Record) error) error { return wire.Records(s, fn) }

// PutRecords implements [store.Transferable].
func (s WorkspaceTx) PutRecords(list []store.Record) error { return wire.PutRecords(s, list) }
