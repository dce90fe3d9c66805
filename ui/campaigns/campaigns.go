// Package campaigns is the first screen: a table of all campaigns, with counts by state and
// channel that narrow it, and what is known of the campaign under the cursor.
package campaigns

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen is the list of campaigns.
type Screen struct {
	screen.Base
	deps          screen.Deps
	theme         themes.Theme
	width, height int

	rows     []engine.Summary // as the service gave them; never changed in place
	loaded   bool
	loadedAt time.Time
	failed   error // why the last load did not work

	query query
	view  view
	asks  int // counts the views that were asked for
	// keep is the id of the campaign that the cursor belongs on, wherever sorting and filtering
	// put it.
	keep string

	panel   widget.Panel
	table   widget.Table
	filter  widget.Prompt
	facets  widget.List
	choices []choice // what the entries of facets choose
	spans   []span   // where the line of counts can be clicked
	inList  bool     // the keyboard is in the facets
	preview widget.Pager

	lastClick click
}

// New makes the screen.
func New(deps screen.Deps, route screen.Route) *Screen {
	s := &Screen{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme,
		panel:   widget.NewPanel(deps.Theme, "Campaigns"),
		table:   widget.NewTable(deps.Theme),
		filter:  widget.NewPrompt(deps.Theme, "/", "part of a name, tag, team or creator"),
		facets:  widget.NewList(deps.Theme),
		preview: widget.NewPager(deps.Theme),
	}
	s.show(view{})
	return s
}

// Title is the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Campaigns" }

// Init loads the campaigns.
func (s *Screen) Init() tea.Cmd { return s.load() }

// stale is the age from which the list is loaded anew when the screen is on top again: the
// clock moves campaigns on as well.
const stale = 30 * time.Second

// Resume looks again after another screen was on top.
func (s *Screen) Resume() tea.Cmd {
	if s.Running(loading) || s.deps.Now().Sub(s.loadedAt) < stale {
		return nil
	}
	return s.load()
}

// Badge says when what is shown is not all there is.
func (s *Screen) Badge() (string, themes.Tone) {
	switch {
	case s.Running(loading):
		return "loading…", themes.ToneMuted
	case s.failed != nil:
		return "could not load", themes.ToneDanger
	case s.Running(filtering):
		return "filtering…", themes.ToneMuted
	}
	return "", themes.ToneMuted
}

// Typing says that keys belong to the filter.
func (s *Screen) Typing() bool { return s.filter.Focused() }

// SetTheme changes the theme.
func (s *Screen) SetTheme(t themes.Theme) {
	s.theme, s.deps.Theme = t, t
	s.panel.SetTheme(t)
	s.table.SetTheme(t)
	s.filter.SetTheme(t)
	s.facets.SetTheme(t)
	s.preview.SetTheme(t)
	s.describe()
}

// Update takes messages, and the keys that are no action.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return s.result(msg)
	case screen.ChangedMsg:
		if msg.Select {
			s.keep = msg.ID
		}
		return s.load()
	case tea.MouseMsg:
		return s.mouse(msg)
	case tea.KeyMsg:
		return s.key(msg)
	}
	return nil
}

func (s *Screen) key(msg tea.KeyMsg) tea.Cmd {
	switch {
	case s.filter.Focused():
		return s.filterKey(msg)
	case s.inList:
		s.facets.Update(msg)
	case s.table.Update(msg):
		s.moved()
	}
	return nil
}

// filterKey takes a key of the filter; those that mean nothing to a line of text move in the
// table, so that a campaign can be picked while typing.
func (s *Screen) filterKey(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "up", "down", "pgup", "pgdown":
		s.table.Update(msg)
		s.moved()
		return nil
	}
	if !s.filter.Update(msg) {
		return nil
	}
	s.query.text = s.filter.Value()
	return s.refine(true)
}

// moved follows the cursor after a person has moved it.
func (s *Screen) moved() {
	if sum, ok := s.selected(); ok {
		s.keep = sum.ID
	}
	s.describe()
}

// selected gives the campaign under the cursor, and false where there is none.
func (s *Screen) selected() (engine.Summary, bool) {
	if s.table.Cursor >= len(s.view.shown) {
		return engine.Summary{}, false
	}
	return s.view.rows[s.view.shown[s.table.Cursor]], true
}

// refine brings the view up to date with rows and query. Where there are very many rows, it
// does so beside the keyboard, and the old view stays until then. fresh says that the query
// asks for something else, so that a cursor whose campaign is gone starts at the top.
func (s *Screen) refine(fresh bool) tea.Cmd {
	rows, q := s.rows, s.query
	q.keep = s.keep
	s.asks++
	asks := s.asks
	if len(rows) <= atOnce {
		s.Cancel(filtering)
		v, _ := narrow(context.Background(), rows, q) // only a context makes it fail
		v.fresh = fresh
		s.show(v)
		return nil
	}
	return s.Run(filtering, func(ctx context.Context) (any, error) {
		v, err := narrow(ctx, rows, q)
		v.fresh = fresh
		return filtered{v, q.keep, asks}, err
	})
}

// show puts a view in the table, the cursor on the campaign that it belongs on.
func (s *Screen) show(v view) {
	s.view = v
	s.table.Columns = s.columns()
	s.table.SetRows(tableRows{s})
	switch {
	case v.at >= 0:
		s.table.Select(v.at)
	case v.fresh:
		s.table.Home()
	default:
		if sum, ok := s.selected(); ok {
			s.keep = sum.ID
		}
	}
	s.listFacets()
	s.layout()
	s.describe()
}
