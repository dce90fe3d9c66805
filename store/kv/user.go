package kv

import (
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/record"
)

// The index of users by the kind and the value of their identifiers.
var identifiers = onlyKeys(record.Kind{ID: 'x', Parts: "sss", Name: "the index entry by %s %q of the user %q", Plural: "index entries of users"})

// PutProfiles implements [store.Users].
func (s WorkspaceTx) PutProfiles(list ...engine.User) error {
	for _, p := range list {
		keys, err := identifiersOf(p)
		if err != nil {
			return err
		}
		err = s.dropIdentifiers(p.ID)
		for _, key := range keys {
			err = errors.Join(err, identifiers.Put(s.rows, none{}, key...))
		}
		if err = errors.Join(err, record.Users.Put(s.rows, p, p.ID)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteProfile implements [store.Users]. It fails with [store.ErrNotFound] if there is no such profile.
func (s WorkspaceTx) DeleteProfile(id string) error {
	if err := s.dropIdentifiers(id); err != nil {
		return err
	}
	return record.Users.Remove(s.rows, id)
}

// FindProfiles implements [store.Users]. The ids are sorted. An empty value matches no profile.
func (s WorkspaceTx) FindProfiles(by, value string) (ids []string, err error) {
	if !store.IsIdentifier(by) {
		return nil, fmt.Errorf("there is no kind of identifier %q", by)
	}
	value = record.Fold(by, value)
	if value == "" || len(value) > maxName {
		return nil, nil
	}
	if err := store.CheckIDs(s.rows.id); err != nil {
		return nil, err
	}
	err = s.rows.keys(identifiers.Kind, ScanOptions{}, func(parts []any) error {
		ids = append(ids, parts[2].(string))
		return nil
	}, by, value)
	return ids, err
}

// identifiersOf returns the parts of the keys of a profile's index entries.
func identifiersOf(p engine.User) (keys [][]any, err error) {
	for _, pair := range record.Identifiers(p) {
		if len(pair[1]) > maxName {
			return nil, fmt.Errorf("the identifier %s of the user %q is too long: %d bytes, at most %d", pair[0], p.ID, len(pair[1]), maxName)
		}
		keys = append(keys, []any{pair[0], pair[1], p.ID})
	}
	return keys, nil
}

// dropIdentifiers removes the index entries of the stored profile, if there is one.
func (s WorkspaceTx) dropIdentifiers(id string) error {
	old, err := s.Profile(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	keys, err := identifiersOf(old)
	for _, key := range keys {
		err = errors.Join(err, identifiers.Delete(s.rows, key...))
	}
	return err
}
