package uitest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// talker is a screen that notes what reaches it.
type talker struct {
	screen.Base
	heard []string
	w, h  int
}

func (s *talker) Title() string           { return "Talker" }
func (s *talker) SetSize(w, h int)        { s.w, s.h = w, h }
func (s *talker) SetTheme(themes.Theme)   {}
func (s *talker) Typing() bool            { return false }
func (s *talker) View() string            { return widget.Fit(strings.Join(s.heard, " "), s.w, s.h) }
func (s *talker) say(text string) tea.Cmd { return func() tea.Msg { return text } }

func (s *talker) Init() tea.Cmd {
	return tea.Batch(s.say("a"), tea.Sequence(s.say("b"), nil, s.say("c")), tea.Tick(time.Hour, func(time.Time) tea.Msg { return "late" }))
}

func (s *talker) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		if s.Accept(msg) {
			s.heard = append(s.heard, fmt.Sprint(msg.Value))
		}
	default:
		s.heard = append(s.heard, fmt.Sprint(msg))
	}
	return nil
}

func (s *talker) Actions() []screen.Action {
	return []screen.Action{
		{Keys: []string{"g"}, Run: func() tea.Cmd {
			return s.Stream("count", func(_ context.Context, emit func(any)) (any, error) {
				for i := range 200 {
					emit(i)
				}
				return "done", nil
			})
		}},
		{Keys: []string{"w"}, Why: "Not today."},
		{Keys: []string{"o"}, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Outbox}) }},
		{Keys: []string{"?"}, Run: func() tea.Cmd {
			return screen.Ask(screen.Question{Title: "Sure?", Then: func(a widget.Answer) tea.Cmd { return s.say(fmt.Sprint("yes:", a.Yes())) }})
		}},
	}
}

func TestHarness(t *testing.T) {
	s := &talker{Base: screen.NewBase()}
	h := uitest.New(t, s, 60, 20)
	all := strings.Join(s.heard, "")
	if len(s.heard) != 3 || strings.Index(all, "b") > strings.Index(all, "c") {
		t.Errorf("a batch and a sequence said %v", s.heard)
	}
	s.heard = nil
	h.Press("g")
	if len(s.heard) != 201 || s.heard[200] != "done" || s.heard[7] != "7" {
		t.Errorf("a stream said %v", s.heard)
	}
	s.heard = nil
	h.Press("?")
	h.Want("Sure?")
	h.Press("y")
	h.WantNot("Sure?")
	h.Want("yes:true")
	h.Press("w")
	h.Want("Not today.")
	if h.Why("w") != "Not today." {
		t.Error("the reason is not given")
	}
	h.Press("o")
	if h.Last().Name != screen.Outbox {
		t.Errorf("opened %v", h.Opened)
	}
	h.Press("esc")
	h.Want("Talker")
	h.WantFits()
	h.Press("q")
	if !h.Quit {
		t.Error("q does not quit")
	}
}

func TestKeysAreSpelledAsBubbleteaDoes(t *testing.T) {
	for _, name := range []string{"a", "enter", "esc", "tab", "shift+tab", "ctrl+k", "up", "pgdown", "f1", "backspace", " ", "alt+x", "é"} {
		if got := uitest.Key(name).String(); got != name {
			t.Errorf("%q is %q", name, got)
		}
	}
}
