package store

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
