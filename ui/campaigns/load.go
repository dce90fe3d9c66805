package campaigns

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// The kinds of the screen's tasks.
const (
	loading   = "load"
	filtering = "filter"
	cloning   = "clone"
)

// load gets the campaigns, from a service that lists them at once, or page by page.
func (s *Screen) load() tea.Cmd {
	archived := s.query.archived
	if lister, ok := s.deps.Service.(engine.Lister); ok {
		return s.Run(loading, func(ctx context.Context) (any, error) {
			return lister.List(ctx, engine.ListQuery{Archived: archived})
		})
	}
	service := s.deps.Service
	return s.Stream(loading, func(ctx context.Context, emit func(any)) (any, error) {
		return pages(ctx, service, archived, func(rows []engine.Summary) { emit(rows) })
	})
}

// pages searches for every campaign, and tells more of all that were found so far.
func pages(ctx context.Context, service engine.Service, archived bool, more func([]engine.Summary)) ([]engine.Summary, error) {
	var rows []engine.Summary
	for page := 1; ; {
		found, err := service.Search(ctx, engine.SearchRequest{
			Status: catalog.States, Children: true, Archived: archived, Limit: engine.PageSize, Page: page,
		})
		if e := engine.AsError(err); e != nil && e.Code == engine.RateLimited && e.RetryAfter > 0 {
			if err := pause(ctx, e.RetryAfter); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			rows = append(rows, engine.Summarize(c))
		}
		if len(found) < engine.PageSize {
			return rows, nil
		}
		more(rows)
		page++
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

// filtered is what the task of that kind gives.
type filtered struct {
	view view
	keep string // where the cursor was when it began
	asks int    // the number of the request
}

// result takes what a task gave.
func (s *Screen) result(r screen.Result) tea.Cmd {
	if !s.Accept(r) || screen.Cancelled(r.Err) {
		return nil
	}
	switch v := r.Value.(type) {
	case []engine.Summary:
		return s.take(r, v)
	case filtered:
		if v.asks == s.asks {
			s.show(s.settle(v))
		}
	case engine.Created:
		return s.cloned(v, r.Err)
	}
	return nil
}

// settle gives the view of a finished task; the cursor may have moved while it ran.
func (s *Screen) settle(f filtered) view {
	if f.keep == s.keep {
		return f.view
	}
	f.view.at = -1
	for at, i := range f.view.shown {
		if f.view.rows[i].ID == s.keep {
			f.view.at = at
			break
		}
	}
	return f.view
}

// take puts campaigns that were loaded in the place of those there are. Of a load that goes on
// only the first one shows its pages: later ones would make the table shrink and grow.
func (s *Screen) take(r screen.Result, rows []engine.Summary) tea.Cmd {
	switch {
	case r.Err != nil:
		first := s.failed == nil
		s.failed = r.Err
		s.describe()
		if !first || !s.loaded {
			return nil // the empty table says it
		}
		return screen.Notify(widget.LevelError, "Could not load the campaigns: "+status.Refusal(r.Err))
	case r.Partial && s.loaded:
		return nil
	case !r.Partial:
		s.loaded, s.failed, s.loadedAt = true, nil, s.deps.Now()
	}
	s.rows = rows
	return s.refine(false)
}

func (s *Screen) clone(sum engine.Summary) tea.Cmd {
	curator, ok := s.deps.Service.(engine.Curator)
	if !ok {
		return nil
	}
	return s.Run(cloning, func(ctx context.Context) (any, error) {
		return curator.Clone(ctx, sum.ID, s.deps.Author)
	})
}

func (s *Screen) cloned(c engine.Created, err error) tea.Cmd {
	if err != nil {
		return screen.Notify(widget.LevelError, "Could not clone: "+status.Refusal(err))
	}
	s.keep = c.ID
	return tea.Batch(screen.Changed(c.ID), screen.Open(screen.Route{Name: screen.Builder, ID: c.ID}))
}
