package campaigns

import (
	"bugle/ui/screen"
)

// listing is what the list shows and how: the search, its answer in the table, the order, the columns and the views,
// each change of which can be undone.
type listing struct {
	screen.UndoStack
	*feed
	*listPrefs
	*finder
	grid   *grid
	facets *facetsPane
	selection *selector
	tasks  taskRunner
	home   string // the campaign that the person has put the cursor on
	current  string // the campaign under the cursor
	searchBefore  string // the search before the person began to type in it

	// What the screen does after a change: it describes the campaign under the cursor, divides its cells, and takes away
	// what lies over the list.
	onDescribe, onLayout, onCloseOverlay func()
}

func newListing(deps screen.Deps, tasks taskRunner) *listing {
	facets := newFacetsPane(deps.Theme)
	l := &listing{tasks: tasks, feed: newFeed(deps, tasks), grid: newGrid(deps.Theme), facets: &facets}
	l.listPrefs = &listPrefs{store: newSettingsStore(deps), tasks: tasks, author: deps.Author}
	l.finder = &finder{bar: newSearchBar(deps.Theme), prefs: l.listPrefs, now: zonedClock(deps)}
	l.selection = &selector{grid: l.grid, tasks: tasks, moved: l.moved}
	return l
}
