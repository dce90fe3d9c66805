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
	rows kept // what is searched
	next kept // what is loaded to take its place; nil where nothing is
}

// kept is an index, and whether the service keeps it.
type kept struct {
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

// lapsed reports whether nobody keeps the rows current any more, since another process has the store.
func (s *source) lapsed() bool {
	select {
	case <-s.index().Closed():
		return true
	default:
		return false
	}
}

// begin makes an index the one that is loaded. It is searched at once, unless there are rows that can be
// searched meanwhile.
func (s *source) begin(ix kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ix == s.rows || s.rows.Len() == 0 {
		s.rows, s.next = ix, kept{}
	} else {
		s.next = ix
	}
}

// complete lets the index that was loaded be searched.
func (s *source) complete(ix kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.next = ix, kept{}
}

// own returns the index of the source's own: the one that there is, or a new one.
func (s *source) own() kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows.shared {
		return kept{Index: s.empty()}
	}
	return s.rows
}

// pager is a service whose list comes page by page.
type pager interface {
	Pages(context.Context, engine.ListQuery) iter.Seq2[[]engine.Summary, error]
}

// grown is news of a load: rows that can be searched now.
type grown struct{ rows int }

// loaded is news of a load: it has all rows.
type loaded struct{}

// load brings the rows up to date with the service and tells of its progress.
func (s *source) load(ctx context.Context, emit func(any)) error {
	for {
		ix, ok := index.For(ctx, s.service)
		if !ok {
			return s.gather(ctx, s.own(), emit)
		}
		err := s.follow(ctx, kept{ix, true}, emit)
		if !errors.Is(err, index.ErrClosed) {
			return err
		}
	}
}

// follow waits for the load of the service's index.
func (s *source) follow(ctx context.Context, ix kept, emit func(any)) error {
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
		emit(grown{n})
	}
	s.complete(ix)
	emit(loaded{})
	return nil
}

// gather asks the service for all rows. Where they come over a network and there are none yet, they can be
// searched as they come.
func (s *source) gather(ctx context.Context, ix kept, emit func(any)) error {
	s.begin(ix)
	n, next := 0, soon
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
					emit(grown{n})
					next = n + later
				}
			}
			if n < shownAtOnce {
				emit(grown{n})
			}
		}
	})
	if err == nil {
		s.complete(ix)
		emit(loaded{})
		ix.Warm(ctx)
	}
	return cmp.Or(failed, err)
}

// A load tells of itself after the first rows, and then not too often.
const (
	soon  = 2_000
	later = 100_000
)

// shownAtOnce is how many rows of a load are shown page by page.
const shownAtOnce = 600

// pages returns the service's rows, archived ones among them, by the quickest way that it has.
func (s *source) pages(ctx context.Context, ix *index.Index) iter.Seq2[[]engine.Summary, error] {
	if p, ok := s.service.(pager); ok {
		return shown(ix, p.Pages(ctx, engine.ListQuery{Archived: true}))
	}
	if lister, ok := s.service.(engine.Lister); ok {
		return func(yield func([]engine.Summary, error) bool) {
			yield(lister.List(ctx, engine.ListQuery{Archived: true}))
		}
	}
	return shown(ix, searched(ctx, s.service))
}

// shown passes pages on. The first ones are put into the index at once: its load waits for more rows
// than a page of a network has.
func shown(ix *index.Index, pages iter.Seq2[[]engine.Summary, error]) iter.Seq2[[]engine.Summary, error] {
	if ix.Len() > 0 {
		return pages
	}
	return func(yield func([]engine.Summary, error) bool) {
		n := 0
		for page, err := range pages {
			if n += len(page); err == nil && n < shownAtOnce {
				ix.Put(page...)
			}
			if !yield(page, err) {
				return
			}
		}
	}
}

// searched searches for every campaign of a service that lists none.
func searched(ctx context.Context, service engine.Service) iter.Seq2[[]engine.Summary, error] {
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
	var own []kept
	s.mu.Lock()
	for _, ix := range []kept{s.rows, s.next} {
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
