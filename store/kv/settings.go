package kv

import (
	"bytes"
	"errors"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
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

// errOlderSettings is the damage of settings of which the newest version is lost.
var errOlderSettings = errors.New("their newest version is lost")

// Settings returns the workspace's settings, or [store.ErrNotFound] if there is no such workspace.
func (s WorkspaceTx) Settings() (engine.Workspace, error) {
	cached, err := s.SettingsIfChanged(nil)
	if err != nil {
		return engine.Workspace{}, err
	}
	return cached.Workspace, nil
}

// SettingsIfChanged is like [WorkspaceTx.Settings], but returns cached without decoding if the record is unchanged.
// cached may be nil.
func (s WorkspaceTx) SettingsIfChanged(cached *store.CachedSettings) (*store.CachedSettings, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	record, err := s.get("the settings", s.settingsKey())
	if errors.Is(err, store.ErrNotFound) {
		return nil, s.missingSettings()
	}
	if err != nil {
		return nil, err
	}
	change, err := s.get("the settings", s.key(kindSettings))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	record = append(record[:len(record):len(record)], change...)
	if cached != nil && bytes.Equal(cached.Record, record) {
		return cached, nil
	}
	var w settingsRecord
	var changed settingsChange
	err = wire.Decode(record, &w)
	if err == nil {
		err = wire.Decode(change, &changed)
	}
	if err == nil && w.Change != changed.Change {
		err = errOlderSettings
	}
	if err != nil {
		return nil, s.damaged("the settings", err)
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
		return s.damaged("the settings", errLost)
	}
	return errors.Join(err, store.ErrNotFound)
}

// PutSettings stores the workspace's settings. Storing the first settings creates the workspace.
func (s WorkspaceTx) PutSettings(w engine.Workspace) error {
	if err := store.CheckSettings(s.id, w); err != nil {
		return err
	}
	var last settingsChange
	err := s.getJSON("the settings", s.key(kindSettings), &last)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if s.watch != nil {
		s.watch.SettingsStored(s.id)
	}
	last.Change++
	return errors.Join(s.putJSON("the settings", s.settingsKey(), settingsRecord{w, last}), s.putJSON("the settings", s.key(kindSettings), last))
}

func (s WorkspaceTx) settingsKey() []byte { return appendName([]byte{rootWorkspace}, s.id) }
