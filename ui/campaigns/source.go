package campaigns

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/index"
	"bugle/ui/screen"
)

// source loads the rows of a service into an index: the service's own, if it maintains one in this process, or
// else one of the source's.
type source struct {
	service engine.Service
	now     func() time.Time

	mu   sync.Mutex
	rows ownedIndex // the index being searched
	next ownedIndex // the index being loaded to replace it; nil if there is none
}

// ownedIndex is an index, and whether the service maintains it.
type ownedIndex struct {
	*index.Index
	shared bool
}

func newSource(service engine.Service, now func() time.Time) *source {
	s := &source{service: service, now: now}
	s.rows.Index = s.empty()
	return s
}

func (s *source) empty() *index.Index { return index.New(index.Options{Now: s.now}) }

// index returns the index to search.
func (s *source) index() *index.Index {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows.Index
}

// sharedIndexLost reports whether the shared index is no longer updated because another process owns the store.
func (s *source) sharedIndexLost() bool {
	select {
	case <-s.index().Closed():
		return true
	default:
		return false
	}
}

// begin sets the index to load. It is searched at once if there are no other rows.
func (s *source) begin(ix ownedIndex) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ix == s.rows || s.rows.Len() == 0 {
		s.rows, s.next = ix, ownedIndex{}
	} else {
		s.next = ix
	}
}

// complete makes the loaded index the one to search.
func (s *source) complete(ix ownedIndex) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.next = ix, ownedIndex{}
}

// ownIndex returns the source's own index, creating it if needed.
func (s *source) ownIndex() ownedIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows.shared {
		return ownedIndex{Index: s.empty()}
	}
	return s.rows
}

// pageLister is a service that lists campaigns page by page.
type pageLister interface {
	Pages(context.Context, engine.ListQuery) iter.Seq2[[]engine.Summary, error]
}

// loadProgress reports how many rows can be searched, or that all are loaded.
type loadProgress struct {
	rows     int
	complete bool
}

// load loads all rows and reports its progress.
func (s *source) load(ctx context.Context, emit func(loadProgress)) error {
	for {
		ix, ok := index.For(ctx, s.service)
		if !ok {
			return s.loadAll(ctx, s.ownIndex(), emit)
		}
		err := s.waitForShared(ctx, ownedIndex{ix, true}, emit)
		if !errors.Is(err, index.ErrClosed) {
			return err
		}
	}
}

// waitForShared waits until the service's index is loaded.
func (s *source) waitForShared(ctx context.Context, ix ownedIndex, emit func(loadProgress)) error {
	s.begin(ix)
	for n := 0; ; {
		rows, complete, err := ix.Wait(ctx, n)
		if err != nil {
			return err
		}
		if complete {
			break
		}
		n = rows
		emit(loadProgress{rows: n})
	}
	s.complete(ix)
	emit(loadProgress{complete: true})
	return nil
}

// loadAll loads all rows of the service. Over a network, the first load can be searched while it runs.
func (s *source) loadAll(ctx context.Context, ix ownedIndex, emit func(loadProgress)) error {
	s.begin(ix)
	n, next := 0, firstProgress
	var failed error // the service's own message
	err := ix.Load(ctx, func(yield func(engine.Summary, error) bool) {
		for page, err := range s.pages(ctx, ix.Index) {
			if err != nil {
				failed = err
				yield(engine.Summary{}, err)
				return
			}
			for i := range page {
				if !yield(page[i], nil) {
					return
				}
				if n++; n >= next {
					emit(loadProgress{rows: n})
					next = n + nextProgress
				}
			}
			if n < maxImmediateRows {
				emit(loadProgress{rows: n})
			}
		}
	})
	if err == nil {
		s.complete(ix)
		emit(loadProgress{complete: true})
		ix.Warm(ctx)
	}
	return cmp.Or(failed, err)
}

// Times between progress reports.
const (
	firstProgress = 2_000
	nextProgress  = 100_000
)

// maxImmediateRows is how many rows are shown page by page.
const maxImmediateRows = 600

// pages returns the service's rows, including archived ones, in the fastest way that it supports.
func (s *source) pages(ctx context.Context, ix *index.Index) iter.Seq2[[]engine.Summary, error] {
	if p, ok := s.service.(pageLister); ok {
		return showFirstPages(ix, p.Pages(ctx, engine.ListQuery{Archived: true}))
	}
	if lister, ok := s.service.(engine.Lister); ok {
		return func(yield func([]engine.Summary, error) bool) {
			yield(lister.List(ctx, engine.ListQuery{Archived: true}))
		}
	}
	return showFirstPages(ix, searchPages(ctx, s.service))
}

// showFirstPages passes pages on, and adds the first ones to the index at once, because loading in bulk waits
// for more rows than a page over a network has.
func showFirstPages(ix *index.Index, pages iter.Seq2[[]engine.Summary, error]) iter.Seq2[[]engine.Summary, error] {
	if ix.Len() > 0 {
		return pages
	}
	return func(yield func([]engine.Summary, error) bool) {
		n := 0
		for page, err := range pages {
			if n += len(page); err == nil && n < maxImmediateRows {
				ix.Put(page...)
			}
			if !yield(page, err) {
				return
			}
		}
	}
}

// searchPages searches for all campaigns of a service that cannot list.
func searchPages(ctx context.Context, service engine.Service) iter.Seq2[[]engine.Summary, error] {
	return func(yield func([]engine.Summary, error) bool) {
		for page := 1; ; {
			found, err := service.Search(ctx, engine.SearchRequest{
				Status: catalog.States, Children: true, Archived: true, Limit: engine.PageSize, Page: page,
			})
			if e := engine.AsError(err); e != nil && e.Code == engine.RateLimited && e.RetryAfter > 0 {
				err = screen.Pause(ctx, e.RetryAfter)
				if err == nil {
					continue
				}
			}
			rows := make([]engine.Summary, len(found))
			for i, c := range found {
				rows[i] = engine.Summarize(c)
			}
			if !yield(rows, err) || err != nil || len(found) < engine.PageSize {
				return
			}
			page++
		}
	}
}

// refresh reloads some campaigns and removes deleted ones. The service's own index is already up to date.
func (s *source) refresh(ctx context.Context, ids []string) error {
	var own []ownedIndex
	s.mu.Lock()
	for _, ix := range []ownedIndex{s.rows, s.next} {
		if ix.Index != nil && !ix.shared {
			own = append(own, ix)
		}
	}
	s.mu.Unlock()
	if len(own) == 0 {
		return nil
	}
	var failed error
	for _, id := range ids {
		c, err := s.service.Get(ctx, id)
		e := engine.AsError(err)
		for _, ix := range own {
			switch {
			case err == nil:
				ix.Put(engine.Summarize(c))
			case e != nil && e.Code == engine.NotFound:
				ix.Remove(id)
			default:
				failed = cmp.Or(failed, err)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return failed
}
