package campaigns

import (
	"cmp"
	"context"
	"iter"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/index"
)

// source keeps the rows of one service in an index.
type source struct {
	service engine.Service
	rows    *index.Index
}

func newSource(service engine.Service, now func() time.Time) *source {
	return &source{service: service, rows: index.New(index.Options{Now: now})}
}

// pager is a service whose list comes page by page.
type pager interface {
	Pages(context.Context, engine.ListQuery) iter.Seq2[[]engine.Summary, error]
}

// grown is news of a load: rows that can be searched now.
type grown struct{ rows int }

// loaded is news of a load: it has all rows.
type loaded struct{}

// load brings the index up to date with the service and tells of its progress. Where the rows come over
// a network and there are none yet, they can be searched as they come.
func (s *source) load(ctx context.Context, emit func(any)) error {
	n, next := 0, soon
	var failed error // in the service's own words
	err := s.rows.Load(ctx, func(yield func(engine.Summary, error) bool) {
		for page, err := range s.pages(ctx) {
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
		emit(loaded{})
		s.rows.Warm(ctx)
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

// pages gives the service's rows, archived ones among them, by the quickest way that it has.
func (s *source) pages(ctx context.Context) iter.Seq2[[]engine.Summary, error] {
	fresh := s.rows.Len() == 0
	if p, ok := s.service.(pager); ok {
		return s.shown(fresh, p.Pages(ctx, engine.ListQuery{Archived: true}))
	}
	if lister, ok := s.service.(engine.Lister); ok {
		return func(yield func([]engine.Summary, error) bool) {
			yield(lister.List(ctx, engine.ListQuery{Archived: true}))
		}
	}
	return s.shown(fresh, searched(ctx, s.service))
}

// shown passes pages on. The first ones are put into the index at once: its load waits for more rows
// than a page of a network has.
func (s *source) shown(fresh bool, pages iter.Seq2[[]engine.Summary, error]) iter.Seq2[[]engine.Summary, error] {
	if !fresh {
		return pages
	}
	return func(yield func([]engine.Summary, error) bool) {
		n := 0
		for page, err := range pages {
			if n += len(page); err == nil && n < shownAtOnce {
				s.rows.Put(page...)
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

// refresh looks at some campaigns again. Those that are gone leave the index.
func (s *source) refresh(ctx context.Context, ids []string) error {
	var failed error
	for _, id := range ids {
		c, err := s.service.Get(ctx, id)
		switch e := engine.AsError(err); {
		case err == nil:
			s.rows.Put(engine.Summarize(c))
		case e != nil && e.Code == engine.NotFound:
			s.rows.Remove(id)
		default:
			failed = cmp.Or(failed, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return failed
}
