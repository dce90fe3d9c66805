package kv

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// kind is one kind of records of workspaces. The key of a record is its workspace, its kind, and its parts.
type kind struct {
	root   byte       // the first byte of keys, if that is another one, and they have no kind
	id     byte       // in keys; it must never change
	parts  string     // the types of the parts: s is a string, n an int64, t a time.Time
	ids    []string   // what the first of the parts are, in messages; ids are checked
	name   string     // names a record in messages: a format for the parts
	plural string     // names records in messages
	change store.Kind // what is published when a record is written; empty: nothing
}

// table is a kind with what its records contain.
type table[T any] struct {
	kind
	encode func(T) ([]byte, error)
	decode func(payload []byte) (T, error)
}

// kinds are all kinds of records by their ids.
var kinds = byID(campaigns.kind, summaries.kind, revisions.kind, documents.kind, deletions.kind, workingCopies.kind, dismissals.kind, profiles.kind,
	identifiers.kind, content, outbox.kind, testSends.kind, idempotency.kind, requests.kind, expiries.kind, sweeps.kind, settingsChanges.kind)

func byID(all ...kind) map[byte]kind {
	out := map[byte]kind{}
	for _, k := range all {
		out[k.id] = k
	}
	return out
}

// asJSON is a table of records that are JSON.
func asJSON[T any](k kind) table[T] {
	return table[T]{k, func(v T) ([]byte, error) { return wire.Encode(v) }, func(payload []byte) (v T, err error) { return v, wire.Decode(payload, &v) }}
}

// withDocument is a table of records that are JSON and a document, which split and join take apart and put together.
func withDocument[H, T any](k kind, split func(T) (H, doc.Value), join func(H, doc.Value) (T, error)) table[T] {
	encode := func(v T) ([]byte, error) { return wire.EncodeWith(split(v)) }
	decode := func(payload []byte) (v T, err error) {
		var head H
		document, err := wire.DecodeWith(payload, &head)
		if err != nil {
			return v, err
		}
		return join(head, document)
	}
	return table[T]{k, encode, decode}
}

// none is the contents of records that are only keys.
type none struct{}

func onlyKeys(k kind) table[none] {
	return table[none]{k, func(none) ([]byte, error) { return nil, nil }, func([]byte) (none, error) { return none{}, nil }}
}

// key returns the key of a record, or what the keys of all records that begin with some parts have in common.
func (k kind) key(s WorkspaceTx, parts ...any) []byte {
	if k.root != 0 {
		return appendName([]byte{k.root}, s.id)
	}
	key := append(appendName([]byte{rootRecord}, s.id), k.id)
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			key = appendName(key, part)
		case int64:
			key = appendNumber(key, part)
		case time.Time:
			key = appendTime(key, part)
		}
	}
	return key
}

