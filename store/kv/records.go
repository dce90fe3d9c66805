package kv

import (
	"errors"
	"fmt"
	"strings"

	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// records reads and writes records of any kind of one workspace in one transaction.
type records struct {
	tx    Tx
	id    string
	watch store.Watcher // nil if nobody watches
	lease string        // of this handle of the store
}

// key returns the key of a record of the workspace.
func (s *records) key(kind byte, names ...string) []byte {
	key := append(appendName([]byte{rootRecord}, s.id), kind)
	for _, n := range names {
		key = appendName(key, n)
	}
	return key
}

// check returns an error for ids that no record can have. pairs alternate between a description and an id.
func (s *records) check(pairs ...string) error {
	if err := checkWorkspace(s.id); err != nil {
		return err
	}
	for i := 0; i < len(pairs); i += 2 {
		if err := checkName(pairs[i], pairs[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// damaged returns a [store.CorruptError] that names a record. It is for records whose contents are wrong, never for
// records that cannot be read at the moment: see [store.IsTooManyFiles].
func (s *records) damaged(what string, err error) error {
	return &store.CorruptError{What: fmt.Sprintf("%s in workspace %q", what, s.id), Err: err}
}

// get returns the payload under key.
func (s *records) get(what string, key []byte) ([]byte, error) {
	value, err := s.tx.Get(key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, store.ErrNotFound
	}
	if errors.Is(err, store.ErrDataLost) && isDamage(err) {
		return nil, s.damaged(what, err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s in workspace %q: %w", what, s.id, err)
	}
	payload, err := decodeValue(key, value)
	if err != nil {
		return nil, s.damaged(what, err)
	}
	return payload, nil
}

func (s *records) put(what string, key, payload []byte) error {
	if err := s.tx.Set(key, EncodeValue(key, payload)); err != nil {
		return fmt.Errorf("writing %s in workspace %q: %w", what, s.id, err)
	}
	return nil
}

func (s *records) delete(what string, key []byte) error {
	if err := s.tx.Delete(key); err != nil {
		return fmt.Errorf("deleting %s in workspace %q: %w", what, s.id, err)
	}
	return nil
}

func (s *records) getJSON(what string, key []byte, v any) error {
	payload, err := s.get(what, key)
	if err != nil {
		return err
	}
	if err := wire.Decode(payload, v); err != nil {
		return s.damaged(what, err)
	}
	return nil
}

// getRow is getJSON for the types that [wire.DecodeRow] decodes.
func (s *records) getRow(what string, key []byte, w any) error {
	payload, err := s.get(what, key)
	if err != nil {
		return err
	}
	if err := wire.DecodeRow(payload, w); err != nil {
		return s.damaged(what, err)
	}
	return nil
}

func (s *records) putJSON(what string, key []byte, v any) error {
	payload, err := wire.Encode(v)
	if err != nil {
		return fmt.Errorf("%s %w", what, err)
	}
	return s.put(what, key, payload)
}

// walk calls fn, which decodes them, with the payloads of the keys that begin with prefix. It collects damage,
// including that which fn returns, and returns it at the end.
func (s *records) walk(what string, prefix []byte, o ScanOptions, fn func(rest, payload []byte) error) error {
	var bad []error
	err := s.tx.Scan(prefix, o, func(key, value []byte) error {
		rest := key[len(prefix):]
		payload, err := decodeValue(key, value)
		if err == nil {
			err = fn(rest, payload)
		} else {
			err = s.damaged(what+" "+label(rest), err)
		}
		if errors.As(err, new(*store.CorruptError)) {
			bad = append(bad, err)
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(bad...)
}

// label formats the names in a key for messages.
func label(rest []byte) string {
	var names []string
	for len(rest) > 0 {
		name, more, err := cutName(rest)
		if err != nil {
			if n, _, err := cutNumber(rest); err == nil {
				names = append(names, fmt.Sprint(n))
			}
			break
		}
		names, rest = append(names, fmt.Sprintf("%q", name)), more
	}
	return strings.Join(names, " ")
}

// clear deletes the first keys that begin with prefix, at most limit of them; 0 means all. It returns their number.
func (s *records) clear(what string, prefix []byte, limit int) (int, error) {
	n := 0
	err := s.tx.Scan(prefix, ScanOptions{KeysOnly: true, Limit: limit}, func(key, _ []byte) error {
		n++
		return s.delete(what, append([]byte(nil), key...))
	})
	return n, err
}

func (s *records) putWith(what string, key []byte, v any, tree doc.Value) error {
	payload, err := wire.EncodeWith(v, tree)
	if err != nil {
		return fmt.Errorf("%s %w", what, err)
	}
	return s.put(what, key, payload)
}

// each calls get for each id and fn with the result. It skips missing records, and returns damage at the end.
func each[T any](ids []string, get func(id string) (T, error), fn func(T) error) error {
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
