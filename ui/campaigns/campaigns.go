// Package campaigns is the start screen: a searchable table of all campaigns with filters, details and bulk
// actions.
package campaigns

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/engine/search/query"
	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen is the list of campaigns.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme *themes.Theme
	panes panes.Panes
	*listing

	counts  facetBar
	details detailsPane
	bulk    *bulkActions

	lastClick click
}

// Kinds of tasks.
const (
	taskLoad         = "load"
	taskRefresh      = "refresh"
	taskSearch       = "search"
	taskCount        = "count"
	taskReadSettings = "recall"
	taskClone        = "clone"
	taskSelectAll    = "mark"
	taskPlanBulk     = "plan"
	taskRunBulk      = "bulk"
	taskClock        = "wake"
)

// New returns the screen with the query of the route.
func New(deps screen.Deps, route screen.Route) *Screen {
	s := &Screen{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme,
		counts: facetBar{theme: deps.Theme}, details: detailsPane{pager: widget.NewPager(deps.Theme)}, panes: newPanes(deps.Theme),
	}
	s.listing = newListing(deps, &s.Base)
	s.onDescribe, s.onLayout = s.updateDetails, s.layoutPanes
	s.bulk = &bulkActions{
		deps: deps, tasks: &s.Base, keepSelected: s.selection.set,
		row:        func(id string) (engine.Summary, bool) { return s.source.index().Get(id, s.now()) },
		lastFolder: func() string { return s.settings.Folder },
		export: func(folder string) tea.Cmd {
			return s.update(func(st settings) settings { st.Folder = folder; return st })
		},
	}
	s.bar.set(route.Query)
	s.grid.setColumns(chosenColumns(nil))
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Campaigns" }

// Init loads the campaigns and the user's settings.
func (s *Screen) Init() tea.Cmd { return tea.Batch(s.loadSettings(), s.load(), s.keepTime()) }

// Resume refreshes the list after another screen was on top.
func (s *Screen) Resume() tea.Cmd {
	if s.feed.fresh() {
		return s.searchAgain(cursorKeepRow)
	}
	return s.load()
}

// Badge reports whether the list is incomplete or outdated.
func (s *Screen) Badge() (string, themes.Tone) {
	if s.bulk.running() {
		return s.bulk.run.badge(), themes.ToneAccent
	}
	return s.feed.badge()
}

// Typing reports whether the search field has the keyboard.
func (s *Screen) Typing() bool { return s.bar.prompt.Focused() }

// LeaveQuestion asks before a running bulk action is canceled by leaving.
func (s *Screen) LeaveQuestion() *screen.Question { return s.bulk.leaveQuestion() }

// Update handles messages, and keys that are not actions.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
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
		s.facets.list.Update(msg)
	case s.panes.Focused() == paneDetails:
		s.details.pager.Update(msg)
	case s.grid.Update(msg):
		s.moved()
	}
	return nil
}

// searchKey handles a key in the search; keys that it does not use move in the table.
func (s *Screen) searchKey(msg tea.KeyMsg) tea.Cmd {
	if msg.String() == "tab" && len(s.bar.completions) == 0 {
		s.bar.completions = s.bar.completionsFor(s.known(), s.now())
		s.bar.setCompletions(false, false)
		return nil
	}
	changed, took := s.bar.key(msg)
	switch {
	case changed:
		s.bar.complete(s.known(), s.now())
		return s.searchBarText(cursorTop)
	case took:
		return nil
	}
	s.bar.complete(s.known(), s.now()) // the cursor may be in another word
	if msg.String() == "pgup" || msg.String() == "pgdown" {
		s.grid.Update(msg)
		s.moved()
	}
	return nil
}

// moved updates the state after the user has moved the cursor.
func (l *listing) moved() {
	l.moves++
	if row, ok := l.grid.at(l.grid.Cursor); ok {
		l.home, l.current, l.grid.missing = row.ID, row.ID, ""
	}
	if l.selection.ranging && l.answer != nil {
		l.selection.extendRange(l.answer.result, l.grid.Cursor)
	}
	l.onDescribe()
}

// selected returns the campaign under the cursor; false if there is none.
func (l *listing) selected() (engine.Summary, bool) { return l.grid.selected() }

// Campaign returns the campaign under the cursor with the data of its row.
func (l *listing) Campaign() (engine.Campaign, bool) {
	sum, ok := l.selected()
	return engine.Campaign{Head: sum.Head}, ok
}

// SubjectLabel returns the name of the campaign under the cursor.
func (l *listing) SubjectLabel() string {
	sum, _ := l.selected()
	return sum.Title()
}

// maxRelatedRows is how many rows are searched for campaigns of other channels.
const maxRelatedRows = 500

// Related returns the first campaign of each channel other than the current one.
func (l *listing) Related() []engine.Campaign {
	sum, ok := l.selected()
	if !ok {
		return nil
	}
	seen := map[engine.Channel]bool{sum.Channel: true}
	var out []engine.Campaign
	for i := range min(l.grid.Len(), maxRelatedRows) {
		if row, ok := l.grid.at(i); ok && !seen[row.Channel] && row.Channel.Writable() {
			seen[row.Channel] = true
			out = append(out, engine.Campaign{Head: row.Head})
		}
	}
	return out
}

// maxFound is how many campaigns the palette shows.
const maxFound = 10

// Find searches campaigns for the palette.
func (l *listing) Find(words string) func(context.Context) []screen.PaletteItem {
	ix, now := l.source.index(), l.now()
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

// zonedClock returns the current time in the display zone.
func zonedClock(deps screen.Deps) func() time.Time {
	return func() time.Time { return deps.Local(deps.Now()) }
}
