package kv

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bugle/store"
)

// The number of records of each kind in a workspace is a counter, which changes in the commit that writes them. So what
// a scan did not find is seen, whatever has lost it: a damaged block of a table hides the records in it, and those that
// follow, without an error.

// Counts is the number of records of each kind by workspace. The workspace "" counts records outside of workspaces.
type Counts map[string]map[byte]int64

// Add adds n records of the key's kind.
func (c Counts) Add(key []byte, n int64) {
	workspace, kind := "", byte(0)
	if len(key) > 0 {
		kind = key[0]
	}
	if kind == rootRecord {
		if name, rest, err := cutName(key[1:]); err == nil && len(rest) > 0 {
			workspace, kind = name, rest[0]
		}
	}
	c.add(workspace, kind, n)
}

func (c Counts) add(workspace string, kind byte, n int64) {
	if c[workspace] == nil {
		c[workspace] = map[byte]int64{}
	}
	if c[workspace][kind] += n; c[workspace][kind] == 0 {
		delete(c[workspace], kind)
	}
}

// changes returns the counts as changes of counters.
func (c Counts) changes() []Count {
	var out []Count
	for workspace, kinds := range c {
		for kind, n := range kinds {
			out = append(out, Count{countKey(workspace, kind), n})
		}
	}
	return out
}

// countPrefix begins the keys of all counters.
var countPrefix = HiddenKey("count")

func countKey(workspace string, kind byte) []byte {
	return append(appendName(slices.Clone(countPrefix), workspace), kind)
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
		return 0, &store.CorruptError{What: "a number of records", Err: errors.New("it is cut short")}
	}
	return n, nil
}

// complete returns an error if a scan that has found n records of a kind has not found all of them. A transaction that
// writes does not know: it has other records than the store.
func (s WorkspaceTx) complete(kind byte, n int) error {
	t, ok := s.tx.(*tx)
	if !ok || t.writes != nil {
		return nil
	}
	key := countKey(s.id, kind)
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
	return s.damaged("the list of "+kindNames[kind][1], fmt.Errorf("%d of %d were found", n, want))
}

// counts returns all counters of the transaction's snapshot.
func (t *tx) counts() (Counts, error) {
	out := Counts{}
	err := t.snap.Scan(t.ctx, countPrefix, ScanOptions{}, func(i Item) error {
		workspace, kind, err := cutName(i.Key[len(countPrefix):])
		if err != nil || len(kind) != 1 {
			return nil
		}
		n, err := decodeCount(i.Key, i.Value)
		out.add(workspace, kind[0], n)
		return err
	})
	return out, err
}

// kindNames names the kinds of records in singular and plural.
var kindNames = map[byte][2]string{
	kindCampaign:         {"campaign", "campaigns"},
	kindSummary:          {"campaign summary", "campaign summaries"},
	kindRevision:         {"history entry", "history entries"},
	kindRevisionDocument: {"earlier version", "earlier versions"},
	kindCopy:             {"working copy", "working copies"},
	kindDismissed:        {"list of dismissed warnings", "lists of dismissed warnings"},
	kindIdempotency:      {"idempotency key", "idempotency keys"},
	kindRequest:          {"request id", "request ids"},
	kindOutbox:           {"outbox message", "outbox messages"},
	kindProfile:          {"user", "users"},
	kindTest:             {"test send", "test sends"},
	kindContent:          {"content item", "content items"},
	rootWorkspace:        {"workspace", "workspaces"},
}

// missing says in one sentence per workspace how have differs from want. It returns nothing if they are equal.
func (have Counts) missing(want Counts) []string {
	diff := Counts{}
	for sign, counts := range map[int64]Counts{1: want, -1: have} {
		for workspace, kinds := range counts {
			for kind, n := range kinds {
				diff.add(workspace, kind, sign*n)
			}
		}
	}
	var out []string
	for _, workspace := range slices.Sorted(maps.Keys(diff)) {
		var parts []string
		other := int64(0)
		for _, kind := range slices.Sorted(maps.Keys(diff[workspace])) {
			if names, ok := kindNames[kind]; ok {
				parts = append(parts, amount(diff[workspace][kind], names))
			} else {
				other += diff[workspace][kind]
			}
		}
		if other != 0 {
			parts = append(parts, amount(other, [2]string{"other record", "other records"}))
		}
		if len(parts) == 0 {
			continue
		}
		where := "the store"
		if workspace != "" {
			where = fmt.Sprintf("workspace %q", workspace)
		}
		out = append(out, fmt.Sprintf("records in %s are missing: %s", where, strings.Join(parts, ", ")))
	}
	return out
}

// amount formats the number of records that are missing; a negative one is too many.
func amount(n int64, names [2]string) string {
	what := "missing"
	if n < 0 {
		what, n = "too many", -n
	}
	name := names[1]
	if n == 1 {
		name = names[0]
	}
	return fmt.Sprintf("%d %s %s", n, name, what)
}

// Missing says what to lacks of the records that from has written, in a sentence for each workspace.
func Missing(ctx context.Context, from, to *Store) ([]string, error) {
	var want, have Counts
	of := func(s *Store, out *Counts) error {
		return s.View(ctx, func(t Tx) (err error) {
			*out, err = t.(*tx).counts()
			return err
		})
	}
	if err := errors.Join(of(from, &want), of(to, &have)); err != nil {
		return nil, err
	}
	return have.missing(want), nil
}
