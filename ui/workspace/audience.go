package workspace

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/workspace/settings"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// untold is said where the service cannot evaluate filters.
const untold = "This service does not show who matches. Recipients are counted when a campaign is sent."

const (
	maxMembers = 500 // people who are listed
	maxFound   = 50  // people whom a search lists, each of whom is looked at
)

// Audience is the screen of whom filters pick: the people, and for each which filter let them in or
// kept them out.
type Audience struct {
	screen.Base
	deps    screen.Deps
	theme   themes.Theme
	title   string
	filters doc.Value
	reader  engine.AudienceReader // nil where the service cannot tell

	count  engine.AudienceCount
	people []person
	found  string // what the list was searched for; "" shows who is in
	loaded bool
	failed error
	why    explained

	table  widget.Table
	filter widget.Prompt
	pager  widget.Pager
	focus  pane

	width, height int
}

// person is somebody in the list.
type person struct {
	engine.User
	in bool
}

// explained is what the filters say of a person.
type explained struct {
	id     string
	result engine.AudienceResult
}

// who is what a search of people gave.
type who struct {
	count  engine.AudienceCount
	people []person
	found  string
}

func newAudience(deps screen.Deps, r screen.Route) *Audience {
	s := &Audience{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme, title: r.Query, filters: r.Doc,
		table: widget.NewTable(deps.Theme,
			widget.Column{Title: "", Min: 1, Max: 1}, widget.Column{Title: "Id", Min: 10, Max: 24, Weight: 1},
			widget.Column{Title: "Name", Min: 10, Max: 30, Weight: 2}, widget.Column{Title: "Email", Min: 16, Weight: 2, Priority: 1}),
		filter: widget.NewPrompt(deps.Theme, "/", "name, email address or ID"), pager: widget.NewPager(deps.Theme), focus: paneRecords,
	}
	s.reader, _ = deps.Service.(engine.AudienceReader)
	s.table.Focused = true
	return s
}

// Title is the screen's part of the breadcrumb.
func (s *Audience) Title() string { return "Who matches " + widget.Clean(s.title) }

// Badge counts the people.
func (s *Audience) Badge() (string, themes.Tone) {
	switch {
	case s.Running(taskWho):
		return "counting…", themes.ToneMuted
	case !s.loaded || s.failed != nil:
		return "", themes.ToneMuted
	}
	return phrase.Thousands(s.count.Matched) + " of " + phrase.Thousands(s.count.Total), themes.ToneMuted
}

// Init finds who is in.
func (s *Audience) Init() tea.Cmd { return s.load() }

// Resume finds them again: a user may have been changed.
func (s *Audience) Resume() tea.Cmd { return s.load() }

func (s *Audience) load() tea.Cmd {
	if s.reader == nil {
		s.loaded = true
		return nil
	}
	reader, filters, words := s.reader, s.filters, strings.TrimSpace(s.filter.Value())
	keeper, _ := s.deps.Service.(engine.UserStore)
	return s.Run(taskWho, func(ctx context.Context) (any, error) {
		out := who{found: words}
		var err error
		if out.count, err = reader.EstimateAudience(ctx, engine.AudienceRequest{Filters: filters}); err != nil {
			return nil, err
		}
		if words == "" || keeper == nil {
			ps, err := reader.AudienceMembers(ctx, engine.AudienceRequest{Filters: filters, Limit: maxMembers})
			for _, p := range ps {
				out.people = append(out.people, person{p, true})
			}
			return out, err
		}
		ps, err := keeper.Users(ctx, words, maxFound)
		if err != nil {
			return nil, err
		}
		for _, p := range ps {
			r, err := reader.ExplainAudience(ctx, engine.AudienceRequest{Filters: filters, UserID: p.ID})
			if err != nil {
				return nil, err
			}
			out.people = append(out.people, person{p, r.Matched})
		}
		return out, nil
	})
}

// Update takes results, keys and the mouse.
func (s *Audience) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		if s.Accept(msg) {
			return s.result(msg)
		}
	case tea.KeyMsg:
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	return nil
}

func (s *Audience) result(r screen.Result) tea.Cmd {
	if screen.Canceled(r.Err) {
		return nil
	}
	switch r.Kind {
	case taskWho:
		s.loaded, s.failed = true, r.Err
		if r.Err != nil {
			return nil
		}
		id := ""
		if p, ok := s.selected(); ok {
			id = p.ID
		}
		w := r.Value.(who)
		s.count, s.people, s.found = w.count, w.people, w.found
		s.table.SetRows(personRows(s.people))
		for i, p := range s.people {
			if p.ID == id {
				s.table.Select(i)
			}
		}
		return s.explain()
	case taskWhy:
		if r.Err != nil {
			return notice(r.Err)
		}
		s.why = r.Value.(explained)
		s.draw()
	}
	return nil
}

