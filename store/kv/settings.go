package kv

import (
	"bytes"
	"errors"
	"strconv"

	"bugle/engine"
	"bugle/store"
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
	settings        = asJSON[settingsRecord](kind{root: rootWorkspace, name: store.SettingsName})
	settingsChanges = asJSON[settingsChange](kind{id: 'n', name: store.SettingsName, plural: "numbers of changes of settings"})
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
	change, err := settingsChanges.get(s)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	record, err := settings.payload(s)
	if errors.Is(err, store.ErrNotFound) {
		return nil, s.missingSettings()
	}
	if err != nil {
		return nil, err
	}
	// Decoding ends with the object, before the number.
	record = strconv.AppendInt(record[:len(record):len(record)], change.Change, 10)
	if cached != nil && bytes.Equal(cached.Record, record) {
		return cached, nil
	}
	w, err := settings.decode(record)
	if err == nil && w.Change != change.Change {
		err = errOlder
	}
	if err != nil {
		return nil, s.Damaged(store.SettingsName, err)
	}
	return &store.CachedSettings{Workspace: w.Workspace, Record: record}, nil
}

// missingSettings returns the error for settings that are not there: if the workspace has other records, they are lost.
func (s WorkspaceTx) missingSettings() error {
	found := false
	err := s.tx.Scan(appendName([]byte{rootRecord}, s.id), ScanOptions{KeysOnly: true, Limit: 1}, func(_, _ []byte) error {
		found = true
		return nil
	})
	if err == nil && found {
		return s.Damaged(store.SettingsName, errLost)
	}
	return errors.Join(err, store.ErrNotFound)
}

// PutSettings implements [store.Settings].
func (s WorkspaceTx) PutSettings(w engine.Workspace) error {
	if err := store.CheckSettings(s.id, w); err != nil {
		return err
	}
	change, err := settingsChanges.get(s)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	change.Change++
	if s.watch != nil {
		s.watch.SettingsStored(s.id)
	}
	return errors.Join(settings.put(s, settingsRecord{w, change}), settingsChanges.put(s, change))
}
