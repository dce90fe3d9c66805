package campaigns

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

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

// load loads the rows.
func (s *Screen) load() tea.Cmd {
	s.loadRows = 0
	clear(s.changed) // included in the load
	src := s.source
	return screen.Stream(&s.Base, taskLoad, func(ctx context.Context, emit func(loadProgress)) (struct{}, error) {
		return struct{}{}, src.load(ctx, emit)
	}, s.showProgress, func(_ struct{}, err error) tea.Cmd { return s.finishLoad(err) })
}

// maxSingleRefresh is the number of campaigns from which the whole list is reloaded.
const maxSingleRefresh = 200

// refresh refreshes the changed campaigns; those that change meanwhile are refreshed later.
func (s *Screen) refresh() tea.Cmd {
	switch {
	case len(s.changed) == 0 || s.Running(taskRefresh):
		return nil
	case len(s.changed) > maxSingleRefresh:
		return s.load()
	}
	ids := slices.Sorted(maps.Keys(s.changed))
	clear(s.changed)
	src := s.source
	read := func(ctx context.Context) (struct{}, error) { return struct{}{}, src.refresh(ctx, ids) }
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

// keepCurrent reloads the list if the shared index is no longer updated.
func (s *Screen) keepCurrent() tea.Cmd {
	if s.source.sharedIndexLost() && !s.Running(taskLoad) {
		return s.load()
	}
	return nil
}
