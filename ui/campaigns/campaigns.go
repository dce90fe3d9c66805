// Package campaigns is the start screen: a searchable table of all campaigns with filters, details and bulk
// actions.
package campaigns

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/engine/search/query"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/panes"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen is the list of campaigns.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme *themes.Theme
	panes panes.Panes

	// The campaigns.
	ix       *index.Index // that is searched: the one that the service keeps current or, if it keeps none, own
	own      *index.Index
	loaded   bool
	loadedAt time.Time
	loadRows int   // loaded by the running load
	failed   error // the error of the last load

	// The search.
	bar    searchBar
	answer *searchResult

	settings settings
	stored   *prefs.Prefs

	grid      *grid
	facets    *list.List[facetRow]
	states    stateTabs
	selection map[string]bool // IDs of the selected campaigns, found by the search or not
	home      string          // the campaign that the user selected
	current   string          // the campaign under the cursor, or that the cursor waits for

	details widget.Pager
	outlook outlook
	running *bulkRun // nil while no bulk task runs
}

// Kinds of tasks.
const (
	taskLoad     = "load"
	taskRefresh  = "refresh " // and the ID of a campaign
	taskSearch   = "search"
	taskCount    = "count"
	taskClone    = "clone"
	taskPlanBulk = "plan"
	taskRunBulk  = "bulk"
	taskClock    = "wake"
	taskOutlook  = "outlook"
)

// New returns the screen with the query of the route.
func New(deps screen.Deps, route screen.Route) *Screen {
	s := &Screen{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme, panes: newPanes(deps.Theme), own: index.New(index.Options{Now: deps.Now}),
		selection: map[string]bool{}, bar: newSearchBar(deps.Theme), stored: deps.Prefs.Within(deps.Workspace), grid: newGrid(deps.Theme),
		facets: newFacets(deps.Theme), states: stateTabs{Tabs: widget.NewTabs(deps.Theme)}, details: widget.NewPager(deps.Theme),
	}
	s.ix = s.own
	s.bar.set(route.Query)
	s.grid.setColumns(chosenColumns(nil))
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Campaigns" }

// Init reads the user's settings and loads the campaigns.
func (s *Screen) Init() tea.Cmd { return tea.Batch(s.readSettings(), s.load(), s.keepTime()) }

// Resume refreshes the list after another screen was on top.
func (s *Screen) Resume() tea.Cmd {
	if s.fresh() {
		return s.searchAgain(cursorKeepRow)
	}
	return s.load()
}

// Badge reports whether the list is incomplete or outdated.
func (s *Screen) Badge() (string, themes.Tone) {
	switch {
	case s.running != nil:
		return s.running.badge(), themes.ToneAccent
	case s.Running(taskLoad) && s.loadRows > 0:
		return "loading… " + shortCount(s.loadRows), themes.ToneMuted
	case s.Running(taskLoad) && !s.loaded:
		return "loading…", themes.ToneMuted
	case s.failed != nil:
		return "can't load", themes.ToneDanger
	}
	return "", themes.ToneMuted
}

// now returns the current time in the display zone.
func (s *Screen) now() time.Time { return s.deps.Local(s.deps.Now()) }

// Typing reports whether the search field has the keyboard.
func (s *Screen) Typing() bool { return s.bar.prompt.Focused() }

// Update handles messages, and keys that are not actions.
func (s *Screen) Update(msg tea.Msg) tea.Cmd { return tea.Batch(s.update(msg), s.updateOutlook()) }

func (s *Screen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	case screen.ChangedMsg:
		return s.change(msg)
	case screen.OpenedMsg:
		return s.follow(msg.ID)
	case tea.MouseMsg:
		return s.mouse(msg)
	case tea.KeyMsg:
		return s.key(msg)
	}
	return nil
}

func (s *Screen) key(msg tea.KeyMsg) tea.Cmd {
	switch {
	case s.bar.prompt.Focused():
		return s.searchKey(msg)
	case s.panes.Focused() == paneFacets:
		s.facets.Key(msg)
	case s.panes.Focused() == paneDetails:
		s.describe()
		s.details.Update(msg)
	case s.grid.Update(msg):
		s.moved()
	}
	return nil
}

// searchKey handles a key in the search; keys that it does not use move in the table.
func (s *Screen) searchKey(msg tea.KeyMsg) tea.Cmd {
	if msg.String() == "tab" && len(s.bar.completions) == 0 {
		s.bar.complete(s.answer.env(s.now()), true)
		return nil
	}
	changed, took := s.bar.key(msg)
	switch {
	case changed:
		s.bar.complete(s.answer.env(s.now()), false)
		return s.searchBarText(cursorTop)
	case took:
		return nil
	}
	s.bar.complete(s.answer.env(s.now()), false) // the cursor may be in another word
	if msg.String() == "pgup" || msg.String() == "pgdown" {
		s.grid.Update(msg)
		s.moved()
	}
	return nil
}

// moved updates the state after the user has moved the cursor.
func (s *Screen) moved() {
	if row, ok := s.grid.at(s.grid.Cursor); ok {
		s.home, s.current, s.grid.missing = row.ID, row.ID, ""
	}
}

// selected returns the campaign under the cursor; false if there is none.
func (s *Screen) selected() (engine.Summary, bool) { return s.grid.selected() }

// Subject returns the campaign under the cursor with the data of its row, and those that are selected.
func (s *Screen) Subject() screen.Subject {
	out := screen.Subject{Selected: slices.Sorted(maps.Keys(s.selection))}
	if sum, ok := s.selected(); ok {
		out.Campaign, out.Label = engine.Campaign{Head: sum.Head}, sum.Title()
	}
	return out
}

// maxFound is how many campaigns the palette shows.
const maxFound = 10

// Find searches campaigns for the palette.
func (s *Screen) Find(words string) func(context.Context) []screen.PaletteItem {
	ix, now := s.ix, s.now()
	return func(ctx context.Context) []screen.PaletteItem {
		q, _ := query.Parse(words, query.Env{Now: now})
		r, err := ix.Search(ctx, q, index.SearchOptions{Now: now})
		if err != nil {
			return nil // the user has typed on
		}
		var out []screen.PaletteItem
		for _, row := range r.Rows(0, min(r.Len(), maxFound)) {
			out = append(out, screen.PaletteItem{
				Text: row.Title(), Detail: row.Status.Label() + " · " + row.Channel.Label(), Kind: "campaign",
				Route: screen.Route{Name: screen.Builder, ID: row.ID},
			})
		}
		return out
	}
}
