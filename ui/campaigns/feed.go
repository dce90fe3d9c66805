package campaigns

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// feed loads the campaigns and keeps them up to date.
type feed struct {
	source   *source
	tasks    *screen.Base
	clock    func() time.Time
	loaded   bool
	loadedAt time.Time
	loadRows int                 // loaded by the running load
	failed   error               // the error of the last load
	changed  map[string]struct{} // IDs of campaigns to refresh
}

func newFeed(deps screen.Deps, tasks *screen.Base) *feed {
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
func (l *listing) load() tea.Cmd {
	l.loadRows = 0
	clear(l.changed) // included in the load
	src := l.source
	return screen.Stream(l.tasks, taskLoad, func(ctx context.Context, emit func(loadProgress)) (struct{}, error) {
		return struct{}{}, src.load(ctx, emit)
	}, l.showProgress, func(_ struct{}, err error) tea.Cmd { return l.finishLoad(err) })
}

// maxSingleRefresh is the number of campaigns from which the whole list is reloaded.
const maxSingleRefresh = 200

// refresh refreshes the changed campaigns; those that change meanwhile are refreshed later.
func (l *listing) refresh() tea.Cmd {
	switch {
	case len(l.changed) == 0 || l.tasks.Running(taskRefresh):
		return nil
	case len(l.changed) > maxSingleRefresh:
		return l.load()
	}
	ids := slices.Sorted(maps.Keys(l.changed))
	clear(l.changed)
	src := l.source
	read := func(ctx context.Context) (struct{}, error) { return struct{}{}, src.refresh(ctx, ids) }
	return screen.Go(l.tasks, taskRefresh, read, func(_ struct{}, err error) tea.Cmd {
		switch {
		case screen.Canceled(err):
			return nil
		case err != nil:
			return tea.Batch(screen.Notify(widget.LevelWarning, "Can't read a changed campaign: "+status.Refusal("", err)), l.refresh())
		}
		return tea.Batch(l.searchAgain(cursorKeepRow), l.refresh())
	})
}

// keepCurrent reloads the list if the shared index is no longer updated.
func (l *listing) keepCurrent() tea.Cmd {
	if l.source.sharedIndexLost() && !l.tasks.Running(taskLoad) {
		return l.load()
	}
	return nil
}
