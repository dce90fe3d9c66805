package kv

import (
	"errors"
	"fmt"
	"strings"

	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// WorkspaceTx is the records of one workspace within one transaction. Its methods fail with [store.ErrNotFound] if a
// record does not exist and with a *[store.CorruptError] if it is damaged. Methods that iterate over records continue
// after a damaged one, and return all damage at the end.
type WorkspaceTx struct {
	tx    Tx
	id    string
	watch store.Watcher // nil if nobody watches
	lease string        // of this handle of the store
}

// NewWorkspaceTx returns the records of a workspace. Every method fails if the id is empty or contains spaces or
// unprintable characters.
func NewWorkspaceTx(tx Tx, workspace string) WorkspaceTx { return WorkspaceTx{tx: tx, id: workspace} }

// key returns the key of a record of the workspace.
func (s WorkspaceTx) key(kind byte, names ...string) []byte {
	key := append(appendName([]byte{rootRecord}, s.id), kind)
	for _, n := range names {
		key = appendName(key, n)
	}
	return key
}

// check is [store.CheckIDs] for the workspace.
func (s WorkspaceTx) check(pairs ...string) error { return store.CheckIDs(s.id, pairs...) }

// damaged returns a [store.CorruptError] that names a record. It is for records whose contents are wrong, never for
// records that cannot be read at the moment: see [store.IsTooManyFiles]. A store on disk is told, so that it reads
// everything.
func (s WorkspaceTx) damaged(what string, err error) error {
	bad := store.Damaged(s.id, what, err)
	if d, ok := s.tx.(Suspecter); ok {
		d.Suspect(bad)
	}
	return bad
}

// get returns the payload under key.
func (s WorkspaceTx) get(what string, key []byte) ([]byte, error) {
	value, err := s.tx.Get(key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, store.ErrNotFound
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

func (s WorkspaceTx) put(what string, key, payload []byte) error {
	if err := s.tx.Set(key, EncodeValue(key, payload)); err != nil {
		return fmt.Errorf("writing %s in workspace %q: %w", what, s.id, err)
	}
	return nil
}

func (s WorkspaceTx) delete(what string, key []byte) error {
	if err := s.tx.Delete(key); err != nil {
		return fmt.Errorf("deleting %s in workspace %q: %w", what, s.id, err)
	}
	return nil
}

func (s WorkspaceTx) getJSON(what string, key []byte, v any) error {
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
func (s WorkspaceTx) getRow(what string, key []byte, w any) error {
	payload, err := s.get(what, key)
	if err != nil {
		return err
	}
	if err := wire.DecodeRow(payload, w); err != nil {
		return s.damaged(what, err)
	}
	return nil
}

func (s WorkspaceTx) putJSON(what string, key []byte, v any) error {
	payload, err := wire.Encode(v)
	if err != nil {
		return fmt.Errorf("%s %w", what, err)
	}
	return s.put(what, key, payload)
}

// walk calls fn, which decodes them, with the payloads of the keys that begin with prefix. It collects damage,
// including that which fn returns, and returns it at the end.
func (s WorkspaceTx) walk(what string, prefix []byte, o ScanOptions, fn func(rest, payload []byte) error) error {
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
func (s WorkspaceTx) clear(what string, prefix []byte, limit int) (int, error) {
	n := 0
	err := s.tx.Scan(prefix, ScanOptions{KeysOnly: true, Limit: limit}, func(key, _ []byte) error {
		n++
		return s.delete(what, append([]byte(nil), key...))
	})
	return n, err
}

func (s WorkspaceTx) putWith(what string, key []byte, v any, tree doc.Value) error {
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
