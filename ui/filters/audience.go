package filters

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

const (
	maxMatching = 500 // maximum number of listed users
	maxFound    = 50  // maximum number of search hits
)

// Tasks.
const (
	taskMatching = "who"
	taskFind     = "find"
	taskExplain  = "why"
)

// Audience is the screen of the users that match filters, with an explanation for each.
type Audience struct {
	screen.Base
	*list.Browser[user]

	deps    screen.Deps
	title   string
	filters doc.Value
	reader  engine.AudienceReader // nil if the service cannot evaluate filters

	audience matching // the first of the users that match
	searched string   // the search of the list; "" lists the matching users
	loaded   bool
	failed   error
}

// user is a user in the list. Of a search hit it may not be known whether the filters match until it is selected.
type user struct {
	engine.User
	known, matches bool
}

// The path of the screen in a route to the workspace's screens. With a second step, the user is asked for.
const (
	AudiencePath = "audience"
	findPath     = "find"
)

// AudienceRoute returns the route of the screen that lists who matches filters, and why.
func AudienceRoute(title string, filters doc.Value) screen.Route {
	return screen.Route{Name: screen.Workspace, Path: doc.P(AudiencePath), Query: title, Doc: filters}
}

// NewAudience returns the screen of an [AudienceRoute].
func NewAudience(deps screen.Deps, r screen.Route) *Audience {
	s := &Audience{Base: screen.NewBase(), deps: deps, title: widget.Clean(r.Query), filters: r.Doc}
	s.reader, _ = deps.Service.(engine.AudienceReader)
	s.Browser = list.New(deps.Theme, list.Config[user]{
		Title: "Users", Hint: "name, email address or ID", Row: user.cells, Same: func(a, b user) bool { return a.ID == b.ID },
		Columns: []widget.Column{
			{Title: "", Min: 1, Max: 1}, {Title: "Id", Min: 10, Max: 24, Weight: 1},
			{Title: "Name", Min: 10, Max: 30, Weight: 2}, {Title: "Email", Min: 16, Weight: 2, Priority: 1},
		},
		Empty: s.emptyText, Above: s.above,
		Head: func(user, bool) (string, string) { return "Why", "" }, PageShare: 50, Below: true,
		Labels: list.Labels{
			Noun: "user", Entries: "users", Group: "Users", Read: "see which filters included or excluded this user",
			Filter: "find any user, in the audience or not", Next: "next user", Prev: "previous user",
		},
	})
	if len(r.Path) > 1 && s.reader != nil {
		s.TypeFilter() // opened to find somebody
	}
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Audience) Title() string { return "Who matches " + s.title }

// Badge shows running work.
func (s *Audience) Badge() (string, themes.Tone) {
	if s.Running(taskMatching) {
		return "counting…", themes.ToneMuted
	}
	return "", themes.ToneMuted
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
	return screen.Go(&s.Base, taskMatching, func(ctx context.Context) (matching, error) {
		return countMatching(ctx, reader, filters, maxMatching)
	}, func(found matching, err error) tea.Cmd {
		if screen.Canceled(err) {
			return nil
		}
		if s.loaded, s.failed = true, err; err != nil {
			return nil
		}
		s.audience = found
		return s.find()
	})
}

// find searches all users for the text of the filter. Without one it lists the users that match.
func (s *Audience) find() tea.Cmd {
	users, ok := s.deps.Service.(engine.UserStore)
	text := strings.TrimSpace(s.FilterText())
	if text == "" || !ok {
		s.Drop(taskFind)
		return s.show("", s.audience.members)
	}
	work := screen.Settled(&s.Base, taskFind, func(ctx context.Context) ([]engine.User, error) { return users.Users(ctx, text, maxFound) })
	return screen.Go(&s.Base, taskFind, work, screen.OrNotify(func(found []engine.User) tea.Cmd { return s.show(text, found) }))
}

// show lists users, with the cursor on the one that it was on.
func (s *Audience) show(searched string, users []engine.User) tea.Cmd {
	members := make(map[string]bool, len(s.audience.members))
	for _, u := range s.audience.members {
		members[u.ID] = true
	}
	all := len(members) == s.audience.count.Matched
	rows := make([]user, len(users))
	for i, u := range users {
		rows[i] = user{u, all || members[u.ID], members[u.ID]}
	}
	s.searched = searched
	s.Set(rows)
	return s.explain()
}

// explain evaluates the filters for the selected user, if that is another one than before.
func (s *Audience) explain() tea.Cmd {
	u, ok := s.Selected()
	if !ok || s.reader == nil {
		s.Page.Clear()
		return nil
	}
	reader, filters := s.reader, s.filters
	work := screen.Settled(&s.Base, taskExplain, func(ctx context.Context) (engine.AudienceResult, error) {
		return reader.ExplainAudience(ctx, engine.AudienceRequest{Filters: filters, UserID: u.ID})
	})
	return screen.Go(&s.Base, taskExplain, work, screen.OrNotify(func(r engine.AudienceResult) tea.Cmd {
		for i, row := range s.Shown() {
			if row.ID == u.ID {
				s.Shown()[i].known, s.Shown()[i].matches = true, r.Matched
			}
		}
		s.Page.Clear()
		s.Page.Show(u.ID, list.Tab{Draw: func(width, _ int) list.Text {
			return list.Text{Text: s.why(u.User, r, width), Styled: true}
		}})
		return nil
	}))
}

// Update handles results, keys and mouse events.
func (s *Audience) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	case tea.KeyMsg:
		return s.follow(func() { s.Key(msg) })
	case tea.MouseMsg:
		return s.follow(func() { s.Mouse(msg) })
	}
	return nil
}

