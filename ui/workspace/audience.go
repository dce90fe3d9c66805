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
	"bugle/ui/filters"
	"bugle/ui/list"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

const (
	maxMembers = 500 // maximum number of listed users
	maxFound   = 50  // maximum number of search hits
)

// Audience is the screen of the users that match filters, with an explanation for each.
type Audience struct {
	screen.Base
	deps    screen.Deps
	theme   *themes.Theme
	title   string
	filters doc.Value
	reader  engine.AudienceReader // nil if the service cannot evaluate filters

	count       engine.AudienceCount
	members     []engine.User // the first of those that match
	searched    string        // the search of the list; "" lists the matching users
	loaded      bool
	failed      error
	explanation explanation

	panes panes.Panes
	users *list.List[user]
	pager widget.Pager
}

// The panes.
const (
	paneUsers = iota
	paneWhy
)

// user is a user in the list. Of a search hit it may not be known whether the filters match until it is selected.
type user struct {
	engine.User
	known, matches bool
}

// explanation is the result of the filters for a user.
type explanation struct {
	id     string
	result engine.AudienceResult
}

// audienceLoaded has the users that match.
type audienceLoaded struct {
	count   engine.AudienceCount
	members []engine.User
}

func newAudience(deps screen.Deps, r screen.Route) *Audience {
	s := &Audience{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme, title: r.Query, filters: r.Doc,
		pager: widget.NewPager(deps.Theme),
	}
	s.users = list.Table(deps.Theme, "user", user.cells,
		widget.Column{Title: "", Min: 1, Max: 1}, widget.Column{Title: "Id", Min: 10, Max: 24, Weight: 1},
		widget.Column{Title: "Name", Min: 10, Max: 30, Weight: 2}, widget.Column{Title: "Email", Min: 16, Weight: 2, Priority: 1})
	s.users.Same = func(a, b user) bool { return a.ID == b.ID }
	s.users.Filter("name, email address or ID", nil)
	s.reader, _ = deps.Service.(engine.AudienceReader)
	s.panes = panes.New(deps.Theme, panes.Pane{Name: "users"}, panes.Pane{Name: "why", From: bothMinWidth, Share: 50})
	if len(r.Path) > 1 && s.reader != nil {
		s.users.TypeFilter() // opened to find somebody
	}
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Audience) Title() string { return "Who matches " + widget.Clean(s.title) }

// Badge counts the users.
func (s *Audience) Badge() (string, themes.Tone) {
	switch {
	case s.Running(taskAudience):
		return "counting…", themes.ToneMuted
	case !s.loaded || s.failed != nil:
		return "", themes.ToneMuted
	}
	return phrase.Thousands(s.count.Matched) + " of " + phrase.Thousands(s.count.Total), themes.ToneMuted
}

// Init loads the matching users.
func (s *Audience) Init() tea.Cmd { return s.load() }

// Resume loads them again, because a user may have been changed.
func (s *Audience) Resume() tea.Cmd { return s.load() }

func (s *Audience) load() tea.Cmd {
	if s.reader == nil {
		s.loaded = true
		return nil
	}
	reader, filters := s.reader, s.filters
	return screen.Go(&s.Base, taskAudience, func(ctx context.Context) (audienceLoaded, error) {
		var out audienceLoaded
		var err error
		if out.count, err = reader.EstimateAudience(ctx, engine.AudienceRequest{Filters: filters}); err == nil {
			out.members, err = reader.AudienceMembers(ctx, engine.AudienceRequest{Filters: filters, Limit: maxMembers})
		}
		return out, err
	}, func(who audienceLoaded, err error) tea.Cmd {
		if screen.Canceled(err) {
			return nil
		}
		if s.loaded, s.failed = true, err; err != nil {
			return nil
		}
		s.count, s.members = who.count, who.members
		return s.find()
	})
}

// find searches all users for the text of the filter. Without one it shows the users that match.
func (s *Audience) find() tea.Cmd {
	users, ok := s.deps.Service.(engine.UserStore)
	text := strings.TrimSpace(s.users.FilterText())
	if text == "" || !ok {
		s.Drop(taskFind)
		return s.show("", s.members)
	}
	work := screen.Settled(&s.Base, taskFind, func(ctx context.Context) ([]engine.User, error) { return users.Users(ctx, text, maxFound) })
	return screen.Go(&s.Base, taskFind, work, orNotify(func(found []engine.User) tea.Cmd { return s.show(text, found) }))
}

// show lists users, with the cursor on the one that it was on.
func (s *Audience) show(searched string, users []engine.User) tea.Cmd {
	members := make(map[string]bool, len(s.members))
	for _, p := range s.members {
		members[p.ID] = true
	}
	all := len(s.members) == s.count.Matched
	rows := make([]user, len(users))
	for i, p := range users {
		rows[i] = user{p, all || members[p.ID], members[p.ID]}
	}
	s.searched = searched
	s.users.Set(rows)
	return s.explain()
}

