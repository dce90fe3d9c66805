package kv

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Counts is how many records there are of each kind, by workspace; the workspace "" has what belongs to none.
type Counts map[string]map[byte]int64

// Counter is a [Tx] of a store that counts its records as they are written, so that it knows when some of them
// are gone. Counts returns how many there have to be in what the transaction sees; nil where that is not known.
type Counter interface {
	Counts() (Counts, error)
}

// Doubter is a [Tx] of a store that knows of parts that it has lost. Doubtful reports whether a record that is
// there may have been newer, or deleted, in such a part.
type Doubter interface {
	Doubtful(key []byte) bool
}

// doubtful reports a campaign that may be older than it was.
func (c *checker) doubtful(key []byte) {
	d, ok := c.raw.(Doubter)
	if !ok || !IsCampaign(key) || !d.Doubtful(key) {
		return
	}
	workspace, rest, err := cutName(key[1:])
	if err != nil {
		return
	}
	id, _, err := cutName(rest[1:])
	if err != nil {
		return
	}
	c.found(Finding{Workspace: workspace, Campaign: id, Advice: adviceOne,
		What: fmt.Sprintf("campaign %q in workspace %q may be out of date or deleted: a part of the store that may have had a newer version is lost", id, workspace)})
}

// Add counts n records more of the kind that the key has.
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
	if c[workspace] == nil {
		c[workspace] = map[byte]int64{}
	}
	if c[workspace][kind] += n; c[workspace][kind] == 0 {
		delete(c[workspace], kind)
	}
}

// AddAll counts all of other, n times.
func (c Counts) AddAll(other Counts, n int64) {
	for workspace, kinds := range other {
		if c[workspace] == nil {
			c[workspace] = map[byte]int64{}
		}
		for kind, have := range kinds {
			if c[workspace][kind] += n * have; c[workspace][kind] == 0 {
				delete(c[workspace], kind)
			}
		}
	}
}

// kindNames are the kinds of records in words, for one and for many.
var kindNames = map[byte][2]string{
	kindCampaign:   {"campaign", "campaigns"},
	kindSummary:    {"campaign summary", "campaign summaries"},
	kindRevision:   {"history entry", "history entries"},
	kindVersion:    {"earlier version", "earlier versions"},
	kindCopy:       {"working copy", "working copies"},
	kindDismissed:  {"list of dismissed warnings", "lists of dismissed warnings"},
	kindIdempotent: {"idempotency key", "idempotency keys"},
	kindRequest:    {"request id", "request ids"},
	kindOutbox:     {"outbox message", "outbox messages"},
	kindProfile:    {"user", "users"},
	kindTest:       {"test send", "test sends"},
	kindContent:    {"content item", "content items"},
}

// Differences says, a sentence for each workspace, where the records that were counted are others than those
// that there have to be; none where they are the same.
func (c Counts) Differences(want Counts) []string {
	both := Counts{}
	both.AddAll(c, 1)
	both.AddAll(want, -1)
	var out []string
	for _, workspace := range slices.Sorted(maps.Keys(both)) {
		var parts []string
		other := int64(0)
		for _, kind := range slices.Sorted(maps.Keys(both[workspace])) {
			diff := both[workspace][kind]
			names, ok := kindNames[kind]
			switch {
			case !ok || workspace == "":
				other += diff
			default:
				parts = append(parts, amount(diff, names))
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

func amount(diff int64, names [2]string) string {
	what, n := "missing", -diff
	if diff > 0 {
		what, n = "too many", diff
	}
	name := names[1]
	if n == 1 {
		name = names[0]
	}
	return fmt.Sprintf("%d %s %s", n, name, what)
}
