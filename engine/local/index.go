package local

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"sync"

	"bugle/engine"
	"bugle/engine/index"
	"bugle/store"
)

var _ index.Indexed = (*Service)(nil)

// rows keeps the index of the workspace's summaries. It is loaded when it is first wanted, and follows
// every commit of the service from then on. While it is not complete, the store is scanned.
type rows struct {
	mu    sync.Mutex
	ix    *index.Index        // nil until it is wanted
	gone  map[string]struct{} // campaigns that were removed: what is told of them later is older
	asked int                 // searches that found no index
	loads int                 // that go on: the index is not complete
	kept  kept
	keep  KeepIndex

	ctx   context.Context // of what goes on behind the service's calls
	end   context.CancelFunc
	tasks sync.WaitGroup
	ended bool
}

// patience is how many searches scan the store before the index is made: a command that asks once does
// not pay for it.
const patience = 1

// Index gives the index of the workspace, which is loaded in the background; false after Close.
func (s *Service) Index(context.Context) (*index.Index, bool) {
	ix := s.rows.want(s, patience+1)
	return ix, ix != nil
}

// indexed gives the index for a search, nil where it is not complete.
func (s *Service) indexed() *index.Index {
	ix := s.rows.want(s, 1)
	s.rows.mu.Lock()
	defer s.rows.mu.Unlock()
	if ix != s.rows.ix || s.rows.loads > 0 {
		return nil
	}
	return ix
}

// want gives the index, and begins to load it once it was wanted often enough.
func (r *rows) want(s *Service, weight int) *index.Index {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ix != nil || r.ended {
		return r.ix
	}
	if r.asked += weight; r.asked <= patience {
		return nil
	}
	r.ix, r.gone = index.New(index.Options{Now: s.now}), map[string]struct{}{}
	r.load(s, r.ix)
	return r.ix
}

// background does something until it ends, or the service does; false where that has ended.
func (r *rows) background(do func(context.Context)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.tasks.Go(func() { do(r.ctx) })
	return true
}

// load fills the index, or brings it up to date, in the background. What is committed after the load
// has begun to read is told to wrote.
func (r *rows) load(s *Service, ix *index.Index) {
	r.loads++
	r.tasks.Go(func() {
		err := s.restore(r.ctx, ix)
		if err != nil && r.ctx.Err() == nil {
			err = s.fill(r.ctx, ix)
		}
		if err != nil && r.ctx.Err() == nil {
			s.log.Error("the index was not loaded", "error", err)
		}
		if err != nil {
			r.drop(ix, err)
		}
		r.mu.Lock()
		r.loads--
		r.mu.Unlock()
		if err != nil {
			return
		}
		ix.Warm(r.ctx)
		if ix.Len() > manyRows {
			debug.FreeOSMemory() // what the load has left behind is several times an idle program
		}
		s.keepIndex(r.ctx, ix)
	})
}

// manyRows is from how many rows on a load leaves much behind.
const manyRows = 20_000

// fill reads the summaries, the newest campaigns first. A damaged one is logged and left out.
func (s *Service) fill(ctx context.Context, ix *index.Index) error {
	version := uint64(0)
	err := ix.Load(ctx, func(yield func(engine.Summary, error) bool) {
		err := s.db.View(ctx, func(tx store.Tx) error {
			if d, ok := tx.(store.Dated); ok {
				version = d.Version()
			}
			return store.In(tx, s.workspace).NewestSummaries(func(sum engine.Summary) error {
				if !yield(sum, nil) {
					return store.Stop
				}
				return nil
			})
		})
		var corrupt *store.CorruptError
		if errors.As(err, &corrupt) {
			s.log.Error("damaged record", "what", corrupt.What, "error", err)
			err = nil
		}
		if err != nil {
			yield(engine.Summary{}, err)
		}
	})
	if err == nil {
		s.rows.loaded(ix, version, neverKept)
	}
	return err
}

// drop gives an index up; another one is made when it is wanted.
func (r *rows) drop(ix *index.Index, why error) {
	r.mu.Lock()
	if r.ix == ix {
		r.ix, r.gone, r.asked = nil, nil, 0
	}
	r.mu.Unlock()
	ix.Leave(why)
}

// wrote takes what a transaction has changed, as soon as it is committed.
func (r *rows) wrote(changes []change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ix == nil {
		return // a load that begins later reads it
	}
	r.take(changes)
	r.kept.changes += len(changes)
	r.wake()
}

