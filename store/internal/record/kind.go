// Package record has the records of workspaces as all stores keep them: their kinds, what is encoded of each, and the rules
// about them. A store has a [Backend], which knows nothing of what is in a record, and embeds [Workspace], which is the
// records of a workspace over it. What only one store does is a method of that store.
package record

import (
	"errors"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/store"
)

// Kind is one kind of records. The key of a record is its workspace, its kind, and the parts that the kind names.
type Kind struct {
	ID     byte     // in the keys of a folder; it must never change
	Parts  string   // the types of the parts: s is a string, n an int64, t a time.Time
	IDs    []string // what the first of the parts are, in messages; ids are checked
	Name   string   // names a record in messages: a format for the parts
	Plural string   // names records in messages

	Table   string   // in a database; only a folder has the kinds that have none
	Columns []string // of the parts
	Other   string   // a column that statements of its own use, see [Row]
	Body    bool     // the records have a document
	// Alone is with how many of its parts a key is used by one writing transaction at a time: what it reads later must not
	// be older than what it has found under that key.
	Alone int

	Change store.Kind // what is published when a record is written; empty: nothing
}

// Row is a record as it is stored.
type Row struct {
	Record []byte
	Body   []byte // a document, exactly as it came
	Other  any    // what the column has that [Kind.Other] names; it is not read again
}

// Options narrow a scan.
type Options struct {
	Reverse bool
	After   []any // the parts, after those that all have in common, behind which to start
	Limit   int   // at most that many records; 0 means all
}

// Backend is the records of one workspace within one transaction of a store. It wraps damage with [Backend.Damaged], and
// returns [store.ErrNotFound] where there is no record.
type Backend interface {
	// ID returns the workspace's id.
	ID() string
	Get(k *Kind, key []any) (Row, error)
	// Put stores a record over an earlier one.
	Put(k *Kind, key []any, r Row) error
	// Delete removes a record, if there is one.
	Delete(k *Kind, key []any) error
	// Clear removes the first records whose keys begin with some parts, at most limit of them; 0 means all.
	Clear(k *Kind, limit int, prefix []any) (n int, err error)
	// Scan calls fn with the key and the row of each record whose key begins with some parts, in key order, until fn
	// returns an error. It calls fn with what is wrong with the row, if it knows.
	Scan(k *Kind, o Options, prefix []any, fn Found) error
	// Some is like Scan for the records with some ids, in any order. It skips those that do not exist.
	Some(k *Kind, ids []string, fn Found) error
	// Damaged returns the error for a damaged record.
	Damaged(k *Kind, key []any, err error) error

	// SummaryTable returns the kind of summaries, which stores encode in different ways.
	SummaryTable() Table[engine.Summary]
	// LastRevision returns the revision number of a campaign, 0 for a new one.
	LastRevision(id string) (int64, error)
	// PutIdempotency stores the record of a key. It fails with [store.ErrLeaseExpired] if another process has taken over the
	// work that is marked with its lease.
	PutIdempotency(i store.IdempotencyRecord) error
	// PutCurrent stores the current version of a campaign with its summary.
	PutCurrent(c engine.Campaign, sum engine.Summary) error
}

// Found is called with a record. The key is only made where it is needed.
type Found func(key func() []any, r Row, bad error) error

// NameOf names a record in messages. Its key may be unknown.
func (k *Kind) NameOf(key []any) string {
	switch {
	case len(key) < len(k.Parts):
		return "one of the " + k.Plural
	case !strings.Contains(k.Name, "%"):
		return k.Name
	}
	return fmt.Sprintf(k.Name, key...)
}

// Damaged returns the error for a damaged record of a workspace.
func (k *Kind) Damaged(workspace string, key []any, err error) error {
	bad := &store.CorruptError{What: fmt.Sprintf("%s in workspace %q", k.NameOf(key), workspace), Err: err}
	if len(key) > 0 && len(k.IDs) > 0 && k.IDs[0] == whatCampaign {
		bad.Campaign = key[0].(string)
	}
	return bad
}

// Changed returns the change to publish when a record is written, and false if there is none.
func (k *Kind) Changed(workspace string, key []any) (c store.Change, ok bool) {
	c = store.Change{Workspace: workspace, Kind: k.Change}
	if len(key) > 0 && (c.Kind == store.ChangedCampaign || c.Kind == store.ChangedUser) {
		c.ID = key[0].(string)
	}
	return c, c.Kind != ""
}

