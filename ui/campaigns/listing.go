package campaigns

import (
	"bugle/ui/screen"
)

// listing is what the list shows and how: the search, its answer in the table, the order, the columns and the views,
// each change of which can be undone.
type listing struct {
	screen.UndoStack
	*feed
	*shelf
	*finder
	grid   *grid
	facets *facetsPane
	picked *marks
	tasks  tasker
	home   string // the campaign that the person has put the cursor on
	under  string // the campaign under the cursor
	typed  string // the search before the person began to type in it

	// What the screen does after a change: it describes the campaign under the cursor, divides its cells, and takes away
	// what lies over the list.
	describe, layout, uncover func()
}

func newListing(deps screen.Deps, tasks tasker) *listing {
	facets := newFacetsPane(deps.Theme)
	l := &listing{tasks: tasks, feed: newFeed(deps, tasks), grid: newGrid(deps.Theme), facets: &facets}
	l.shelf = &shelf{memory: newMemory(deps), tasks: tasks, author: deps.Author}
	l.finder = &finder{bar: newSearchBar(deps.Theme), chosen: l.shelf, now: clock(deps)}
	l.picked = &marks{grid: l.grid, tasks: tasks, moved: l.moved}
	return l
}
