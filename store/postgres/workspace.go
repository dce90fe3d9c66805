package postgres

import (
	"bytes"
	"errors"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/store"
)

// workspace is the records of one workspace within one transaction.
type workspace struct {
	*tx
	id string
}

var _ store.Transferable = workspace{}

// check refuses ids that no record can have; pairs are what it is and its text.
func (w workspace) check(pairs ...string) error { return store.CheckIDs(w.id, pairs...) }

var settings = table[engine.Workspace]{
	name: "workspace", record: []string{"settings"}, checksum: "checksum", others: []string{"name"},
	what: store.SettingsName, decode: decode[engine.Workspace],
}

// Settings implements [store.Settings].
func (w workspace) Settings() (engine.Workspace, error) {
	s, err := settings.get(w)
	var bad *store.CorruptError
	if errors.As(err, &bad) {
		bad.Advice = "restore a backup with `bugle restore`"
	}
	return s, err
}

// SettingsIfChanged implements [store.Settings]. Settings with the same checksum are the same.
func (w workspace) SettingsIfChanged(cached *store.CachedSettings) (*store.CachedSettings, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	var checksum int64
	err := w.first("SELECT checksum FROM workspace WHERE workspace = $1", []any{w.id}, func(rows pgx.Rows) error { return rows.Scan(&checksum) })
	if err != nil {
		return nil, err
	}
	if cached != nil && bytes.Equal(cached.Record, number(checksum)) {
		return cached, nil
	}
	s, err := w.Settings()
	return &store.CachedSettings{Workspace: s, Record: number(checksum)}, err
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
	record, err := encode(s)
	return settings.put(w, nil, record, err, escape(s.Name))
}

// ClearWorkspace implements [store.Transferable]. Foreign keys delete the records of other tables.
func (w workspace) ClearWorkspace() (more bool, err error) {
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedSettings})
	return false, errors.Join(
		w.exec("DELETE FROM idempotency WHERE workspace = $1", w.id),
		w.exec("DELETE FROM request_id WHERE workspace = $1", w.id),
		w.exec("DELETE FROM workspace WHERE workspace = $1", w.id))
}