// check returns an error if no record can have a key.
func (k *Kind) check(b Backend, key []any) error {
	var pairs []string
	for i, what := range k.IDs[:min(len(k.IDs), len(key))] {
		pairs = append(pairs, what, key[i].(string))
	}
	return store.CheckIDs(b.ID(), pairs...)
}

// Delete removes a record, if there is one.
func (k *Kind) Delete(b Backend, key ...any) error {
	if err := k.check(b, key); err != nil {
		return err
	}
	return b.Delete(k, key)
}

// Clear removes the first records whose keys begin with some parts, at most limit of them; 0 means all. It returns their
// number.
func (k *Kind) Clear(b Backend, limit int, prefix ...any) (n int, err error) {
	if err := k.check(b, prefix); err != nil {
		return 0, err
	}
	return b.Clear(k, limit, prefix)
}

// Remove removes all records whose keys begin with some parts. It fails with [store.ErrNotFound] if there are none.
func (k *Kind) Remove(b Backend, prefix ...any) error {
	n, err := k.Clear(b, 0, prefix...)
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	return err
}

// Has reports whether there is a record, without looking into it.
func (k *Kind) Has(b Backend, key ...any) (bool, error) {
	if err := k.check(b, key); err != nil {
		return false, err
	}
	_, err := b.Get(k, key)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	case errors.As(err, new(*store.CorruptError)):
		return true, nil
	}
	return err == nil, err
}

// Table is a kind with what its records contain.
type Table[T any] struct {
	*Kind
	Encode func(T) (Row, error)
	Decode func(Row) (T, error)
}

// Get returns a record.
func (t Table[T]) Get(b Backend, key ...any) (v T, err error) {
	if err := t.check(b, key); err != nil {
		return v, err
	}
	row, err := b.Get(t.Kind, key)
	if err != nil {
		return v, err
	}
	if v, err = t.Decode(row); err != nil {
		var zero T
		return zero, b.Damaged(t.Kind, key, err)
	}
	return v, nil
}

// Put stores a record over an earlier one.
func (t Table[T]) Put(b Backend, v T, key ...any) error {
	if err := t.check(b, key); err != nil {
		return err
	}
	row, err := t.Encode(v)
	if err != nil {
		return fmt.Errorf("%s %w", t.NameOf(key), err)
	}
	return b.Put(t.Kind, key, row)
}

// Each calls fn with the records whose keys begin with some parts, as [Backend.Scan] does. It continues after damage, and
// returns that at the end.
func (t Table[T]) Each(b Backend, o Options, fn func(T) error, prefix ...any) error {
	if err := t.check(b, prefix); err != nil {
		return err
	}
	return t.sound(b, fn, func(found Found) error { return b.Scan(t.Kind, o, prefix, found) })
}

// Some calls fn with the records with some ids, as [Backend.Some] does. It continues after damage, and returns that at the
// end.
func (t Table[T]) Some(b Backend, ids []string, fn func(T) error) error {
	for _, id := range ids {
		if err := t.check(b, []any{id}); err != nil {
			return err
		}
	}
	return t.sound(b, fn, func(found Found) error { return b.Some(t.Kind, ids, found) })
}

// sound calls fn with those records of a scan that are not damaged.
func (t Table[T]) sound(b Backend, fn func(T) error, scan func(Found) error) error {
	var damage []error
	err := scan(func(key func() []any, r Row, bad error) error {
		var v T
		if bad == nil {
			v, bad = t.Decode(r)
		}
		if bad != nil {
			if !errors.As(bad, new(*store.CorruptError)) {
				bad = b.Damaged(t.Kind, key(), bad)
			}
			damage = append(damage, bad)
			return nil
		}
		return fn(v)
	})
	switch {
	case errors.Is(err, store.Stop):
		err = nil
	case err != nil && !errors.As(err, new(*store.CorruptError)):
		return err
	}
	return errors.Join(append(damage, err)...)
}

// All returns the records whose keys begin with some parts, without those that are damaged, and the damage.
func (t Table[T]) All(b Backend, o Options, prefix ...any) (all []T, err error) {
	err = t.Each(b, o, func(v T) error { all = append(all, v); return nil }, prefix...)
	return all, err
}
