package store

import (
	"fmt"

	"bugle/engine"
)

// Limits of a campaign's history. When a campaign has more revisions than both limits together, every other older
// revision that did not change the campaign's state is removed. The first revision is always kept.
const (
	NewestRevisions = 1000 // the newest revisions, which are all kept
	OlderRevisions  = 1000
	pruneInterval   = 64 // prune the history once per this many saves
)

// ShouldPruneHistory reports whether to prune a campaign's history before saving revision n.
func ShouldPruneHistory(n int64) bool {
	return n > NewestRevisions+OlderRevisions && n%pruneInterval == 0
}

// NextRevision returns the number of the revision that follows the last one of a campaign (0: there is none), and the number
// of the one that it replaces: 0, or the last one if the two are coalesced. The first revision, which is the campaign as it
// was created, is never replaced.
func NextRevision(last int64, coalesce bool) (n, replaced int64) {
	if coalesce && last > 1 {
		replaced = last
	}
	return last + 1, replaced
}

// SetRevision makes a campaign, its summary and the description of the change those of revision n.
func SetRevision(c *engine.Campaign, sum *engine.Summary, rev *engine.Revision, n int64) error {
	if sum.ID != c.ID {
		return fmt.Errorf("campaign %q cannot have the summary of campaign %q", c.ID, sum.ID)
	}
	c.Revision, sum.Revision = n, n
	rev.N, rev.Size = n, c.Body.Size()
	return nil
}

// pruneBatch is the most revisions that one save removes, which keeps its transaction small.
const pruneBatch = 250

// PrunedRevisions returns which of a campaign's revisions, given by their numbers in ascending order, to remove: every other
// one before the newest [NewestRevisions] that has the same state as the one before it. sameState reports that of two
// revisions.
func PrunedRevisions(all []int64, sameState func(before, n int64) (bool, error)) (pruned []int64, err error) {
	if len(all) <= NewestRevisions+OlderRevisions {
		return nil, nil
	}
	older := all[:len(all)-NewestRevisions]
	for i := 1; i < len(older) && len(pruned) < pruneBatch; i += 2 {
		same, err := sameState(older[i-1], older[i])
		if err != nil {
			return nil, err
		}
		if same {
			pruned = append(pruned, older[i])
		}
	}
	return pruned, nil
}
