package local

import (
	"context"
	"errors"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/store"
)

var _ index.Indexed = (*Service)(nil)

// indexer keeps the index of the workspace's summaries. It is loaded when it is first wanted, and follows
// every commit of the service from then on. While it is not complete, the store is scanned.
type indexer struct {
	*reader
	tasks  *tasks
	follow *follower
	keep   KeepIndex

	mu      sync.Mutex
	ix      *index.Index        // nil until it is wanted
	removed map[string]struct{} // campaigns that were removed: what comes of them later is older
	misses  int                 // searches that found no index
	loads   int                 // that go on: the index is not complete
	saved   savedIndex
}

// scansBeforeIndex is how many searches scan the store before the index is made: a command that asks once does
// not pay for it.
const scansBeforeIndex = 1

// freeMemoryFrom is from how many rows on a load leaves much behind.
const freeMemoryFrom = 20_000

// complete returns the index for a search, nil where it is not complete.
func (x *indexer) complete() *index.Index {
	ix := x.request(1)
	x.mu.Lock()
	defer x.mu.Unlock()
	if ix != x.ix || x.loads > 0 {
		return nil
	}
	return ix
}

// request returns the index, and begins to load it once it was wanted often enough.
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

// load fills the index, or brings it up to date, in the background. What is committed after the load
// has begun to read is told to wrote. It reports false where the service has ended.
func (x *indexer) load(ix *index.Index) bool {
	started := x.tasks.start(func(ctx context.Context) {
		err := x.follow.wait(ctx) // what others write while it is read is told
		if err == nil {
			err = x.restore(ctx, ix)
		}
		if err != nil && ctx.Err() == nil {
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
		x.saveWhenIdle(ctx, ix)
	})
	if started {
		x.loads++
	}
	return started
}

// fill reads the summaries, the newest campaigns first. A damaged one is logged and left out.
func (x *indexer) fill(ctx context.Context, ix *index.Index) error {
	version := uint64(0)
	err := ix.Load(ctx, func(yield func(engine.Summary, error) bool) {
		err := x.db.Read(ctx, func(tx store.Tx) error {
			version = tx.Version()
			return tx.Workspace(x.workspace).NewestSummaries(func(sum engine.Summary) error {
				if !yield(sum, nil) {
					return store.Stop
				}
				return nil
			})
		})
		var corrupt *store.CorruptError
		if errors.As(err, &corrupt) {
			x.log.Error("damaged record", "what", corrupt.What, "error", err)
			err = nil
		}
		if err != nil {
			yield(engine.Summary{}, err)
		}
	})
	if err == nil {
		x.loaded(ix, version, neverSaved)
	}
	return err
}

// drop forgets an index that is not right; another one is made when it is wanted.
func (x *indexer) drop(ix *index.Index, why error) {
	x.mu.Lock()
	if x.ix == ix {
		x.ix, x.removed, x.misses = nil, nil, 0
	}
	x.mu.Unlock()
	ix.Close(why)
}

// onCommit takes what a transaction has changed, as soon as it is committed.
func (x *indexer) onCommit(changes []change) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ix == nil {
		return // a load that begins later reads it
	}
	x.apply(changes)
	x.saved.changes += len(changes)
	x.wake()
}

// apply puts changes into the index. Transactions may come in another order than that of their commits.
func (x *indexer) apply(changes []change) {
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

// reread puts what the store has of some campaigns into the index, whatever became of changes.
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

// reload reads the store again, which others have changed.
func (x *indexer) reload() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ix != nil && x.load(x.ix) {
		x.removed = map[string]struct{}{}
	}
}

// close drops the index, once all tasks have ended.
func (x *indexer) close() {
	x.mu.Lock()
	ix := x.ix
	x.ix = nil
	x.mu.Unlock()
	if ix != nil {
		ix.Close(nil)
	}
}
