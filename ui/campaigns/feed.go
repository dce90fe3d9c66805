package campaigns

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// staleAfter is the age from which the list is reloaded when the screen is on top again, because not every
// service reports changes.
const staleAfter = 30 * time.Second

// fresh reports whether the list is recent enough.
func (s *Screen) fresh() bool {
	return s.Running(taskLoad) || s.deps.Now().Sub(s.loadedAt) < staleAfter
}

// loading is an index that is being loaded, and how many rows it has.
type loading struct {
	ix   *index.Index
	rows int
}

// load waits for the rows of the service's index or, if it keeps none, loads them.
func (s *Screen) load() tea.Cmd {
	s.loadRows = 0
	clear(s.changed) // included in the load
	service, own := s.deps.Service, s.own
	return screen.Stream(&s.Base, taskLoad, func(ctx context.Context, emit func(loading)) (*index.Index, error) {
		for {
			ix, ok := index.For(ctx, service)
			if !ok {
				return own, own.Fill(ctx, service)
			}
			rows, complete, err := ix.Wait(ctx, 0)
			for ; !complete && err == nil; rows, complete, err = ix.Wait(ctx, rows) {
				emit(loading{ix, rows})
			}
			if !errors.Is(err, index.ErrClosed) {
				return ix, err
			}
		}
	}, s.showProgress, s.finishLoad)
}

// maxSingleRefresh is the number of campaigns from which the whole list is reloaded.
const maxSingleRefresh = 200

// refresh refreshes the changed campaigns; those that change meanwhile are refreshed later. The service's own index has them.
func (s *Screen) refresh() tea.Cmd {
	switch {
	case len(s.changed) == 0 || s.Running(taskRefresh):
		return nil
	case len(s.changed) > maxSingleRefresh:
		return s.load()
	}
	ids := slices.Sorted(maps.Keys(s.changed))
	clear(s.changed)
	if s.ix != s.own {
		return s.searchAgain(cursorKeepRow)
	}
	service, ix := s.deps.Service, s.own
	read := func(ctx context.Context) (struct{}, error) { return struct{}{}, reread(ctx, service, ix, ids) }
	return screen.Go(&s.Base, taskRefresh, read, func(_ struct{}, err error) tea.Cmd {
		switch {
		case screen.Canceled(err):
			return nil
		case err != nil:
			return tea.Batch(screen.Notify(widget.LevelWarning, "Can't read a changed campaign: "+status.Refusal("", err)), s.refresh())
		}
		return tea.Batch(s.searchAgain(cursorKeepRow), s.refresh())
	})
}

// reread puts campaigns into an index as they are now, and removes those that were deleted.
func reread(ctx context.Context, service engine.Service, ix *index.Index, ids []string) error {
	var failed error
	for _, id := range ids {
		c, err := service.Get(ctx, id)
		e := engine.AsError(err)
		switch {
		case err == nil:
			ix.Put(engine.Summarize(c))
		case ctx.Err() != nil:
			return ctx.Err()
		case e != nil && e.Code == engine.NotFound:
			ix.Remove(id)
		default:
			failed = cmp.Or(failed, err)
		}
	}
	return failed
}

// keepCurrent loads the list again if the service's index is no longer kept current, because another process owns the store.
func (s *Screen) keepCurrent() tea.Cmd {
	select {
	case <-s.ix.Closed():
		if !s.Running(taskLoad) {
			return s.load()
		}
	default:
	}
	return nil
}
