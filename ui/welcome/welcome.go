// Package welcome is the screen of the first start, which creates a workspace.
package welcome

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/themes"
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
	failed        error
	width, height int
}

const taskStart = "start"

// New returns the screen.
func New(deps screen.Deps, start Start) *Screen {
	return &Screen{Base: screen.NewBase(), theme: deps.Theme, start: start}
}

// options are the workspaces to start with.
var options = []struct {
	name, key, about string
	sample           bool
}{
	{"Sample workspace", "enter", "Campaigns of every type and status, 12 users to send tests to, segments, connectors and content blocks. Nothing leaves this machine: test messages go to a local outbox.", true},
	{"Empty workspace", "n", "No campaigns, no users. Create campaigns, and add connectors and users under Workspace.", false},
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
	if s.Running(taskStart) {
		return nil
	}
	return []screen.Action{
		{Keys: []string{"enter"}, Label: "sample workspace", Help: "start with the sample workspace", Group: "Welcome", BarPriority: 9, Run: s.begin(true)},
		{Keys: []string{"n"}, Label: "new workspace", Help: "start with an empty workspace", Group: "Welcome", BarPriority: 8, Run: s.begin(false)},
	}
}

// begin returns what creates a workspace.
func (s *Screen) begin(sample bool) func() tea.Cmd {
	return func() tea.Cmd {
		s.failed = nil
		start := func(ctx context.Context) (screen.Deps, error) { return s.start(ctx, sample) }
		return screen.Go(&s.Base, taskStart, start, func(deps screen.Deps, err error) tea.Cmd {
			if s.failed = err; err != nil {
				return nil
			}
			return screen.Send(screen.SwitchWorkspaceMsg{Deps: deps, Route: screen.Route{Name: screen.Campaigns}})
		})
	}
}

// Update continues once the workspace exists.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if r, ok := msg.(screen.Result); ok {
		return r.Done()
	}
	return nil
}

const intro = "Build push and email campaigns section by section, and send tests to a few people. What do you want to start with?"

// View draws the offer in the middle of the screen.
func (s *Screen) View() string {
	panel := widget.NewPanel(s.theme, "Welcome to bugle")
	panel.Focused = true
	panel.SetSize(min(s.width-2, 70), s.height)
	w, _ := panel.Inner()
	lines := append(widget.Wrap(intro, w), "")
	for _, o := range options {
		lines = append(lines, s.theme.Key.Render(o.key)+" "+s.theme.Strong.Render(o.name))
		lines = slices.Concat(lines, widget.WrapStyled(s.theme.Muted, o.about, w), []string{""})
	}
	switch {
	case s.Running(taskStart):
		lines = append(lines, s.theme.Accent.Render("Setting it up…"))
	case s.failed != nil:
		lines = append(lines, widget.WrapStyled(s.theme.Danger, phrase.Sentence(s.failed.Error())+" Try again.", w)...)
	default:
		lines = lines[:len(lines)-1]
	}
	panel.SetSize(min(s.width-2, 70), min(len(lines)+2, s.height))
	return widget.Center(widget.Fit("", s.width, s.height), panel.View(strings.Join(lines, "\n")), s.width, s.height)
}

// Read says the ways to begin.
func (s *Screen) Read() screen.Page {
	rows := make(screen.RowSlice, len(options))
	for i, o := range options {
		rows[i] = screen.Row{Text: o.name, State: o.about, Open: s.begin(o.sample)}
	}
	page := screen.Page{Summary: "There is no workspace here yet. What do you want to start with?", Parts: []screen.Part{{Rows: rows}}}
	if s.failed != nil {
		page.Summary = s.failed.Error()
	}
	return page
}
