package kv

import (
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

var (
	profiles = asJSON[engine.User](kind{id: 'p', parts: "s", ids: []string{"a user id"}, name: store.UserName, plural: "users", change: store.ChangedUser})
	// The index of profiles by the kind and the value of their identifiers.
	identifiers = onlyKeys(kind{id: 'x', parts: "sss", name: "the index entry by %s %q of the user %q", plural: "index entries of users"})
)

// Profile implements [store.Users].
func (s WorkspaceTx) Profile(id string) (engine.User, error) { return profiles.get(s, id) }

// PutProfile implements [store.Users].
func (s WorkspaceTx) PutProfile(p engine.User) error {
	keys, err := identifiersOf(p)
	if err != nil {
		return err
	}
	if err := s.dropIdentifiers(p.ID); err != nil {
		return err
	}
	for _, key := range keys {
		if err := identifiers.put(s, none{}, key...); err != nil {
			return err
		}
	}
	return profiles.put(s, p, p.ID)
}

// PutProfiles implements [store.Users].
func (s WorkspaceTx) PutProfiles(list []engine.User) error {
	for _, p := range list {
		if err := s.PutProfile(p); err != nil {
			return err
		}
	}
	return nil
}

// ProfilesByID implements [store.Users].
func (s WorkspaceTx) ProfilesByID(ids []string, fn func(engine.User) error) error {
	return some(ids, s.Profile, fn)
}

// DeleteProfile implements [store.Users]. It fails with [store.ErrNotFound] if there is no such profile.
func (s WorkspaceTx) DeleteProfile(id string) error {
	exists, err := profiles.exists(s, id)
	if err == nil && !exists {
		err = store.ErrNotFound
	}
	if err != nil {
		return err
	}
	return errors.Join(s.dropIdentifiers(id), profiles.delete(s, id))
}

// Profiles implements [store.Users].
func (s WorkspaceTx) Profiles(after string, fn func(engine.User) error) error {
	var o ScanOptions
	if after != "" {
		o.From = append(profiles.key(s, after), 0) // no key is between the two
	}
	return profiles.each(s, o, fn)
}

// FindProfiles implements [store.Users]. The ids are sorted. An empty value matches no profile.
func (s WorkspaceTx) FindProfiles(by, value string) (ids []string, err error) {
	if !store.IsIdentifier(by) {
		return nil, fmt.Errorf("there is no kind of identifier %q", by)
	}
	value = wire.Fold(by, value)
	if value == "" || len(value) > maxName {
		return nil, nil
	}
	err = identifiers.walk(s, ScanOptions{}, func(rest, _ []byte) error {
		parts, err := identifiers.cut(rest)
		if err != nil {
			return s.Damaged(identifiers.nameAt(rest), err)
		}
		ids = append(ids, parts[2].(string))
		return nil
	}, by, value)
	return ids, err
}

// identifiersOf returns the parts of the keys of a profile's index entries.
func identifiersOf(p engine.User) (keys [][]any, err error) {
	for _, pair := range wire.Identifiers(p) {
		if len(pair[1]) > maxName {
			return nil, fmt.Errorf("the identifier %s of "+store.UserName+" is too long: %d bytes, at most %d", pair[0], p.ID, len(pair[1]), maxName)
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
		err = errors.Join(err, identifiers.delete(s, key...))
	}
	return err
}