// Update handles results, keys and mouse events.
func (s *Audience) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	case tea.KeyMsg:
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	return nil
}

// explain evaluates the filters for the selected user.
func (s *Audience) explain() tea.Cmd {
	p, ok := s.users.Selected()
	if !ok || s.reader == nil {
		s.explanation = explanation{}
		s.draw()
		return nil
	}
	reader, filters := s.reader, s.filters
	work := screen.Settled(&s.Base, taskExplain, func(ctx context.Context) (engine.AudienceResult, error) {
		return reader.ExplainAudience(ctx, engine.AudienceRequest{Filters: filters, UserID: p.ID})
	})
	return screen.Go(&s.Base, taskExplain, work, orNotify(func(r engine.AudienceResult) tea.Cmd {
		s.explanation = explanation{p.ID, r}
		for i, u := range s.users.Shown() {
			if u.ID == p.ID {
				s.users.Shown()[i].known, s.users.Shown()[i].matches = true, r.Matched
			}
		}
		s.draw()
		return nil
	}))
}

func (s *Audience) key(msg tea.KeyMsg) tea.Cmd {
	if s.panes.Focused() == paneWhy {
		s.pager.Update(msg)
		return nil
	}
	switch s.users.Key(msg) {
	case list.Filtered:
		return s.find()
	case list.Moved:
		return s.explain()
	}
	return nil
}

func (s *Audience) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, msg := s.panes.Mouse(msg)
	switch pane {
	case paneWhy:
		if widget.Pressed(msg) {
			s.focusExplanation(user{})
		}
		s.pager.Mouse(msg)
	case paneUsers:
		before := s.users.Index()
		msg.Y -= len(s.header())
		if hit, _ := s.users.Mouse(msg); hit && widget.Pressed(msg) {
			s.focusUsers()
		}
		if s.users.Index() != before {
			return s.explain()
		}
	}
	return nil
}

// Typing reports whether the search has the keyboard.
func (s *Audience) Typing() bool { return s.users.Filtering() }

// Actions returns what the user can do in the focused pane.
func (s *Audience) Actions() []screen.Action {
	cannot := ""
	if s.reader == nil {
		cannot = filters.UnsupportedText
	}
	switch {
	case s.users.Filtering():
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: groupMove, BarPriority: 9, WhileTyping: true, Run: s.users.ApplyFilter},
			{Keys: []string{"esc"}, Label: "show all", Help: "show who matches", Group: groupMove, BarPriority: 8, WhileTyping: true, Run: s.clearFilter},
		}
	case s.panes.Focused() == paneWhy:
		return []screen.Action{{Keys: []string{"esc", "enter", "tab"}, Label: "users", Help: "back to the users", Group: groupMove, BarPriority: 9, Run: s.focusUsers}}
	}
	acts := []screen.Action{
		s.users.On(screen.Action{Keys: []string{"enter", "tab", "right", "l"}, Label: "why", Help: "see which filters included or excluded this user", Group: groupMove, BarPriority: 9, DisabledReason: cannot}, nil, s.focusExplanation),
		{Keys: []string{"/"}, Label: "find", Help: "find any user, in the audience or not", Group: groupMove, BarPriority: 8, DisabledReason: cannot, Run: s.users.TypeFilter},
		s.users.On(screen.Action{Name: "user", Keys: []string{"o"}, Label: "user", Help: "open the user's record", Group: groupRecord, BarPriority: 6, DisabledReason: cannot}, nil, openUser),
		s.users.On(screen.Action{Name: "copy-ids", Keys: []string{"y"}, Label: "copy IDs", Help: "copy the listed IDs, one per line", Group: groupRecord, BarPriority: 4, DisabledReason: cannot}, nil, s.copy),
		{Keys: []string{"r"}, Label: "reload", Help: "reload everything", Group: groupWorkspace, DisabledReason: cannot, Run: s.load},
	}
	if s.users.FilterText() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "show all", Help: "show who matches", Group: groupMove, BarPriority: 5, Run: s.clearFilter})
	}
	return acts
}

func (s *Audience) focusExplanation(user) tea.Cmd {
	s.users.ApplyFilter()
	s.panes.Focus(paneWhy)
	return nil
}

func (s *Audience) focusUsers() tea.Cmd {
	s.panes.Focus(paneUsers)
	return nil
}

func (s *Audience) clearFilter() tea.Cmd {
	s.users.ClearFilter()
	return s.find()
}

func openUser(p user) tea.Cmd {
	users, known := settings.Find("users")
	if !known {
		return nil
	}
	return screen.Open(recordRoute(users, p.ID, doc.Value{}))
}

func (s *Audience) copy(user) tea.Cmd {
	var ids []string
	for _, p := range s.users.Shown() {
		ids = append(ids, p.ID)
	}
	return screen.Copy(strings.Join(ids, "\n"), "the IDs")
}
