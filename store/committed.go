package store

// Committer is what a [Tx] of an Update can do besides: tell when its changes are there.
type Committer interface {
	// OnCommit has fn called when the changes are durable and seen by all who begin to read, and
	// before Update returns; not at all where Update fails. The functions of all transactions are
	// called one at a time, in the order in which the changes took effect. They must be short, and
	// must not start an Update.
	OnCommit(fn func())
}