// cut returns the parts in the end of a key.
func (k kind) cut(rest []byte) (parts []any, err error) {
	for _, typ := range k.parts {
		var part any
		switch typ {
		case 's':
			part, rest, err = cutName(rest)
		case 'n':
			part, rest, err = cutNumber(rest)
		case 't':
			part, rest, err = cutTime(rest)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// recordName names a record in messages.
func (k kind) recordName(parts []any) string {
	if !strings.Contains(k.name, "%") {
		return k.name
	}
	return fmt.Sprintf(k.name, parts...)
}

// nameAt names the record that has a key after that of its kind.
func (k kind) nameAt(rest []byte) string {
	parts, err := k.cut(rest)
	if err != nil {
		return fmt.Sprintf("one of the %s (%.40q)", k.plural, rest)
	}
	return k.recordName(parts)
}

// check returns an error if no record can have a key.
func (k kind) check(s WorkspaceTx, parts []any) error {
	var pairs []string
	for i, what := range k.ids[:min(len(k.ids), len(parts))] {
		pairs = append(pairs, what, parts[i].(string))
	}
	return store.CheckIDs(s.id, pairs...)
}

// payload returns the payload of a record.
func (k kind) payload(s WorkspaceTx, parts ...any) ([]byte, error) {
	if err := k.check(s, parts); err != nil {
		return nil, err
	}
	key := k.key(s, parts...)
	value, err := s.tx.Get(key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, store.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s in workspace %q: %w", k.recordName(parts), s.id, err)
	}
	payload, err := decodeValue(key, value)
	if err != nil {
		return nil, s.Damaged(k.recordName(parts), err)
	}
	return payload, nil
}

// get returns a record.
func (t table[T]) get(s WorkspaceTx, parts ...any) (v T, err error) {
	payload, err := t.payload(s, parts...)
	if err != nil {
		return v, err
	}
	if v, err = t.decode(payload); err != nil {
		var zero T
		return zero, s.Damaged(t.recordName(parts), err)
	}
	return v, nil
}

// put stores a record over an earlier one.
func (t table[T]) put(s WorkspaceTx, v T, parts ...any) error {
	if err := t.check(s, parts); err != nil {
		return err
	}
	payload, err := t.encode(v)
	if err != nil {
		return fmt.Errorf("%s %w", t.recordName(parts), err)
	}
	key := t.key(s, parts...)
	if err := s.tx.Set(key, EncodeValue(key, payload)); err != nil {
		return fmt.Errorf("writing %s in workspace %q: %w", t.recordName(parts), s.id, err)
	}
	return nil
}

// exists reports whether there is a record, without looking into it.
func (k kind) exists(s WorkspaceTx, parts ...any) (bool, error) {
	if err := k.check(s, parts); err != nil {
		return false, err
	}
	switch _, err := s.tx.Get(k.key(s, parts...)); {
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("reading %s in workspace %q: %w", k.recordName(parts), s.id, err)
	}
	return true, nil
}

// delete removes a record, if there is one.
func (k kind) delete(s WorkspaceTx, parts ...any) error {
	if err := k.check(s, parts); err != nil {
		return err
	}
	if err := s.tx.Delete(k.key(s, parts...)); err != nil {
		return fmt.Errorf("deleting %s in workspace %q: %w", k.recordName(parts), s.id, err)
	}
	return nil
}

// clear removes the first records whose keys begin with some parts, at most limit of them; 0 means all. It returns their
// number.
func (k kind) clear(s WorkspaceTx, limit int, parts ...any) (n int, err error) {
	err = k.keys(s, ScanOptions{Limit: limit}, func(found []any) error {
		n++
		return k.delete(s, found...)
	}, parts...)
	return n, err
}

// walk calls fn with the end of the key and the payload of each record whose key begins with some parts. It collects
// damage, including that which fn returns, and returns it at the end. If it has walked through all records of the kind,
// it compares their number with the count.
func (k kind) walk(s WorkspaceTx, o ScanOptions, fn func(rest, payload []byte) error, parts ...any) error {
	if err := k.check(s, parts); err != nil {
		return err
	}
	n, whole := 0, len(parts) == 0 && o.From == nil && o.Limit == 0
	at := len(k.key(s))
	var bad []error
	err := s.tx.Scan(k.key(s, parts...), o, func(key, value []byte) error {
		n++
		payload, err := decodeValue(key, value)
		if err == nil {
			err = fn(key[at:], payload)
		} else {
			err = s.Damaged(k.nameAt(key[at:]), err)
		}
		if err == nil {
			return nil
		}
		whole = false
		if errors.As(err, new(*store.CorruptError)) {
			bad = append(bad, err)
			return nil
		}
		return err
	})
	if err == nil && whole {
		err = s.complete(k, n)
	}
	if err != nil {
		return err
	}
	return errors.Join(bad...)
}

// each calls fn, which may end it with [store.Stop], with the records whose keys begin with some parts, as
// [kind.walk] does.
func (t table[T]) each(s WorkspaceTx, o ScanOptions, fn func(T) error, parts ...any) error {
	return t.walk(s, o, func(rest, payload []byte) error {
		v, err := t.decode(payload)
		if err != nil {
			return s.Damaged(t.nameAt(rest), err)
		}
		return fn(v)
	}, parts...)
}

// keys calls fn with the parts of the keys that begin with some parts. It does not look into the records.
func (k kind) keys(s WorkspaceTx, o ScanOptions, fn func(parts []any) error, parts ...any) error {
	if err := k.check(s, parts); err != nil {
		return err
	}
	o.KeysOnly = true
	at := len(k.key(s))
	return s.tx.Scan(k.key(s, parts...), o, func(key, _ []byte) error {
		found, err := k.cut(key[at:])
		if err != nil {
			return s.Damaged(k.nameAt(key[at:]), err)
		}
		return fn(found)
	})
}

// some calls get for each id and fn with the result. It skips missing records, and returns damage at the end.
func some[T any](ids []string, get func(id string) (T, error), fn func(T) error) error {
	var bad []error
	for _, id := range ids {
		v, err := get(id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			continue
		case isDamage(err):
			bad = append(bad, err)
			continue
		case err == nil:
			err = fn(v)
		}
		if errors.Is(err, store.Stop) {
			break
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(bad...)
}
