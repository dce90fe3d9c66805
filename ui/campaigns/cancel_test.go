package campaigns_test

import (
	"context"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/campaigns"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// stuck is a service whose archiving takes until it is canceled.
type stuck struct {
	*fake
	begun chan struct{}
}

func (s stuck) Archive(ctx context.Context, _, _ string) error {
	s.begun <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

// flow returns a screen what its commands say, and gives back what they ask of the root model.
func flow(s screen.Screen, cmd tea.Cmd) (asked []tea.Msg) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			asked = append(asked, flow(s, c)...)
		}
	case screen.Result:
		asked = append(asked, flow(s, s.Update(msg))...)
		asked = append(asked, flow(s, msg.Next())...)
	case nil:
	default:
		asked = append(asked, msg)
	}
	return asked
}

func TestCancellingLeavesTheRestSelected(t *testing.T) {
	svc := stuck{newFake(sent(3)...), make(chan struct{}, 3)}
	s := campaigns.New(uitest.Deps(svc), screen.Route{})
	uitest.New(t, s, 100, 30) // loads it
	flow(s, press(s, "*"))
	choice := flow(s, press(s, "b"))[0].(screen.ChooseMsg)
	question := flow(s, choice.Then(widget.Answer{Index: archiving}))[0].(screen.AskMsg).Question
	work := question.Then(widget.Answer{})().(tea.BatchMsg) // the work, and who waits for its news
	ended := make(chan struct{})
	go func() { work[0](); close(ended) }()
	<-svc.begun
	if view := s.View(); !strings.Contains(view, "Archiving") || !strings.Contains(view, "0 of 3") || !strings.Contains(view, "X cancel") {
		t.Errorf("while it goes on:\n%s", view)
	}
	if q := s.LeaveQuestion(); q == nil || !strings.Contains(q.Body, "0 of 3 campaigns") {
		t.Errorf("leaving asks %+v", q)
	}
	press(s, "X")
	flow(s, work[1])
	<-ended
	view := s.View()
	for _, want := range []string{"None archived.", "Canceled: 3 not done.", "3 selected"} {
		if !strings.Contains(view, want) {
			t.Errorf("canceled, it does not show %q:\n%s", want, view)
		}
	}
	if s.LeaveQuestion() != nil {
		t.Error("leaving asks still")
	}
}