// follow does something with the list, and then searches for another text, or explains another user.
func (s *Audience) follow(do func()) tea.Cmd {
	text, at := s.FilterText(), s.Index()
	do()
	switch {
	case s.FilterText() != text:
		return s.find()
	case s.Index() != at:
		return s.explain()
	}
	return nil
}

// Actions returns what the user can do in the focused pane.
func (s *Audience) Actions() []screen.Action {
	no := ""
	if s.reader == nil {
		no = UnsupportedText
	}
	acts := s.Browser.Actions([]screen.Action{
		s.On(screen.Action{Name: "edit-user", Keys: []string{"e"}, Label: "user", Help: "open the user's record", Group: "Users", BarPriority: 6, DisabledReason: no}, nil, openUser),
		s.On(screen.Action{Name: "copy-ids", Keys: []string{"y"}, Label: "copy IDs", Help: "copy the listed IDs, one per line", Group: "Users", BarPriority: 4, DisabledReason: no}, nil, s.copy),
		{Keys: []string{"r"}, Label: "reload", Help: "reload everything", Group: "Users", DisabledReason: no, Run: s.load},
	})
	for i, a := range acts { // clearing the filter or going to the next user is followed by another task
		acts[i].Run = func() (cmd tea.Cmd) {
			after := s.follow(func() { cmd = a.Run() })
			return tea.Batch(cmd, after)
		}
	}
	return acts
}

func openUser(u user) tea.Cmd {
	return screen.Open(screen.Route{Name: screen.Workspace, Path: doc.P("users"), Query: u.ID})
}

func (s *Audience) copy(user) tea.Cmd {
	var ids []string
	for _, u := range s.Shown() {
		ids = append(ids, u.ID)
	}
	return screen.Copy(strings.Join(ids, "\n"), "the IDs")
}

// cells returns the row of a user in the table.
func (u user) cells() widget.Cells {
	mark := widget.Cell{Text: "✓", Tone: themes.ToneSuccess}
	switch {
	case !u.known:
		mark = widget.Cell{}
	case !u.matches:
		mark = widget.Cell{Text: "✗", Tone: themes.ToneWarning}
	}
	mail, _ := u.Attributes[engine.AttrEmail].(string)
	return widget.Cells{mark, {Text: u.ID}, {Text: u.DisplayName()}, {Text: mail, Tone: themes.ToneMuted}}
}

// above returns the filters in words, and how many users match and can be reached.
func (s *Audience) above(w int) []string {
	var out []string
	for _, l := range wrapMax(audience.Describe(s.filters, nil, audience.Env{}), w, 2) {
		out = append(out, s.deps.Theme.Text.Render(l))
	}
	if s.loaded && s.failed == nil && s.reader != nil {
		c := s.audience.count
		words := fmt.Sprintf("%s · %s by email, %s by push", matchedText(c), phrase.Thousands(c.Reach.Email), phrase.Thousands(c.Reach.Push))
		out = append(out, s.deps.Theme.Muted.Render(widget.Truncate(words, w)))
	}
	return out
}

func (s *Audience) emptyText() string {
	switch {
	case s.reader == nil:
		return UnsupportedText
	case s.failed != nil:
		return "Cannot load the audience: " + phrase.Sentence(s.failed.Error()) + "\nPress r to reload."
	case !s.loaded:
		return "Counting…"
	case s.searched != "":
		return "No user matches this search. Press esc to clear it."
	}
	return "Nobody matches. Press / to find a user and see why they are not included."
}

// Read says how many users match, and who; or why the open one does.
func (s *Audience) Read() screen.Page {
	page := s.Browser.Read()
	page.Place = strings.TrimPrefix(page.Place, "Users, ")
	if page.Search != nil {
		page.Search = func(words string) tea.Cmd {
			s.Search(words)
			return s.find()
		}
		page.Parts = []screen.Part{{Rows: s.Rows(s.explain, nil)}}
	}
	return page
}

// why draws which filters decided whether a user is included, and then all of them with their results.
func (s *Audience) why(u engine.User, result engine.AudienceResult, width int) string {
	t := s.deps.Theme
	head, tone := u.DisplayName()+" is not included:", themes.ToneWarning
	if result.Matched {
		head, tone = u.DisplayName()+" is included:", themes.ToneSuccess
	}
	lines := widget.WrapStyled(t.Tone(tone), head, width)
	for _, r := range result.Decisive() {
		if r.Words != "" {
			lines = append(lines, widget.WrapIndented(t.Text, r.Words, width, 2)...)
		}
		if r.Found != "" {
			lines = append(lines, widget.WrapIndented(t.Muted, "→ "+r.Found, width, 4)...)
		}
	}
	lines = append(lines, "", t.Header.Render("All filters"))
	return strings.Join(drawFilters(t, lines, result.Children, width, 0), "\n")
}

// drawFilters appends the nested filters with their results to lines.
func drawFilters(t *themes.Theme, lines []string, rs []engine.AudienceResult, width, indent int) []string {
	for _, r := range rs {
		mark, tone := "✓ ", themes.ToneSuccess
		if !r.Matched {
			mark, tone = "✗ ", themes.ToneWarning
		}
		words := r.Words
		switch {
		case words == "" && r.Excludes:
			words = "excluded by:"
		case words == "" && r.Any:
			words = "any of:"
		case words == "":
			words = "all of:"
		}
		for _, l := range widget.Wrap(widget.Clean(words), max(width-indent-2, 1)) {
			lines = append(lines, strings.Repeat(" ", indent)+t.Paint(tone, mark)+t.Text.Render(l))
			mark = "  "
		}
		if r.Found != "" {
			lines = append(lines, widget.WrapIndented(t.Tone(themes.ToneFaint), widget.Clean(r.Found), width, indent+2)...)
		}
		lines = drawFilters(t, lines, r.Children, width, indent+2)
	}
	return lines
}
