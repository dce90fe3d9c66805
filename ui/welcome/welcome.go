// Package welcome is the screen of the very first start: it offers a workspace to begin with.
package welcome

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Start makes a workspace, the sample or an empty one, and gives what screens need to work in
// it.
type Start func(ctx context.Context, sample bool) (screen.Deps, error)

// Screen is the first thing that a new user sees.
type Screen struct {
	screen.Base
	theme         themes.Theme
	start         Start
	list          widget.List
	failed        error
	width, height int
}

const taskStart = "start"

// New makes the screen.
func New(deps screen.Deps, start Start) *Screen {
	s := &Screen{Base: screen.NewBase(), theme: deps.Theme, start: start, list: widget.NewList(deps.Theme,
		widget.Item{Icon: "▸", IconTone: themes.ToneAccent, Text: "The sample workspace", Info: "recommended"},
		widget.Item{Icon: "▸", IconTone: themes.ToneAccent, Text: "An empty workspace"},
	)}
	s.list.Focused = true
	return s
}

var about = []string{
	"Campaigns of every kind and state, a dozen users to send tests to, segments, connectors and content blocks. Nothing leaves this machine: what test sends deliver lands in a local outbox.",
	"Nothing but the settings. Create campaigns with n; connectors and users come with `bugle workspace set`.",
}

// Title names the screen.
func (s *Screen) Title() string { return "Welcome" }

// Init does nothing: the screen waits for an answer.
func (s *Screen) Init() tea.Cmd { return nil }

// Typing is false: there is no text field.
func (s *Screen) Typing() bool { return false }

// SetTheme changes the theme.
func (s *Screen) SetTheme(t themes.Theme) { s.theme = t; s.list.SetTheme(t) }

// SetSize takes the cells of the screen.
func (s *Screen) SetSize(w, h int) { s.width, s.height = w, h }

// Actions are to take the entry under the cursor, or not.
func (s *Screen) Actions() []screen.Action {
	if s.Busy() {
		return nil
	}
	return []screen.Action{{Keys: []string{"enter"}, Label: "begin", Help: "begin with the workspace under the cursor", Group: "Welcome", Bar: 9, Run: s.begin}}
}

func (s *Screen) begin() tea.Cmd {
	sample := s.list.Cursor == 0
	s.failed = nil
	return s.Run(taskStart, func(ctx context.Context) (any, error) { return s.start(ctx, sample) })
}

// Update moves the cursor, and goes on once the workspace is there.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		s.list.Update(msg)
	case tea.MouseMsg:
		s.list.Mouse(msg, msg.Y-s.top()-5)
	case screen.Result:
		if !s.Accept(msg) {
			return nil
		}
		if s.failed = msg.Err; s.failed == nil {
			return screen.Send(screen.EnterMsg{Deps: msg.Value.(screen.Deps), Route: screen.Route{Name: screen.Campaigns}})
		}
	}
	return nil
}

func (s *Screen) top() int { return max((s.height-16)/2, 0) }

// View draws the offer in the middle of the screen.
func (s *Screen) View() string {
	panel := widget.NewPanel(s.theme, "Welcome to bugle")
	panel.Focused = true
	panel.SetSize(min(s.width-2, 70), min(s.height, 16))
	w, _ := panel.Inner()
	s.list.SetSize(w, 2)
	lines := widget.Wrap("Build push and e-mail campaigns, component by component, and send tests by hand. What shall the first workspace be?", w)
	lines = append(lines, "", s.list.View(), "")
	for _, l := range widget.Wrap(about[min(s.list.Cursor, len(about)-1)], w) {
		lines = append(lines, s.theme.Muted.Render(l))
	}
	lines = append(lines, "")
	switch {
	case s.Busy():
		lines = append(lines, s.theme.Accent.Render("Setting it up…"))
	case s.failed != nil:
		for _, l := range widget.Wrap(widget.Clean(s.failed.Error()), w) {
			lines = append(lines, s.theme.Danger.Render(l))
		}
	}
	box := panel.View(strings.Join(lines, "\n"))
	return widget.Center(widget.Fit("", s.width, s.height), box, s.width, s.height)
}
