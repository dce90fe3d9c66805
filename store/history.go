package store

// How much of a campaign's history stays. Once there are more revisions than both together, every other one of the older
// ones is dropped that left the campaign in the state of the one before it. The first revision stays.
const (
	NewestRevisions = 1000 // the newest ones, which all stay
	OlderRevisions  = 1000
	pruneInterval   = 64 // saves between two times that a history is thinned
)

// ShouldPruneHistory reports whether a campaign's history is to be thinned before it gets revision n.
func ShouldPruneHistory(n int64) bool {
	return n > NewestRevisions+OlderRevisions && n%pruneInterval == 0
}
