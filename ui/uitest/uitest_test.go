package uitest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// recorder is a screen that records the messages it receives.
type recorder struct {
	screen.Base
	received []string
	w, h     int
}

func (s *recorder) Title() string           { return "Talker" }
func (s *recorder) SetSize(w, h int)        { s.w, s.h = w, h }
func (s *recorder) Typing() bool            { return false }
func (s *recorder) View() string            { return widget.Fit(strings.Join(s.received, " "), s.w, s.h) }
func (s *recorder) say(text string) tea.Cmd { return func() tea.Msg { return text } }

func (s *recorder) Init() tea.Cmd {
	return tea.Batch(s.say("a"), tea.Sequence(s.say("b"), nil, s.say("c")), tea.Tick(time.Hour, func(time.Time) tea.Msg { return "late" }))
}

func (s *recorder) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	default:
		s.received = append(s.received, fmt.Sprint(msg))
	}
	return nil
}

func (s *recorder) Actions() []screen.Action {
	return []screen.Action{
		{Keys: []string{"g"}, Run: func() tea.Cmd {
			return screen.Stream(&s.Base, "count", func(_ context.Context, emit func(int)) (string, error) {
				for i := range 200 {
					emit(i)
				}
				return "done", nil
			}, func(i int) tea.Cmd {
				s.received = append(s.received, fmt.Sprint(i))
				return nil
			}, func(text string, _ error) tea.Cmd {
				s.received = append(s.received, text)
				return nil
			})
		}},
		{Keys: []string{"w"}, DisabledReason: "Not today."},
		{Keys: []string{"o"}, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Outbox}) }},
		{Keys: []string{"?"}, Run: func() tea.Cmd {
			return screen.Ask(screen.Question{Title: "Sure?", Then: func(a widget.Answer) tea.Cmd { return s.say(fmt.Sprint("yes:", a.Yes())) }})
		}},
	}
}

func TestHarness(t *testing.T) {
	s := &recorder{Base: screen.NewBase()}
	h := uitest.New(t, s, 60, 20)
	all := strings.Join(s.received, "")
	if len(s.received) != 3 || strings.Index(all, "b") > strings.Index(all, "c") {
		t.Errorf("a batch and a sequence said %v", s.received)
	}
	s.received = nil
	h.Press("g")
	if len(s.received) != 201 || s.received[200] != "done" || s.received[7] != "7" {
		t.Errorf("a stream said %v", s.received)
	}
	s.received = nil
	h.Press("?")
	h.Want("Sure?")
	h.Press("y")
	h.WantNot("Sure?")
	h.Want("yes:true")
	h.Press("w")
	h.Want("Not today.")
	if h.DisabledReason("w") != "Not today." {
		t.Error("the reason is not given")
	}
	h.Press("o")
	if h.LastRoute().Name != screen.Outbox {
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

func TestKeyNames(t *testing.T) {
	for _, name := range []string{"a", "enter", "esc", "tab", "shift+tab", "ctrl+k", "up", "pgdown", "f1", "backspace", " ", "alt+x", "é"} {
		if got := uitest.Key(name).String(); got != name {
			t.Errorf("%q is %q", name, got)
		}
	}
}
