package kv

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/record"
)

// settingsRecord is the settings of a workspace. The number of its changes is also a record of its own, far away in the
// key order, so that settings of which the newest version is lost are seen: a revoked key must not come back.
type settingsRecord struct {
	engine.Workspace
	settingsChange
}

type settingsChange struct {
	Change int64 `json:"change"`
}

var (
	settings        = record.AsJSON[settingsRecord](record.Kind{Name: "the record with the settings"})
	settingsChanges = record.AsJSON[settingsChange](record.Kind{ID: 'n', Name: "the record with the settings", Plural: "numbers of changes of settings"})
)

// Settings implements [store.Settings].
func (s WorkspaceTx) Settings() (engine.Workspace, error) {
	cached, err := s.SettingsIfChanged(nil)
	if err != nil {
		return engine.Workspace{}, err
	}
	return cached.Workspace, nil
}

// SettingsIfChanged implements [store.Settings].
func (s WorkspaceTx) SettingsIfChanged(cached *store.CachedSettings) (*store.CachedSettings, error) {
	change, err := settingsChanges.Get(s.rows)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	row, err := s.rows.Get(settings.Kind, nil)
	if errors.Is(err, store.ErrNotFound) && change.Change > 0 {
		err = s.rows.Damaged(settings.Kind, nil, errLost)
	}
	if err != nil {
		return nil, err
	}
	// Decoding ends with the object, before the number.
	row.Record = strconv.AppendInt(slices.Clip(row.Record), change.Change, 10)
	if cached != nil && bytes.Equal(cached.Record, row.Record) {
		return cached, nil
	}
	w, err := settings.Decode(row)
	if err == nil && w.Change != change.Change {
		err = errOlder
	}
	if err != nil {
		return nil, s.rows.Damaged(settings.Kind, nil, err)
	}
	return &store.CachedSettings{Workspace: w.Workspace, Record: row.Record}, nil
}

// PutSettings implements [store.Settings].
func (s WorkspaceTx) PutSettings(w engine.Workspace) error {
	if err := store.CheckSettings(s.rows.id, w); err != nil {
		return err
	}
	change, err := settingsChanges.Get(s.rows)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	change.Change++
	if s.rows.tx.watch != nil {
		s.rows.tx.watch.SettingsStored(s.rows.id)
	}
	return errors.Join(settings.Put(s.rows, settingsRecord{w, change}), settingsChanges.Put(s.rows, change))
}
