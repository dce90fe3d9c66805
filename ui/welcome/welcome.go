// Package welcome is the screen of the first start, which creates a workspace.
package welcome

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Start creates a workspace, the sample or an empty one, and returns the dependencies of its screens.
type Start func(ctx context.Context, sample bool) (screen.Deps, error)

// Screen offers to create the first workspace.
type Screen struct {
	screen.Base
	theme         *themes.Theme
	start         Start
	list          *list.List[option]
	failed        error
	width, height int
}

const taskStart = "start"

// New returns the screen.
func New(deps screen.Deps, start Start) *Screen {
	s := &Screen{Base: screen.NewBase(), theme: deps.Theme, start: start}
	s.list = list.Items(deps.Theme, "workspace", func(o option) widget.Item { return widget.Item{Text: o.name, Info: o.info} })
	s.list.Focused = true
	s.list.Set(options)
	return s
}

// option is a workspace to start with.
type option struct {
	name, info string
	about      string
	sample     bool
}

var options = []option{
	{"Sample workspace", "recommended", "Campaigns of every type and status, 12 users to send tests to, segments, connectors and content blocks. Nothing leaves this machine: test messages go to a local outbox.", true},
	{"Empty workspace", "", "No campaigns, no users. Press n to create a campaign; add connectors and users under Workspace.", false},
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Welcome" }

// Init returns nil: the screen waits for an answer.
func (s *Screen) Init() tea.Cmd { return nil }

// Typing returns false: there is no text field.
func (s *Screen) Typing() bool { return false }

// SetSize sets the size of the screen.
func (s *Screen) SetSize(w, h int) { s.width, s.height = w, h }

// Actions returns what the user can do now.
func (s *Screen) Actions() []screen.Action {
	if s.Busy() {
		return nil
	}
	return []screen.Action{
		{Keys: []string{"enter"}, Label: "start", Help: "create the selected workspace", Group: "Welcome", BarPriority: 9, Run: s.begin},
		{Keys: []string{"↑/↓"}, Label: "choose", Group: "Welcome", BarPriority: 8, HelpOnly: true},
	}
}

func (s *Screen) begin() tea.Cmd {
	chosen, _ := s.list.Selected()
	s.failed = nil
	start := func(ctx context.Context) (screen.Deps, error) { return s.start(ctx, chosen.sample) }
	return screen.Go(&s.Base, taskStart, start, func(deps screen.Deps, err error) tea.Cmd {
		if s.failed = err; err != nil {
			return nil
		}
		return screen.Send(screen.SwitchWorkspaceMsg{Deps: deps, Route: screen.Route{Name: screen.Campaigns}})
	})
}

// Update moves the cursor, and continues once the workspace exists.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		s.list.Key(msg)
	case tea.MouseMsg:
		_, rows, at := s.box()
		msg.Y -= max((s.height-rows)/2, 0) + at
		s.list.Mouse(msg)
	case screen.Result:
		return msg.Done()
	}
	return nil
}

const intro = "Build push and email campaigns section by section, and send tests to a few people. What do you want to start with?"

// box draws the offer and returns its height and the first line of the list. Neither depends on the cursor, so
// that the box does not jump.
func (s *Screen) box() (box string, rows, at int) {
	panel := widget.NewPanel(s.theme, "Welcome to bugle")
	panel.Focused = true
	panel.SetSize(min(s.width-2, 70), s.height)
	w, _ := panel.Inner()
	s.list.SetSize(w, len(options))
	lines := widget.Wrap(intro, w)
	at = len(lines) + 2
	lines = append(lines, "")
	lines = append(lines, strings.Split(s.list.View(), "\n")...)
	lines = append(lines, "")
	chosen, _ := s.list.Selected()
	about := widget.WrapStyled(s.theme.Muted, chosen.about, w)
	for _, o := range options {
		for len(about) < len(widget.Wrap(o.about, w)) {
			about = append(about, "")
		}
	}
	lines = append(lines, about...)
	lines = append(lines, s.status(w)...)
	rows = min(len(lines)+2, s.height)
	panel.SetSize(min(s.width-2, 70), rows)
	return panel.View(strings.Join(lines, "\n")), rows, at
}

// status shows that the workspace is being created, or why that failed.
func (s *Screen) status(w int) []string {
	switch {
	case s.Busy():
		return []string{"", s.theme.Accent.Render("Setting it up…")}
	case s.failed != nil:
		out := []string{""}
		out = append(out, widget.WrapStyled(s.theme.Danger, phrase.Sentence(s.failed.Error())+" Press enter to try again.", w)...)
		return out
	}
	return nil
}

// View draws the offer in the middle of the screen.
func (s *Screen) View() string {
	box, _, _ := s.box()
	return widget.Center(widget.Fit("", s.width, s.height), box, s.width, s.height)
}

// Read says the ways to begin.
func (s *Screen) Read() screen.Page {
	rows := make(screen.RowSlice, len(options))
	for i, o := range options {
		rows[i] = s.list.Rows(nil, nil).Row(i)
		rows[i].State, _, _ = strings.Cut(o.about, " Press ")
	}
	page := screen.Page{Summary: "There is no workspace here yet. What do you want to start with?", Parts: []screen.Part{{Rows: rows}}}
	if s.failed != nil {
		page.Summary = s.failed.Error()
	}
	return page
}
