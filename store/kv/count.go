package kv

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Counts is the number of records of each kind by workspace. The workspace "" counts records outside of workspaces.
type Counts map[string]map[byte]int64

// Counter is a [Tx] of a store that counts its records as it writes them, so that it can detect lost records. Counts
// returns the expected numbers for the transaction's snapshot, or nil if they are unknown.
type Counter interface {
	Counts() (Counts, error)
}

// StaleChecker is a [Tx] of a store that records which parts it has lost. MayBeStale reports whether such a part may
// have held a newer version or the deletion of an existing record.
type StaleChecker interface {
	MayBeStale(key []byte) bool
}

// checkStale reports a campaign that may have lost its newest version.
func (c *checker) checkStale(key []byte) {
	d, ok := c.raw.(StaleChecker)
	if !ok || !IsCampaign(key) || !d.MayBeStale(key) {
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
	if c[workspace] == nil {
		c[workspace] = map[byte]int64{}
	}
	if c[workspace][kind] += n; c[workspace][kind] == 0 {
		delete(c[workspace], kind)
	}
}

// AddAll adds n times the counts of other.
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
}

// Differences describes where the counts differ from want, in one sentence per workspace. It returns nothing if they
// are equal.
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
