package campaigns

import (
	"maps"
	"slices"

	"bugle/ui/screen"
)

// listing is the state of the list: search, result, order, columns and views.
type listing struct {
	*feed
	*listPrefs
	*finder
	grid      *grid
	facets    *facetsPane
	selection *selector
	tasks     *screen.Base
	home      string // the campaign that the user selected
	current   string // the campaign under the cursor, or that the cursor waits for
	moves     int    // counts the moves of the cursor to another campaign

	// Callbacks of the screen: update the details, lay out the panes.
	onDescribe, onLayout func()
}

func newListing(deps screen.Deps, tasks *screen.Base) *listing {
	facets := newFacetsPane(deps.Theme)
	l := &listing{tasks: tasks, feed: newFeed(deps, tasks), grid: newGrid(deps.Theme), facets: &facets}
	l.listPrefs = &listPrefs{stored: deps.Prefs.Within(deps.Workspace), author: deps.Author}
	l.finder = &finder{bar: newSearchBar(deps.Theme), prefs: l.listPrefs, now: zonedClock(deps)}
	l.selection = &selector{grid: l.grid, tasks: tasks, moved: l.moved}
	return l
}

// SelectedIDs returns the selected campaigns.
func (l *listing) SelectedIDs() []string { return slices.Sorted(maps.Keys(l.selection.ids)) }
