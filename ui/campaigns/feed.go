package campaigns

import (
	"context"
	"errors"
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

// refresh reads a changed campaign again. The service's own index has it already.
func (s *Screen) refresh(id string) tea.Cmd {
	if s.ix != s.own {
		return s.searchAgain(cursorKeepRow)
	}
	service, ix := s.deps.Service, s.own
	read := func(ctx context.Context) (struct{}, error) {
		c, err := service.Get(ctx, id)
		switch e := engine.AsError(err); {
		case err == nil:
			ix.Put(engine.Summarize(c))
		case e != nil && e.Code == engine.NotFound:
			ix.Remove(id)
		default:
			return struct{}{}, err
		}
		return struct{}{}, nil
	}
	return screen.Go(&s.Base, taskRefresh+id, read, func(_ struct{}, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelWarning, "Can't read a changed campaign: "+status.Refusal("", err))
		}
		return s.searchAgain(cursorKeepRow)
	})
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
