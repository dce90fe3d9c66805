package kv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// The settings of a workspace are one record that everything else needs. So each change also writes a copy of the
// record and a record for each API key, far away in the key order. If the record itself is damaged or missing, readers
// get the copy; [Repair] restores the record.

// settingsRecord is the contents of a workspace's settings record and of its copy.
type settingsRecord struct {
	engine.Workspace
	// Change counts the changes of the settings. If a record and its copy differ, the one with the higher count is
	// newer.
	Change int64 `json:"change,omitempty"`
}

const adviceSettings = "run `bugle doctor --repair` to restore them; until then, campaigns can only be read"

// errSettingsMissing is the damage of missing settings in a workspace that has other records.
var errSettingsMissing = errors.New("they are missing")

// Workspaces returns the ids of the workspaces in the store, sorted. A workspace whose settings are damaged or missing
// is found by its other records.
func Workspaces(tx Tx) ([]string, error) {
	var ids []string
	for _, root := range []byte{rootWorkspace, rootRecord, rootCopy} {
		for from := []byte{root}; from != nil; {
			at := from
			from = nil
			err := tx.Scan([]byte{root}, ScanOptions{KeysOnly: true, From: at, Limit: 1}, func(key, _ []byte) error {
				id, _, err := cutName(key[1:])
				if err != nil {
					from = append(bytes.Clone(key), 0) // skip this key only
					return nil
				}
				if checkWorkspace(id) == nil {
					ids = append(ids, id)
				}
				from = PrefixEnd(appendName([]byte{root}, id))
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// WorkspaceSettings are the settings of a workspace, their copy, and the records of its API keys.
type WorkspaceSettings struct{ *records }

// Settings returns the workspace's settings, or [store.ErrNotFound] if there is no such workspace. If their record is
// damaged or missing, it returns the copy, and if that is damaged as well, a [store.CorruptError].
func (s WorkspaceSettings) Settings() (engine.Workspace, error) {
	cached, err := s.SettingsIfChanged(nil)
	if err != nil {
		return engine.Workspace{}, err
	}
	return cached.Workspace, nil
}

// SettingsIfChanged is like [WorkspaceSettings.Settings], but returns cached without decoding if the record is
// unchanged. cached may be nil.
func (s WorkspaceSettings) SettingsIfChanged(cached *store.CachedSettings) (*store.CachedSettings, error) {
	if err := checkWorkspace(s.id); err != nil {
		return nil, err
	}
	out, err := s.cachedSettings(s.settingsKey(), cached)
	if err == nil || !isDamage(err) {
		return out, err
	}
	out, errCopy := s.cachedSettings(s.copyKey(copySettings), cached)
	if errCopy == nil || !isDamage(errCopy) {
		return out, errCopy
	}
	if errors.Is(err, store.ErrNotFound) && errors.Is(errCopy, store.ErrNotFound) {
		return nil, s.missingSettings()
	}
	return nil, s.damagedSettings(err)
}

// SettingsDamage returns a [store.CorruptError] if the settings record is damaged, whether or not there is a copy; nil
// if it is not damaged; and [store.ErrNotFound] if there is no such workspace.
func (s WorkspaceSettings) SettingsDamage() error {
	if err := checkWorkspace(s.id); err != nil {
		return err
	}
	_, _, err := s.readSettings(s.settingsKey())
	switch {
	case errors.Is(err, store.ErrNotFound):
		return s.missingSettings()
	case isDamage(err):
		return s.damagedSettings(err)
	}
	return err
}

// missingSettings returns the error for a missing settings record: it was lost if the workspace has other records.
func (s WorkspaceSettings) missingSettings() error {
	have, err := s.hasRecords()
	switch {
	case err != nil:
		return err
	case have:
		return s.damagedSettings(store.ErrNotFound)
	}
	return store.ErrNotFound
}

func (s WorkspaceSettings) damagedSettings(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		err = errSettingsMissing
	}
	return &store.CorruptError{What: fmt.Sprintf("the record with the settings of workspace %q", s.id), Err: firstCause(err), Advice: adviceSettings}
}

// hasRecords reports whether the workspace has any record besides its settings.
func (s WorkspaceSettings) hasRecords() (found bool, err error) {
	for _, root := range []byte{rootRecord, rootCopy} {
		err = errors.Join(err, s.tx.Scan(appendName([]byte{root}, s.id), ScanOptions{KeysOnly: true, Limit: 1}, func(_, _ []byte) error {
			found = true
			return nil
		}))
	}
	return found, err
}

// cachedSettings reads the settings under a key, or returns cached if the record is unchanged.
func (s WorkspaceSettings) cachedSettings(key []byte, cached *store.CachedSettings) (*store.CachedSettings, error) {
	record, err := s.get("the settings", key)
	if err != nil {
		return nil, err
	}
	if cached != nil && bytes.Equal(cached.Record, record) {
		return cached, nil
	}
	out := &store.CachedSettings{Record: record}
	if err := wire.Decode(record, &out.Workspace); err != nil {
		return nil, s.damaged("the settings", err)
	}
	return out, nil
}

// readSettings reads the settings record or its copy, and also returns its payload.
func (s WorkspaceSettings) readSettings(key []byte) (settingsRecord, []byte, error) {
	var w settingsRecord
	payload, err := s.get("the settings", key)
	if err == nil {
		if err = wire.Decode(payload, &w); err == nil && w.ID != s.id {
			err = fmt.Errorf("they are those of %q", w.ID)
		}
		if err != nil {
			err = s.damaged("the settings", err)
		}
	}
	return w, payload, err
}

// PutSettings stores the workspace's settings, their copy, and the records of the API keys. Storing the first settings
// creates the workspace.
func (s WorkspaceSettings) PutSettings(w engine.Workspace) error {
	if err := checkWorkspace(s.id); err != nil {
		return err
	}
	if w.ID != s.id {
		return fmt.Errorf("the settings of workspace %q cannot be stored in workspace %q", w.ID, s.id)
	}
	var change int64
	for _, key := range [][]byte{s.settingsKey(), s.copyKey(copySettings)} {
		old, _, err := s.readSettings(key)
		if err != nil && !isDamage(err) {
			return err
		}
		if err == nil {
			change = max(change, old.Change)
		}
	}
	payload, err := wire.Encode(settingsRecord{w, change + 1})
	if err != nil {
		return fmt.Errorf("the settings %w", err)
	}
	if s.watch != nil {
		s.watch.SettingsStored(s.id)
	}
	return errors.Join(s.put("the settings", s.settingsKey(), payload), s.putCopies(payload, w.Keys))
}

// putCopies stores payload as the copy of the settings, and the records of the API keys.
func (s WorkspaceSettings) putCopies(payload []byte, keys []engine.APIKey) error {
	if err := s.put("the copy of the settings", s.copyKey(copySettings), payload); err != nil {
		return err
	}
	want := map[string][]byte{}
	for _, k := range keys {
		if checkName("the id of an API key", k.ID) != nil {
			continue
		}
		b, err := wire.Encode(k)
		if err != nil {
			return fmt.Errorf("the API key %q %w", k.ID, err)
		}
		key := s.copyKey(copyKey, k.ID)
		want[string(key)] = EncodeValue(key, b)
	}
	err := s.tx.Scan(s.copyKey(copyKey), ScanOptions{}, func(key, value []byte) error {
		have, ok := want[string(key)]
		if !ok {
			return s.delete("an API key", bytes.Clone(key))
		}
		if bytes.Equal(have, value) {
			delete(want, string(key))
		}
		return nil
	})
	for key, value := range want {
		if err == nil {
			err = s.tx.Set([]byte(key), value)
		}
	}
	if err != nil {
		return fmt.Errorf("writing the API keys of workspace %q: %w", s.id, err)
	}
	return nil
}

// keyRecords returns the API keys from their own records, by id, and the number of records that cannot be read.
func (s WorkspaceSettings) keyRecords() (keys []engine.APIKey, bad int, err error) {
	err = s.tx.Scan(s.copyKey(copyKey), ScanOptions{}, func(key, value []byte) error {
		var k engine.APIKey
		payload, err := decodeValue(key, value)
		if err == nil {
			err = wire.Decode(payload, &k)
		}
		if err != nil {
			bad++
			return nil
		}
		keys = append(keys, k)
		return nil
	})
	return keys, bad, err
}

// SettingsKey returns the key of a workspace's settings record.
func SettingsKey(workspace string) []byte {
	return WorkspaceSettings{&records{id: workspace}}.settingsKey()
}

func (s WorkspaceSettings) settingsKey() []byte { return appendName([]byte{rootWorkspace}, s.id) }

// copyKey returns the key of a copy in the workspace.
func (s WorkspaceSettings) copyKey(kind byte, names ...string) []byte {
	key := append(appendName([]byte{rootCopy}, s.id), kind)
	for _, n := range names {
		key = appendName(key, n)
	}
	return key
}
