package store

import (
	"bytes"
	"errors"
	"fmt"

	"bugle/engine"
)

// once looks at an idempotency key or a request id, and at its place in the order of expiry.
func (c spaceCheck) once(kind byte, damage error) error {
	op, rest, err := cutName(c.rest)
	if err != nil {
		return c.alone(err, "a promise about a repeated request", "remove it", nil)
	}
	key, _, err := cutName(rest)
	if err != nil {
		return c.alone(err, "a promise about a repeated request", "remove it", nil)
	}
	what := idempotentName(op, key)
	var entry []byte
	if kind == kindRequest {
		what = requestName(op, key)
		until, err := c.s.RequestID(op, key)
		damage, entry = errors.Join(damage, err), c.s.expiryKey(until, kind, op, key)
	} else {
		i, err := c.s.Idempotent(op, key)
		if err == nil && (i.Operation != op || i.Key != key) {
			err = fmt.Errorf("it is about %s", idempotentName(i.Operation, i.Key))
		}
		damage, entry = errors.Join(damage, err), c.s.expiryKey(i.ExpiresAt, kind, op, key)
	}
	if damage != nil {
		c.report(Finding{What: fmt.Sprintf("%s is damaged", what), Mend: "forget it: the same request would be done again", mend: c.drop()})
		return nil
	}
	if _, err := c.tx.Get(entry); errors.Is(err, ErrNotFound) || errors.Is(err, ErrLost) {
		c.report(Finding{What: fmt.Sprintf("%s would never be forgotten", what), Mend: "note when it expires", mend: func(tx Tx) error {
			if _, err := tx.Get(c.key); err != nil {
				return nil // it is gone meanwhile
			}
			return tx.Set(entry, Seal(entry, nil))
		}})
	} else if err != nil {
		return err
	}
	return nil
}

// expiry looks at an entry of the order of expiry.
func (c spaceCheck) expiry(damage error) error {
	e, err := cutExpiry(c.rest)
	if err = errors.Join(damage, err); err == nil {
		_, err = c.tx.Get(c.s.key(e.kind, e.op, e.key))
		if err != nil && !isDamage(err) {
			return err
		}
	}
	if err != nil {
		c.report(Finding{What: "an entry of what expires leads nowhere or is damaged", Mend: "remove it", mend: c.drop()})
	}
	return nil
}

// profile looks at a profile, and at what it is found by.
func (c spaceCheck) profile(damage error) error {
	id, _, err := cutName(c.rest)
	p, err2 := c.s.Profile(id)
	if damage = firstOf(damage, err, err2); damage == nil && p.ID != id {
		damage = fmt.Errorf("it is the profile %q", p.ID)
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
		value, err := c.tx.Get(key)
		if err == nil {
			_, err = unseal(key, value)
		}
		if err == nil {
			continue
		}
		c.report(Finding{What: fmt.Sprintf("%s cannot be found by all that it has", profileName(id)), Mend: "make what finds it anew", mend: c.indexProfile(id)})
		return nil
	}
	return nil
}

func (c spaceCheck) indexProfile(id string) func(Tx) error {
	ws := c.s.id
	return func(tx Tx) error {
		s := In(tx, ws)
		p, err := s.Profile(id)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.PutProfile(p)
	}
}

// identifier looks at an entry that finds a profile.
func (c spaceCheck) identifier(damage error) error {
	kind, rest, err := cutName(c.rest)
	_, rest2, err2 := cutName(rest)
	id, _, err3 := cutName(rest2)
	if err := errors.Join(err, err2, err3); err != nil {
		return c.alone(err, "an entry that finds profiles", "remove it", nil)
	}
	var p engine.Profile
	if p, err = c.s.Profile(id); err == nil {
		keys, err := c.s.identifiers(p)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if bytes.Equal(key, c.key) {
				return nil // a damaged one is found with its profile
			}
		}
	} else if !isDamage(err) {
		return err
	} else if !errors.Is(err, ErrNotFound) && damage == nil {
		return nil // of a damaged profile, which is reported
	}
	c.report(Finding{What: fmt.Sprintf("an entry finds %s by an %s that it does not have", profileName(id), kind), Mend: "remove it", mend: c.drop()})
	return nil
}
