package app_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// list is a screen with the actions of a list.
type list struct {
	screen.Base
	w, h int
}

func (l *list) Title() string          { return "Campaigns" }
func (l *list) Init() tea.Cmd          { return nil }
func (l *list) Update(tea.Msg) tea.Cmd { return nil }
func (l *list) SetSize(w, h int)       { l.w, l.h = w, h }
func (l *list) Typing() bool           { return false }

func (l *list) View() string {
	p := widget.NewPanel(themes.Plain(), "Campaigns")
	p.SetSize(l.w, l.h)
	return p.View("Winter roast launch\nSpring catalog")
}

func (l *list) Actions() []screen.Action {
	none := func() tea.Cmd { return nil }
	return []screen.Action{
		{Keys: []string{"enter"}, Label: "open", Help: "open it in the builder", Group: "The selected campaign", BarPriority: 9, Run: none},
		{Keys: []string{"n"}, Label: "new", Help: "start a draft", Group: "Campaigns", BarPriority: 8, Run: none},
		{Keys: []string{"/"}, Label: "search", Help: "search as you type", Group: "Campaigns", BarPriority: 7, Run: none},
		{Keys: []string{"t"}, Label: "test", Help: "send it to a few people", Group: "The selected campaign", BarPriority: 6, DisabledReason: "Only drafts can be test-sent.", Run: none},
		{Keys: []string{"↑/↓"}, Label: "move", Group: "Campaigns", HelpOnly: true},
	}
}

func program(t *testing.T) *uitest.Harness {
	t.Helper()
	return uitest.Program(t, app.Options{
		Deps: uitest.Deps(struct{ engine.Service }{}), First: screen.Route{Name: screen.Campaigns}, Suspend: true,
		Factory: func(screen.Deps, screen.Route) (screen.Screen, error) { return &list{Base: screen.NewBase()}, nil },
	}, 80, 24)
}

func TestGoldens(t *testing.T) {
	h := program(t)
	h.Press("?")
	h.Golden("help-80x24")
	h.Press("esc", "ctrl+k")
	h.Type("redraw")
	h.Press("enter", "ctrl+k")
	h.GoldenSizes("palette")
	h.Resize(80, 24)
	h.Type("draft")
	h.Golden("palette-found-80x24")
	h.Press("esc")
	h.Send(screen.NotifyMsg{Level: widget.LevelError, Text: "The disk is full: free some room, then press ctrl+s."})
	h.Send(screen.AskMsg{Question: screen.Question{Title: "Leave without applying?", Body: "Your changes stay on this machine."}})
	h.Golden("notice-and-question-80x24")
}

// With any overlay and any window size, exactly the cells of the window are drawn.
func TestOverlaysFit(t *testing.T) {
	for _, opening := range [][]string{{}, {"?"}, {"ctrl+k"}, {"f9"}} {
		h := program(t)
		h.Press(opening...)
		h.Send(screen.NotifyMsg{Level: widget.LevelError, Text: "The disk is full: free some room, then press ctrl+s."})
		for width := 40; width <= 130; width += 9 {
			for height := 12; height <= 45; height += 3 {
				h.Resize(width, height)
				lines := strings.Split(h.View(), "\n")
				if len(lines) != height {
					t.Fatalf("%v at %d×%d has %d lines:\n%s", opening, width, height, len(lines), h.View())
				}
				for i, line := range lines {
					if n := widget.Width(line); n != width {
						t.Fatalf("%v at %d×%d: line %d has %d cells:\n%s", opening, width, height, i, n, h.View())
					}
				}
			}
		}
	}
}

// Everything clickable around the screens works at every window size.
func TestEveryClick(t *testing.T) {
	for _, size := range uitest.Sizes {
		h := program(t)
		h.Resize(size.W, size.H)
		answered := ""
		answer := func(text string) func(widget.Answer) tea.Cmd {
			return func(a widget.Answer) tea.Cmd { answered = text + strings.Repeat("+", a.Index); return nil }
		}
		want := func(text string) {
			t.Helper()
			if answered != text {
				t.Errorf("%d×%d: answered %q, want %q", size.W, size.H, answered, text)
			}
		}
		h.Send(screen.AskMsg{Question: screen.Question{Title: "Sure?", Body: "It is a question.", Then: answer("asked")}})
		h.ClickOn(" No ")
		want("asked+")
		h.Send(screen.ChooseMsg{Title: "Which?", Body: "One of these.", Options: []widget.Option{{Label: "first"}, {Label: "second", Help: "It is the other one."}}, Then: answer("chosen")})
		h.ClickOn("second")
		want("chosen+")

		h.ClickOn("? help")
		h.Want("esc close")
		h.Click(0, size.H-2)
		h.WantNot("esc close")
		h.FromPalette("choose a theme")
		h.ClickOn("light")
		h.WantNot("high-contrast")
		h.Send(screen.NotifyMsg{Level: widget.LevelError, Text: "The disk is full."})
		h.ClickOn("The disk is full.")
		h.WantNot("The disk is full.")
		h.ClickOn("Keys")
	}
}
