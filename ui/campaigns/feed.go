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

// feed brings the campaigns of the service, and keeps them current.
type feed struct {
	source   *source
	tasks    taskRunner
	clock    func() time.Time
	loaded   bool
	loadedAt time.Time
	loadRows int                 // that the running load has taken
	failed   error               // why the last load did not work
	changed  map[string]struct{} // campaigns to look at again
}

func newFeed(deps screen.Deps, tasks taskRunner) *feed {
	return &feed{source: newSource(deps.Service, deps.Now), tasks: tasks, clock: deps.Now, changed: map[string]struct{}{}}
}

// staleAfter is the age from which the list is loaded anew when the screen is on top again: not every service
// tells of changes.
const staleAfter = 30 * time.Second

// fresh reports whether the list needs no load when the screen is on top again.
func (f *feed) fresh() bool { return f.tasks.Running(taskLoad) || f.clock().Sub(f.loadedAt) < staleAfter }

// badge says when what is shown is not all there is.
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

// load brings the rows up to date with the service.
func (f *feed) load() tea.Cmd {
	f.loadRows = 0
	clear(f.changed) // the load sees them
	src := f.source
	return f.tasks.Stream(taskLoad, func(ctx context.Context, emit func(any)) (any, error) {
		return nil, src.load(ctx, emit)
	})
}

// maxSingleRefresh is how many campaigns are worth loading the list for.
const maxSingleRefresh = 200

// refreshedMsg are the campaigns that were looked at again.
type refreshedMsg struct{ ids []string }

// refresh looks at the changed campaigns again: those that are told of meanwhile come after them.
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

// keepCurrent loads anew where nobody keeps the rows current any more.
func (f *feed) keepCurrent() tea.Cmd {
	if f.source.sharedIndexLost() && !f.tasks.Running(taskLoad) {
		return f.load()
	}
	return nil
}
