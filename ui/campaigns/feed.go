package campaigns

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
)

// feed loads the campaigns and keeps them up to date.
type feed struct {
	source   *source
	tasks    taskRunner
	clock    func() time.Time
	loaded   bool
	loadedAt time.Time
	loadRows int                 // loaded by the running load
	failed   error               // the error of the last load
	changed  map[string]struct{} // IDs of campaigns to refresh
}

func newFeed(deps screen.Deps, tasks taskRunner) *feed {
	return &feed{source: newSource(deps.Service, deps.Now), tasks: tasks, clock: deps.Now, changed: map[string]struct{}{}}
}

// staleAfter is the age from which the list is reloaded when the screen is on top again, because not every
// service reports changes.
const staleAfter = 30 * time.Second

// fresh reports whether the list is recent enough.
func (f *feed) fresh() bool {
	return f.tasks.Running(taskLoad) || f.clock().Sub(f.loadedAt) < staleAfter
}

// badge reports whether the list is incomplete or outdated.
func (f *feed) badge() (string, themes.Tone) {
	switch {
	case f.tasks.Running(taskLoad) && f.loadRows > 0:
		return "loading… " + shortCount(f.loadRows), themes.ToneMuted
	case f.tasks.Running(taskLoad) && !f.loaded:
		return "loading…", themes.ToneMuted
	case f.failed != nil:
		return "can't load", themes.ToneDanger
	}
	return "", themes.ToneMuted
}

// load loads the rows.
func (f *feed) load() tea.Cmd {
	f.loadRows = 0
	clear(f.changed) // included in the load
	src := f.source
	return f.tasks.Stream(taskLoad, func(ctx context.Context, emit func(any)) (any, error) {
		return nil, src.load(ctx, emit)
	})
}

// maxSingleRefresh is the number of campaigns from which the whole list is reloaded.
const maxSingleRefresh = 200

// refreshedMsg has the IDs of the refreshed campaigns.
type refreshedMsg struct{ ids []string }

// refresh refreshes the changed campaigns; those that change meanwhile are refreshed later.
func (f *feed) refresh() tea.Cmd {
	switch {
	case len(f.changed) == 0 || f.tasks.Running(taskRefresh):
		return nil
	case len(f.changed) > maxSingleRefresh:
		return f.load()
	}
	ids := slices.Sorted(maps.Keys(f.changed))
	clear(f.changed)
	src := f.source
	return f.tasks.Run(taskRefresh, func(ctx context.Context) (any, error) {
		return refreshedMsg{ids}, src.refresh(ctx, ids)
	})
}

// keepCurrent reloads the list if the shared index is no longer updated.
func (f *feed) keepCurrent() tea.Cmd {
	if f.source.sharedIndexLost() && !f.tasks.Running(taskLoad) {
		return f.load()
	}
	return nil
}