func (s *Audience) selected() (person, bool) {
	if s.table.Cursor >= len(s.people) {
		return person{}, false
	}
	return s.people[s.table.Cursor], true
}

// explain finds what the filters say of the person under the cursor.
func (s *Audience) explain() tea.Cmd {
	p, ok := s.selected()
	if !ok || s.reader == nil {
		s.why = explained{}
		s.draw()
		return nil
	}
	reader, filters := s.reader, s.filters
	return s.Run(taskWhy, func(ctx context.Context) (any, error) {
		r, err := reader.ExplainAudience(ctx, engine.AudienceRequest{Filters: filters, UserID: p.ID})
		return explained{p.ID, r}, err
	})
}

func (s *Audience) key(msg tea.KeyMsg) tea.Cmd {
	before := s.table.Cursor
	switch s.focus {
	case paneFilter:
		if s.filter.Update(msg) {
			return s.load()
		}
		if msg.Type != tea.KeyRunes {
			s.table.Window.Update(msg)
		}
	case paneReport:
		s.pager.Update(msg)
	default:
		s.table.Window.Update(msg)
	}
	if s.table.Cursor != before {
		return s.explain()
	}
	return nil
}

func (s *Audience) mouse(msg tea.MouseMsg) tea.Cmd {
	press := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	if s.both() && msg.X >= s.tableWidth() || !s.both() && s.focus == paneReport {
		if press {
			s.toWhy()
		}
		s.pager.Mouse(msg)
		return nil
	}
	before := s.table.Cursor
	if s.table.Mouse(msg, msg.Y-1-len(s.head())) && press {
		s.focus = paneRecords
		s.filter.Blur()
	}
	if s.table.Cursor != before {
		return s.explain()
	}
	return nil
}

// Typing says that a search is being typed.
func (s *Audience) Typing() bool { return s.focus == paneFilter }

// Actions are what can be done, by where the keyboard is.
func (s *Audience) Actions() []screen.Action {
	cannot := ""
	if s.reader == nil {
		cannot = untold
	}
	switch s.focus {
	case paneFilter:
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: groupMove, BarPriority: 9, WhileTyping: true, Run: s.keepFilter},
			{Keys: []string{"esc"}, Label: "show all", Help: "show who matches", Group: groupMove, BarPriority: 8, WhileTyping: true, Run: s.dropFilter},
		}
	case paneReport:
		return []screen.Action{{Keys: []string{"esc", "enter", "tab"}, Label: "users", Help: "back to the users", Group: groupMove, BarPriority: 9, Run: s.toPeople}}
	}
	none := cannot
	if _, ok := s.selected(); !ok && none == "" {
		none = "No user is selected."
	}
	acts := []screen.Action{
		{Keys: []string{"enter", "tab", "right", "l"}, Label: "why", Help: "see which filters included or excluded this user", Group: groupMove, BarPriority: 9, DisabledReason: none, Run: s.toWhy},
		{Keys: []string{"/"}, Label: "find", Help: "find any user, in the audience or not", Group: groupMove, BarPriority: 8, DisabledReason: cannot, Run: s.toFilter},
		{Name: "user", Keys: []string{"o"}, Label: "user", Help: "open the user's record", Group: groupRecord, BarPriority: 6, DisabledReason: none, Run: s.openUser},
		{Name: "copy-ids", Keys: []string{"y"}, Label: "copy IDs", Help: "copy the listed IDs, one per line", Group: groupRecord, BarPriority: 4, DisabledReason: none, Run: s.copy},
		{Keys: []string{"r"}, Label: "reload", Help: "reload everything", Group: groupWorkspace, DisabledReason: cannot, Run: s.load},
	}
	if s.filter.Value() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "show all", Help: "show who matches", Group: groupMove, BarPriority: 5, Run: s.dropFilter})
	}
	return acts
}

func (s *Audience) toWhy() tea.Cmd {
	s.focus, s.table.Focused = paneReport, false
	return nil
}

func (s *Audience) toPeople() tea.Cmd {
	s.focus, s.table.Focused = paneRecords, true
	return nil
}

func (s *Audience) toFilter() tea.Cmd {
	s.focus = paneFilter
	s.filter.Focus()
	return nil
}

func (s *Audience) keepFilter() tea.Cmd {
	s.filter.Blur()
	return s.toPeople()
}

func (s *Audience) dropFilter() tea.Cmd {
	s.filter.SetValue("")
	s.filter.Blur()
	return tea.Batch(s.toPeople(), s.load())
}

func (s *Audience) openUser() tea.Cmd {
	p, ok := s.selected()
	users, known := settings.Find("users")
	if !ok || !known {
		return nil
	}
	return screen.Open(recordRoute(users, p.ID, doc.Value{}))
}

func (s *Audience) copy() tea.Cmd {
	ids := make([]string, len(s.people))
	for i, p := range s.people {
		ids[i] = p.ID
	}
	return screen.Copy(strings.Join(ids, "\n"), "the IDs")
}
