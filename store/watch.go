package store

import "bugle/engine"

// Watcher is a transaction that is told which summaries change in it, for who keeps them elsewhere,
// too. What it is told counts once the transaction is committed.
type Watcher interface {
	Tx
	// Summarized tells of a campaign's summary as it is stored.
	Summarized(workspace string, row engine.Summary)
	// Cleared tells that a campaign was removed.
	Cleared(workspace, id string)
}

func (s Space) summarized(row engine.Summary) {
	if w, ok := s.tx.(Watcher); ok {
		w.Summarized(s.id, row)
	}
}

func (s Space) cleared(id string) {
	if w, ok := s.tx.(Watcher); ok {
		w.Cleared(s.id, id)
	}
}
