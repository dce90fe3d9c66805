package kv

import (
	"bugle/engine"
)

// Watcher is a transaction that is told which summaries change in it, for who keeps them elsewhere,
// too. What it is told counts once the transaction is committed.
type Watcher interface {
	Tx
	// Summarized is called with a campaign's summary as it is stored.
	Summarized(workspace string, row engine.Summary)
	// Cleared is called when a campaign was removed.
	Cleared(workspace, id string)
}
