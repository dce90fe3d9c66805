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
				if wrong := h.LayoutError(); wrong != "" {
					t.Fatalf("%v at %d×%d %s:\n%s", opening, width, height, wrong, h.View())
				}
			}
		}
	}
}

// Everything clickable around the screens works at every window size, and the status bar says whether letters are typed.
func TestEveryClick(t *testing.T) {
	for _, size := range uitest.Sizes {
		d := newWorld(t)
		d.Resize(size.W, size.H)
		ask, choose, input, _ := d.questions()
		mode := func(want string) {
			t.Helper()
			if got := d.line(-1); !strings.HasPrefix(got, " "+want+" ") {
				t.Errorf("the status bar is %q, want %q first", got, want)
			}
		}
		d.home.add("alpha", "a")
		d.home.add("turn", "tab").HelpOnly = true
		mode("Keys")
		d.ClickOn("a alpha")
		d.ClickOn("tab turn")
		d.wantReceived(d.home, "tab")
		ask(false)
		mode("Keys")
		d.ClickOn(" No ")
		choose()
		d.ClickOn("three")
		input()
		mode("Typing")
		d.ClickOn("enter ok")
		d.wantLog("alpha", "no", "three", "ab")
		input()
		d.Click(strings.Index(d.line(-1), "esc cancel"), size.H-1)
		d.WantNot("esc cancel")

		d.ClickOn("? help")
		d.Want("Keys — home", "esc close")
		d.Click(0, size.H-2)
		d.WantNot("esc close")
		d.FromPalette("choose a theme")
		d.ClickOn("light")
		d.WantNot("high-contrast")
		d.notify(widget.LevelError, "The disk is full.")
		d.ClickOn("The disk is full.")
		d.WantNot("The disk is full.")
		d.ClickOn("Keys")
		d.home.typing = true
		mode("Typing")
	}
}
