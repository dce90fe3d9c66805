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
)

// source keeps the rows of one service in an index: in that of the service, where it keeps one in this
// process, and else in one of its own.
type source struct {
	service engine.Service
	now     func() time.Time

	mu   sync.Mutex
	rows ownedIndex // what is searched
	next ownedIndex // what is loaded to take its place; nil where nothing is
}

// ownedIndex is an index, and whether the service keeps it.
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

// index returns the index to search in.
func (s *source) index() *index.Index {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows.Index
}

// sharedIndexLost reports whether nobody keeps the rows current any more, since another process has the store.
func (s *source) sharedIndexLost() bool {
	select {
	case <-s.index().Left():
		return true
	default:
		return false
	}
}

// begin makes an index the one that is loaded. It is searched at once, unless there are rows that can be
// searched meanwhile.
func (s *source) begin(ix ownedIndex) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ix == s.rows || s.rows.Len() == 0 {
		s.rows, s.next = ix, ownedIndex{}
	} else {
		s.next = ix
	}
}

// complete lets the index that was loaded be searched.
func (s *source) complete(ix ownedIndex) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.next = ix, ownedIndex{}
}

// ownIndex returns the index of the source's own: the one that there is, or a new one.
func (s *source) ownIndex() ownedIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows.shared {
		return ownedIndex{Index: s.empty()}
	}
	return s.rows
}

// pageLister is a service whose list comes page by page.
type pageLister interface {
	Pages(context.Context, engine.ListQuery) iter.Seq2[[]engine.Summary, error]
}

// rowsLoaded is news of a load: rows that can be searched now.
type rowsLoaded struct{ rows int }

// loadComplete is news of a load: it has all rows.
type loadComplete struct{}

// load brings the rows up to date with the service and tells of its progress.
func (s *source) load(ctx context.Context, emit func(any)) error {
	for {
		ix, ok := index.Of(ctx, s.service)
		if !ok {
			return s.loadAll(ctx, s.ownIndex(), emit)
		}
		err := s.waitForShared(ctx, ownedIndex{ix, true}, emit)
		if !errors.Is(err, index.ErrLeft) {
			return err
		}
	}
}

// waitForShared waits for the load of the service's index.
func (s *source) waitForShared(ctx context.Context, ix ownedIndex, emit func(any)) error {
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
		emit(rowsLoaded{n})
	}
	s.complete(ix)
	emit(loadComplete{})
	return nil
}

// loadAll asks the service for all rows. Where they come over a network and there are none yet, they can be
// searched as they come.
func (s *source) loadAll(ctx context.Context, ix ownedIndex, emit func(any)) error {
	s.begin(ix)
	n, next := 0, firstProgress
	var failed error // in the service's own words
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
					emit(rowsLoaded{n})
					next = n + nextProgress
				}
			}
			if n < maxImmediateRows {
				emit(rowsLoaded{n})
			}
		}
	})
	if err == nil {
		s.complete(ix)
		emit(loadComplete{})
		ix.Warm(ctx)
	}
	return cmp.Or(failed, err)
}

// A load tells of itself after the first rows, and then not too often.
const (
	firstProgress  = 2_000
	nextProgress = 100_000
)

// maxImmediateRows is how many rows of a load are shown page by page.
const maxImmediateRows = 600

// pages returns the service's rows, archived ones among them, by the quickest way that it has.
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

// showFirstPages passes pages on. The first ones are put into the index at once: its load waits for more rows
// than a page of a network has.
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

// searchPages searches for every campaign of a service that lists none.
func searchPages(ctx context.Context, service engine.Service) iter.Seq2[[]engine.Summary, error] {
	return func(yield func([]engine.Summary, error) bool) {
		for page := 1; ; {
			found, err := service.Search(ctx, engine.SearchRequest{
				Status: catalog.States, Children: true, Archived: true, Limit: engine.PageSize, Page: page,
			})
			if e := engine.AsError(err); e != nil && e.Code == engine.RateLimited && e.RetryAfter > 0 {
				err = pause(ctx, e.RetryAfter)
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

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refresh looks at some campaigns again. Those that are gone leave the index. The service's own index has
// their changes already.
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
