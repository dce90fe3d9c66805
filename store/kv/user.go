package kv

import (
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// Profile returns a user's profile. Numbers among its attributes are json.Number with their stored spelling.
func (s WorkspaceTx) Profile(id string) (engine.User, error) {
	var p engine.User
	if err := s.check("a user id", id); err != nil {
		return p, err
	}
	err := s.getJSON(profileName(id), s.key(kindProfile, id), &p)
	return p, err
}

// PutProfile stores a profile and its index entries, and replaces an earlier profile.
func (s WorkspaceTx) PutProfile(p engine.User) error {
	keys, err := s.identifiers(p)
	if err != nil {
		return err
	}
	if err := s.dropIdentifiers(p.ID); err != nil {
		return err
	}
	what := profileName(p.ID)
	for _, key := range keys {
		if err := s.put("the index entry of "+what, key, nil); err != nil {
			return err
		}
	}
	return s.putJSON(what, s.key(kindProfile, p.ID), p)
}

// PutProfiles stores several profiles.
func (s WorkspaceTx) PutProfiles(list []engine.User) error {
	for _, p := range list {
		if err := s.PutProfile(p); err != nil {
			return err
		}
	}
	return nil
}

// ProfilesByID calls fn with the given profiles. It skips those that do not exist.
func (s WorkspaceTx) ProfilesByID(ids []string, fn func(engine.User) error) error {
	return each(ids, s.Profile, fn)
}

// DeleteProfile removes a profile. It fails with [store.ErrNotFound] if there is none.
func (s WorkspaceTx) DeleteProfile(id string) error {
	if err := s.check("a user id", id); err != nil {
		return err
	}
	if _, err := s.tx.Get(s.key(kindProfile, id)); err != nil {
		return err
	}
	if err := s.dropIdentifiers(id); err != nil {
		return err
	}
	return s.delete(profileName(id), s.key(kindProfile, id))
}

// Profiles calls fn with all profiles in the order of their ids. fn may return [store.Stop].
func (s WorkspaceTx) Profiles(after string, fn func(engine.User) error) error {
	if err := s.check(); err != nil {
		return err
	}
	var o ScanOptions
	if after != "" {
		o.From = append(s.key(kindProfile, after), 0) // no key is between the two
	}
	n, stopped := 0, false
	err := s.walk("the profile", s.key(kindProfile), o, func(rest, payload []byte) error {
		n++
		var p engine.User
		if err := wire.Decode(payload, &p); err != nil {
			return s.damaged("the user "+label(rest), err)
		}
		err := fn(p)
		stopped = err != nil
		return err
	})
	if err == nil && !stopped && after == "" {
		err = s.complete(kindProfile, n)
	}
	return err
}

// FindProfiles returns the ids of the profiles with an identifier, sorted. kind is a constant such as [store.ByEmail].
// An empty value matches no profile.
func (s WorkspaceTx) FindProfiles(kind, value string) ([]string, error) {
	if err := s.check("the kind of an identifier", kind); err != nil {
		return nil, err
	}
	if !store.IsIdentifier(kind) {
		return nil, fmt.Errorf("there is no kind of identifier %q", kind)
	}
	value = wire.Fold(kind, value)
	if value == "" || len(value) > maxName {
		return nil, nil
	}
	var ids []string
	err := s.walk("the index entry of profiles by "+kind, s.key(kindIdentifier, kind, value), ScanOptions{}, func(rest, _ []byte) error {
		id, _, err := cutName(rest)
		if err != nil {
			return s.damaged("the index entry of profiles by "+kind, err)
		}
		ids = append(ids, id)
		return nil
	})
	return ids, err
}

// identifiers returns the index keys of a profile, without duplicates.
func (s WorkspaceTx) identifiers(p engine.User) ([][]byte, error) {
	if err := s.check("a user id", p.ID); err != nil {
		return nil, err
	}
	var keys [][]byte
	for _, pair := range wire.Identifiers(p) {
		if len(pair[1]) > maxName {
			return nil, fmt.Errorf("the identifier %[2]s of %[1]s is too long: %[3]d bytes, at most %[4]d", profileName(p.ID), pair[0], len(pair[1]), maxName)
		}
		keys = append(keys, s.key(kindIdentifier, pair[0], pair[1], p.ID))
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
	keys, err := s.identifiers(old)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := s.delete("the index entry of "+profileName(id), key); err != nil {
			return err
		}
	}
	return nil
}

func profileName(id string) string { return fmt.Sprintf("the user %q", id) }
