package kv

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/record"
)

// kinds are all kinds of records by their ids.
var kinds = byID(campaigns.Kind, summaries.Kind, record.Revisions.Kind, record.Documents.Kind, record.WorkingCopies.Kind,
	record.Dismissals.Kind, record.Users.Kind, identifiers.Kind, &record.Content, record.Messages.Kind, record.TestSends.Kind,
	record.Idempotency.Kind, expiries.Kind, sweeps.Kind, settingsChanges.Kind)

func byID(all ...*record.Kind) map[byte]*record.Kind {
	out := map[byte]*record.Kind{}
	for _, k := range all {
		out[k.ID] = k
	}
	return out
}

// kindOf returns the kind with an id, also of records that this program does not know.
func kindOf(id byte) *record.Kind {
	if k, ok := kinds[id]; ok {
		return k
	}
	return &record.Kind{ID: id, Name: "an unknown record", Plural: "unknown records"}
}

// none is the contents of records that are only keys.
type none struct{}

func onlyKeys(k record.Kind) record.Table[none] {
	return record.Table[none]{
		Kind:   &k,
		Encode: func(none) (record.Row, error) { return record.Row{}, nil },
		Decode: func(record.Row) (none, error) { return none{}, nil },
	}
}

// rows implements [record.Backend]: each record is a value with a checksum under a key.
type rows struct {
	tx *Tx
	id string // of the workspace
}

// ID implements [record.Backend].
func (s rows) ID() string { return s.id }

// key returns the key of a record, or what the keys of all records that begin with some parts have in common.
func (s rows) key(k *record.Kind, parts ...any) []byte {
	if k == settings.Kind {
		return appendName([]byte{rootWorkspace}, s.id)
	}
	key := append(appendName([]byte{rootRecord}, s.id), k.ID)
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
func cut(k *record.Kind, rest []byte) (parts []any, err error) {
	for _, typ := range k.Parts {
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

// Damaged implements [record.Backend]. It is for records whose contents are wrong, never for records that cannot be read at
// the moment: see [store.IsTooManyFiles].
func (s rows) Damaged(k *record.Kind, key []any, err error) error {
	bad := k.Damaged(s.id, key, err)
	s.tx.driver.Suspect(bad)
	return bad
}

// errLost is the damage of a record that is missing although another one proves that it was there, and errOlder that of
// one that is older than another one proves.
var (
	errLost  = errors.New("it is missing")
	errOlder = errors.New("its newest version is lost")
)

// isDamage reports whether err means that a record is damaged or missing. A temporary error is never damage, whatever else
// it wraps.
func isDamage(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.As(err, new(*store.CorruptError))
}

// failed returns the error of a transaction that could not do something with a record.
func (s rows) failed(doing string, k *record.Kind, key []any, err error) error {
	if err == nil || errors.Is(err, store.ErrNotFound) {
		return err
	}
	return fmt.Errorf("%s %s in workspace %q: %w", doing, k.NameOf(key), s.id, err)
}

// Get implements [record.Backend].
func (s rows) Get(k *record.Kind, parts []any) (record.Row, error) {
	key := s.key(k, parts...)
	value, err := s.tx.Get(key)
	if err != nil {
		return record.Row{}, s.failed("reading", k, parts, err)
	}
	row, err := rowOf(k, key, value)
	if err != nil {
		return record.Row{}, s.Damaged(k, parts, err)
	}
	return row, nil
}

// Put implements [record.Backend].
func (s rows) Put(k *record.Kind, parts []any, r record.Row) error {
	key := s.key(k, parts...)
	return s.failed("writing", k, parts, s.tx.Set(key, EncodeValue(key, payloadOf(k, r))))
}

// Delete implements [record.Backend].
func (s rows) Delete(k *record.Kind, parts []any) error {
	return s.failed("deleting", k, parts, s.tx.Delete(s.key(k, parts...)))
}

// Clear implements [record.Backend].
func (s rows) Clear(k *record.Kind, limit int, prefix []any) (n int, err error) {
	err = s.tx.Scan(s.key(k, prefix...), ScanOptions{KeysOnly: true, Limit: limit}, func(key, _ []byte) error {
		n++
		return s.tx.Delete(slices.Clone(key))
	})
	return n, s.failed("deleting", k, prefix, err)
}

// Scan implements [record.Backend]. If it has walked through all records of the kind, it compares their number with the
// count.
func (s rows) Scan(k *record.Kind, o record.Options, prefix []any, fn record.Found) error {
	narrow := ScanOptions{Reverse: o.Reverse, Limit: o.Limit}
	if o.After != nil {
		narrow.From = after(s.key(k, slices.Concat(prefix, o.After)...)) // no key is between the two
	}
	n, whole := 0, len(prefix) == 0 && o.After == nil && o.Limit == 0
	at := len(s.key(k))
	var rest []byte
	parts := func() []any {
		parts, _ := cut(k, rest)
		return parts
	}
	err := s.tx.Scan(s.key(k, prefix...), narrow, func(key, value []byte) error {
		n++
		rest = key[at:]
		row, bad := rowOf(k, key, value)
		err := fn(parts, row, bad)
		whole = whole && err == nil
		return err
	})
	if err == nil && whole {
		err = s.complete(k, n)
	}
	return err
}

// Some implements [record.Backend].
func (s rows) Some(k *record.Kind, ids []string, fn record.Found) error {
	for _, id := range ids {
		key := []any{id}
		row, err := s.Get(k, key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			continue
		case err == nil, isDamage(err):
			err = fn(func() []any { return key }, row, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keys calls fn with the parts of the keys that begin with some parts. It does not look into the records.
func (s rows) keys(k *record.Kind, o ScanOptions, fn func(parts []any) error, prefix ...any) error {
	o.KeysOnly = true
	at := len(s.key(k))
	return s.tx.Scan(s.key(k, prefix...), o, func(key, _ []byte) error {
		found, err := cut(k, key[at:])
		if err != nil {
			return s.Damaged(k, nil, err)
		}
		return fn(found)
	})
}

// SummaryTable implements [record.Backend].
func (s rows) SummaryTable() record.Table[engine.Summary] { return summaries }
