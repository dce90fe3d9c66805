package kv

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"bugle/store"
	"bugle/store/internal/record"
)

// The number of records of each kind in a workspace is a counter, which changes in the commit that writes them. So what
// a scan did not find is seen, whatever has lost it: a damaged block of a table hides the records in it, and those that
// follow, without an error.

// Counts is the number of records of each kind.
type Counts map[counted]int64

// counted is a kind in a workspace; records outside of workspaces have the workspace "", see [cutKind].
type counted struct {
	workspace string
	kind      byte
}

// Add adds n records of the key's kind.
func (c Counts) Add(key []byte, n int64) {
	workspace, id, _ := cutKind(key)
	c[counted{workspace, id}] += n
}

// changes returns the counts as changes of counters.
func (c Counts) changes() []Count {
	var out []Count
	for of, n := range c {
		if n != 0 {
			out = append(out, Count{of.key(), n})
		}
	}
	return out
}

// countPrefix begins the keys of all counters.
var countPrefix = HiddenKey("count")

func (of counted) key() []byte {
	return append(appendName(slices.Clone(countPrefix), of.workspace), of.kind)
}

// AddCount returns the value of a counter after a change; old is its value before, nil if there is none.
func AddCount(c Count, old []byte) (value []byte, err error) {
	n := int64(0)
	if old != nil {
		if n, err = decodeCount(c.Key, old); err != nil {
			return nil, err
		}
	}
	return EncodeValue(c.Key, binary.AppendVarint(nil, n+c.Delta)), nil
}

func decodeCount(key, value []byte) (int64, error) {
	payload, err := decodeValue(key, value)
	if err != nil {
		return 0, &store.CorruptError{What: "a number of records", Err: err}
	}
	n, size := binary.Varint(payload)
	if size <= 0 {
		return 0, &store.CorruptError{What: "a number of records", Err: errShort}
	}
	return n, nil
}

// complete returns an error if a scan that has found n records of a kind has not found all of them. A transaction that
// writes does not know: it has other records than the store.
func (s rows) complete(k *record.Kind, n int) error {
	t := s.tx
	if t.writes != nil {
		return nil
	}
	key := counted{s.id, k.ID}.key()
	i, err := t.snap.Get(t.ctx, key)
	if err != nil {
		return err
	}
	want := int64(0)
	if i.Version != 0 {
		if want, err = decodeCount(key, i.Value); err != nil {
			return err
		}
	}
	if int64(n) == want {
		return nil
	}
	bad := &store.CorruptError{
		What: fmt.Sprintf("the list of %s in workspace %q", k.Plural, s.id),
		Err:  fmt.Errorf("%d of %d were found", n, want),
	}
	t.driver.Suspect(bad)
	return bad
}

// counts returns all counters of the transaction's snapshot.
func (t *Tx) counts() (Counts, error) {
	out := Counts{}
	err := t.snap.Scan(t.ctx, countPrefix, ScanOptions{}, func(i Item) error {
		workspace, kind, err := cutName(i.Key[len(countPrefix):])
		if err != nil || len(kind) != 1 {
			return nil
		}
		n, err := decodeCount(i.Key, i.Value)
		out[counted{workspace, kind[0]}] = n
		return err
	})
	return out, err
}

// missing says in one sentence for each kind in a workspace how have differs from want.
func (have Counts) missing(want Counts) (out []string) {
	diff := maps.Clone(want)
	for of, n := range have {
		diff[of] -= n
	}
	for of, n := range diff {
		what := "the records of the store"
		if of.workspace != "" {
			what = fmt.Sprintf("the %s of workspace %q", kindOf(of.kind).Plural, of.workspace)
		}
		switch {
		case n > 0:
			out = append(out, fmt.Sprintf("%s do not match their count: %d missing", what, n))
		case n < 0:
			out = append(out, fmt.Sprintf("%s do not match their count: %d too many", what, -n))
		}
	}
	slices.Sort(out)
	return out
}

// Missing says what to lacks of the records that from has written, in a sentence for each kind in a workspace.
func Missing(ctx context.Context, from, to *Store) ([]string, error) {
	var want, have Counts
	of := func(s *Store, out *Counts) error {
		return s.View(ctx, func(t *Tx) (err error) {
			*out, err = t.counts()
			return err
		})
	}
	if err := errors.Join(of(from, &want), of(to, &have)); err != nil {
		return nil, err
	}
	return have.missing(want), nil
}
