package store

import (
	"bytes"

	"bugle/engine"
)

// KnownSettings are settings with the record that they were read from. They are shared by who reads
// them, and never change.
type KnownSettings struct {
	Workspace engine.Workspace
	record    []byte
}

// SettingsOr is [Space.Settings], but gives known where the record is still the one that it was read
// from, so that nothing is decoded. known may be nil.
func (s Space) SettingsOr(known *KnownSettings) (*KnownSettings, error) {
	if err := checkWorkspace(s.id); err != nil {
		return nil, err
	}
	const what = "settings"
	record, err := s.get(what, s.settingsKey())
	if err != nil {
		return nil, err
	}
	if known != nil && bytes.Equal(known.record, record) {
		return known, nil
	}
	out := &KnownSettings{record: record}
	if err := decode(record, &out.Workspace); err != nil {
		return nil, s.damaged(what, err)
	}
	return out, nil
}