// take puts changes into the index. Transactions may be told of in another order than that of their commits.
func (r *rows) take(changes []change) {
	var put []engine.Summary
	for _, c := range changes {
		switch _, gone := r.gone[c.row.ID]; {
		case c.gone:
			r.gone[c.row.ID] = struct{}{}
			r.ix.Remove(c.row.ID)
		case !gone:
			put = append(put, c.row)
		}
	}
	r.ix.PutNewer(put...)
}

// look puts what the store has of some campaigns into the index, whatever became of changes.
func (s *Service) look(changes []change) {
	s.rows.mu.Lock()
	ix := s.rows.ix
	s.rows.mu.Unlock()
	if ix == nil {
		return
	}
	err := s.db.View(s.rows.ctx, func(tx store.Tx) error {
		for i, c := range changes {
			row, err := store.In(tx, s.workspace).Summary(c.row.ID)
			switch {
			case err == nil:
				changes[i] = change{row: row}
			case errors.Is(err, store.ErrNotFound):
				changes[i].gone = true
			default:
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.rows.drop(ix, err)
		return
	}
	s.rows.wrote(changes)
}

// Reindex brings the index up to date after somebody changed the store behind the service's back, as
// repairs do.
func (s *Service) Reindex() {
	s.updates.Add(1)
	s.rows.mu.Lock()
	defer s.rows.mu.Unlock()
	if s.rows.ix != nil && !s.rows.ended {
		s.rows.gone = map[string]struct{}{}
		s.rows.load(s, s.rows.ix)
	}
}

// Close ends what goes on in the background. Calls work on, but nothing is kept in memory for them.
func (s *Service) Close() error {
	r := &s.rows
	r.mu.Lock()
	ix := r.ix
	r.ix, r.ended = nil, true
	r.mu.Unlock()
	r.end()
	r.tasks.Wait()
	if ix != nil {
		ix.Leave(nil)
	}
	return nil
}

// change is what a transaction does to a campaign's summary.
type change struct {
	row  engine.Summary
	gone bool // the id alone is set
}

// watched is a transaction that notes what it does to summaries.
type watched struct {
	store.Tx
	changes  []change
	settings []byte // the key of the workspace's settings
	settled  bool   // they are written
}

var _ store.Watcher = (*watched)(nil)

func (w *watched) Set(key, value []byte) error {
	w.settled = w.settled || bytes.Equal(key, w.settings)
	return w.Tx.Set(key, value)
}

func (w *watched) Summarized(_ string, row engine.Summary) {
	w.changes = append(w.changes, change{row: row})
}

func (w *watched) Cleared(_, id string) {
	c := change{gone: true}
	c.row.ID = id
	w.changes = append(w.changes, c)
}

// update runs fn in one transaction that changes the workspace's records. Once it is committed, and
// before update returns, searches see what it has changed.
func (s *Service) update(ctx context.Context, fn func(store.Space) error) error {
	var w *watched
	done := false
	err := s.db.Update(ctx, func(tx store.Tx) error {
		w, done = &watched{Tx: tx, settings: s.settingsKey}, false
		err := fn(store.In(w, s.workspace))
		done = err == nil
		return err
	})
	if w != nil && w.settled {
		s.updates.Add(1)
	}
	switch {
	case w == nil || len(w.changes) == 0:
	case err == nil:
		s.rows.wrote(w.changes)
	case done:
		s.look(w.changes) // it failed as it was committed: nobody knows what the store has
	}
	if done && err != nil && !nothingWritten(ctx, err) {
		s.log.Error("store", "error", err)
		if store.NoSpace(err) {
			e := internal(err, "the disk is full (%v), so the change may not have been saved; free some space, then repeat the request with the same Idempotency-Key", err)
			e.HTTP = http.StatusInsufficientStorage
			return e
		}
		return internal(err, "the store failed while writing (%v), so the change may not have been saved; repeat the request with the same Idempotency-Key, or run `bugle doctor`", err)
	}
	return s.explain(ctx, err)
}

// nothingWritten reports whether a change that failed at its end has certainly written nothing.
func nothingWritten(ctx context.Context, err error) bool {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return true
	}
	for _, known := range []error{store.ErrFull, store.ErrTooBig, store.ErrReadOnly, store.ErrClosed} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}
