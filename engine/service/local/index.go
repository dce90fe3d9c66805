package local

import (
	"context"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/store"
)

var _ index.Indexed = (*Service)(nil)

// indexer maintains the index of the workspace's summaries. It is loaded on demand and follows every commit
// of the service from then on. Until it is complete, the store is scanned.
type indexer struct {
	*reader
	tasks  *tasks
	follow *follower

	mu      sync.Mutex
	ix      *index.Index        // nil until it is requested
	removed map[string]struct{} // deleted campaigns, whose later changes are outdated
	misses  int                 // searches without an index
	loads   int                 // running loads: the index is not complete
}

// scansBeforeIndex is the number of searches that scan the store before the index is built, so that a command
// with one search does not pay for it.
const scansBeforeIndex = 1

// freeMemoryFrom is the number of rows from which a load leaves much garbage.
const freeMemoryFrom = 20_000

// complete returns the index for a search, or nil if it is not complete.
func (x *indexer) complete() *index.Index {
	ix := x.request(1)
	x.mu.Lock()
	defer x.mu.Unlock()
	if ix != x.ix || x.loads > 0 {
		return nil
	}
	return ix
}

// request returns the index, and starts to load it once it was requested often enough.
func (x *indexer) request(weight int) *index.Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ix != nil || x.tasks.ctx.Err() != nil {
		return x.ix
	}
	if x.misses += weight; x.misses <= scansBeforeIndex {
		return nil
	}
	if ix := index.New(index.Options{Now: x.now}); x.load(ix) {
		x.ix, x.removed = ix, map[string]struct{}{}
	}
	return x.ix
}

// load fills or updates the index in the background. Commits during the load are passed to onCommit. It
// returns false after the service has ended.
func (x *indexer) load(ix *index.Index) bool {
	started := x.tasks.start(func(ctx context.Context) {
		err := x.follow.wait(ctx) // writes of others during the load are received
		if err == nil {
			err = x.fill(ctx, ix)
		}
		if err != nil && ctx.Err() == nil {
			x.log.Error("the index was not loaded", "error", err)
		}
		if err != nil {
			x.drop(ix, err)
		}
		x.mu.Lock()
		x.loads--
		x.mu.Unlock()
		if err != nil {
			return
		}
		ix.Warm(ctx)
		if ix.Len() > freeMemoryFrom {
			debug.FreeOSMemory() // what the load has left behind is several times an idle program
		}
	})
	if started {
		x.loads++
	}
	return started
}

// fill reads the summaries, newest campaigns first. Damaged ones are reported and skipped.
func (x *indexer) fill(ctx context.Context, ix *index.Index) error {
	return ix.Load(ctx, func(yield func(engine.Summary, error) bool) {
		err := x.skipDamage(x.db.Read(ctx, func(tx store.Tx) error {
			return tx.Workspace(x.workspace).NewestSummaries(func(sum engine.Summary) error {
				if !yield(sum, nil) {
					return store.Stop
				}
				return nil
			})
		}))
		if err != nil {
			yield(engine.Summary{}, err)
		}
	})
}

// drop discards an incorrect index; a new one is built on demand.
func (x *indexer) drop(ix *index.Index, why error) {
	x.mu.Lock()
	if x.ix == ix {
		x.ix, x.removed, x.misses = nil, nil, 0
	}
	x.mu.Unlock()
	ix.Close(why)
}

// onCommit handles the changes of a committed transaction.
func (x *indexer) onCommit(changes []change) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ix == nil {
		return // a load that begins later reads it
	}
	// Transactions may arrive in another order than that of their commits.
	var put []engine.Summary
	for _, c := range changes {
		switch _, gone := x.removed[c.row.ID]; {
		case c.gone:
			x.removed[c.row.ID] = struct{}{}
			x.ix.Remove(c.row.ID)
		case !gone:
			put = append(put, c.row)
		}
	}
	x.ix.PutNewer(put...)
}

// reread applies the store's current rows of some campaigns.
func (x *indexer) reread(changes []change) {
	x.mu.Lock()
	ix := x.ix
	x.mu.Unlock()
	if ix == nil {
		return
	}
	gone := map[string]struct{}{}
	for _, c := range changes {
		gone[c.row.ID] = struct{}{}
	}
	changes = changes[:0]
	err := x.db.Read(x.tasks.ctx, func(tx store.Tx) error {
		return tx.Workspace(x.workspace).SummariesByID(slices.Collect(maps.Keys(gone)), func(row engine.Summary) error {
			delete(gone, row.ID)
			changes = append(changes, change{row: row})
			return nil
		})
	})
	for id := range gone {
		c := change{gone: true}
		c.row.ID = id
		changes = append(changes, c)
	}
	if err != nil {
		x.drop(ix, err)
		return
	}
	x.onCommit(changes)
}

// reload reads the store again after others changed it.
func (x *indexer) reload() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ix != nil && x.load(x.ix) {
		x.removed = map[string]struct{}{}
	}
}

// close drops the index after all tasks have ended.
func (x *indexer) close() {
	x.mu.Lock()
	ix := x.ix
	x.ix = nil
	x.mu.Unlock()
	if ix != nil {
		ix.Close(nil)
	}
}
