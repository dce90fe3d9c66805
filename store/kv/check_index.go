package kv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"bugle/store"
)

// idempotency checks an idempotency record or a request id, and its entry in the expiry index.
func (c recordCheck) idempotency(kind byte, damage error) error {
	op, rest, err := cutName(c.rest)
	if err != nil {
		return c.standalone(err, "an idempotency key", "remove it", nil)
	}
	key, _, err := cutName(rest)
	if err != nil {
		return c.standalone(err, "an idempotency key", "remove it", nil)
	}
	what := idempotencyName(op, key)
	var entry []byte
	if kind == kindRequest {
		what = requestName(op, key)
		until, err := c.s.RequestID(op, key)
		if err != nil && !isDamage(err) {
			return err
		}
		damage, entry = errors.Join(damage, err), c.s.expiryKey(until, kind, op, key)
	} else {
		i, err := c.s.IdempotencyRecord(op, key)
		if err != nil && !isDamage(err) {
			return err
		}
		if err == nil && (i.Operation != op || i.Key != key) {
			err = fmt.Errorf("it is about %s", idempotencyName(i.Operation, i.Key))
		}
		damage, entry = errors.Join(damage, err), c.s.expiryKey(i.ExpiresAt, kind, op, key)
	}
	if damage != nil {
		return c.standalone(firstCause(damage), what, "remove it; if the same request is repeated, it runs again", nil)
	}
	if _, err := c.tx.Get(entry); errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDataLost) {
		c.report(Finding{What: fmt.Sprintf("%s would never expire", what), Repair: "add its time of expiry", repair: func(tx Tx) error {
			if _, err := tx.Get(c.key); errors.Is(err, store.ErrNotFound) {
				return nil // deleted meanwhile
			} else if err != nil {
				return err
			}
			return tx.Set(entry, EncodeValue(entry, nil))
		}})
	} else if err != nil {
		return err
	}
	return nil
}

// expiry checks an entry of the expiry index.
func (c recordCheck) expiry(damage error) error {
	f := Finding{What: "an entry in the list of expiry times is damaged or refers to nothing", Repair: "remove it", repair: c.remove()}
	e, err := cutExpiry(c.rest)
	if err == nil {
		what := idempotencyName(e.op, e.key)
		if e.kind == kindRequest {
			what = requestName(e.op, e.key)
		}
		f.What = fmt.Sprintf("the entry with the expiry time of %s is damaged or refers to nothing", what)
	}
	switch {
	case damage != nil:
	case err != nil:
		f.Repair, f.repair, f.Advice = "", nil, "leave it; a newer version of bugle may have written it"
	default:
		target, key := c.s.key(e.kind, e.op, e.key), c.key
		if _, err := c.tx.Get(target); !errors.Is(err, store.ErrNotFound) {
			if isDamage(err) {
				return nil // that damage is reported separately
			}
			return err
		}
		f.repair = func(tx Tx) error {
			if _, err := tx.Get(target); err == nil || !errors.Is(err, store.ErrNotFound) {
				return err
			}
			return tx.Delete(key)
		}
	}
	c.report(f)
	return nil
}

// profile checks a profile and its index entries.
func (c recordCheck) profile(damage error) error {
	id, _, err := cutName(c.rest)
	p, err2 := c.s.Profile(id)
	if err2 != nil && !isDamage(err2) {
		return err2
	}
	if damage = firstCause(damage, err, err2); damage == nil && p.ID != id {
		damage = fmt.Errorf("it is the user %q", p.ID)
	}
	if damage != nil {
		c.report(Finding{What: fmt.Sprintf("%s is damaged (%v)", profileName(id), damage), Advice: adviceBackup + ", or import it again"})
		return nil
	}
	keys, err := c.s.identifiers(p)
	if err != nil {
		return err
	}
	for _, key := range keys {
		found, err := indexEntryReadable(c.tx, key)
		if err != nil {
			return err
		}
		if found {
			continue
		}
		c.report(Finding{What: fmt.Sprintf("%s is missing in the search index", profileName(id)), Repair: "add it to the search index", repair: c.indexProfile(id)})
		return nil
	}
	return nil
}

// indexEntryReadable reports whether an entry of the user index exists and can be read.
func indexEntryReadable(tx Tx, key []byte) (bool, error) {
	value, err := tx.Get(key)
	if err != nil && !isDamage(err) {
		return false, err
	}
	return err == nil && VerifyValue(key, value) == nil, nil
}

// indexProfile returns a repair that writes missing or damaged index entries of a profile.
func (c recordCheck) indexProfile(id string) func(Tx) error {
	return c.in(func(s WorkspaceTx) error {
		p, err := s.Profile(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		keys, err := s.identifiers(p)
		for _, key := range keys {
			found, err := indexEntryReadable(s.tx, key)
			if err == nil && !found {
				err = s.put("the index entry of "+profileName(id), key, nil)
			}
			if err != nil {
				return err
			}
		}
		return err
	})
}

// identifier checks an entry of the user index.
func (c recordCheck) identifier(damage error) error {
	kind, rest, err := cutName(c.rest)
	_, rest2, err2 := cutName(rest)
	id, _, err3 := cutName(rest2)
	if err := errors.Join(err, err2, err3); err != nil {
		return c.standalone(err, "an entry of the index of users", "remove it", nil)
	}
	dangling, err := c.s.dangling(c.key, id)
	if err != nil {
		return err
	}
	switch {
	case dangling:
		ws, key := c.s.id, c.key
		c.report(Finding{What: fmt.Sprintf("the index of users finds %s by an %s that it does not have", profileName(id), kind), Repair: "remove it", repair: func(tx Tx) error {
			dangling, err := NewWorkspaceTx(tx, ws).dangling(key, id)
			if err != nil || !dangling {
				return err
			}
			return tx.Delete(key)
		}})
	case damage != nil: // an entry of a readable profile is checked with the profile
		if _, err := c.s.Profile(id); err != nil {
			return c.standalone(damage, "the index entry of "+profileName(id), "remove it", nil)
		}
	}
	return nil
}

// dangling reports whether an index entry refers to a profile that does not exist or that no longer has that
// identifier. An entry whose profile cannot be read is not dangling.
func (s Users) dangling(key []byte, id string) (bool, error) {
	p, err := s.Profile(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return true, nil
	case isDamage(err):
		return false, nil
	case err != nil:
		return false, err
	}
	keys, err := s.identifiers(p)
	return !slices.ContainsFunc(keys, func(k []byte) bool { return bytes.Equal(k, key) }), err
}
