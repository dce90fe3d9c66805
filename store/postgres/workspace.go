package postgres

import (
	"bytes"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// workspace is the records of one workspace within one transaction.
type workspace struct {
	*tx
	id string
}

var _ store.Transferable = workspace{}

// check refuses ids that no record can have; pairs are what it is and its text.
func (w workspace) check(pairs ...string) error { return store.CheckIDs(w.id, pairs...) }

var settings = table[engine.Workspace]{name: "workspace", what: store.SettingsName, decode: decode[engine.Workspace]}

// Settings implements [store.Settings].
func (w workspace) Settings() (engine.Workspace, error) { return settings.get(w) }

// SettingsIfChanged implements [store.Settings].
func (w workspace) SettingsIfChanged(cached *store.CachedSettings) (*store.CachedSettings, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	now := &store.CachedSettings{}
	err := w.first("SELECT record FROM workspace WHERE workspace = $1", []any{w.id}, func(rows pgx.Rows) error { return rows.Scan(&now.Record) })
	switch {
	case err != nil:
		return nil, err
	case cached != nil && bytes.Equal(cached.Record, now.Record):
		return cached, nil
	}
	now.Workspace, err = settings.value(w, nil, now.Record, nil)
	return now, err
}

// PutSettings implements [store.Settings].
func (w workspace) PutSettings(s engine.Workspace) error {
	if err := store.CheckSettings(w.id, s); err != nil {
		return err
	}
	if w.watch != nil {
		w.watch.SettingsStored(w.id)
	}
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedSettings})
	return settings.put(w, nil, s, doc.Value{})
}

// ClearWorkspace implements [store.Transferable]. Foreign keys delete the records of other tables.
func (w workspace) ClearWorkspace() (more bool, err error) {
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedSettings})
	return false, w.exec("DELETE FROM workspace WHERE workspace = $1", w.id)
}

// Records implements [store.Transferable].
func (w workspace) Records(fn func(store.Record) error) error { return wire.Records(w, fn) }

// PutRecords implements [store.Transferable].
func (w workspace) PutRecords(list []store.Record) error { return wire.PutRecords(w, list) }

// Damaged implements [wire.Source].
func (w workspace) Damaged(name string, err error) error { return store.Damaged(w.id, name, err) }
