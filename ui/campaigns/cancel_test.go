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

// blockingService is a service whose Archive blocks until it is canceled.
type blockingService struct {
	*fake
	started chan struct{}
}

func (s blockingService) Archive(ctx context.Context, _, _ string) error {
	s.started <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

// runCommands delivers the messages of commands to the screen, and returns the requests to the root model.
func runCommands(s screen.Screen, cmd tea.Cmd) (asked []tea.Msg) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			asked = append(asked, runCommands(s, c)...)
		}
	case screen.Result:
		asked = append(asked, runCommands(s, s.Update(msg))...)
		asked = append(asked, runCommands(s, msg.Next())...)
	case nil:
	default:
		asked = append(asked, msg)
	}
	return asked
}

func TestCancelKeepsRestSelected(t *testing.T) {
	svc := blockingService{newFake(sentCampaigns(3)...), make(chan struct{}, 3)}
	s := campaigns.New(uitest.Deps(svc), screen.Route{})
	uitest.New(t, s, 100, 30) // loads the list
	runCommands(s, press(s, "*"))
	choice := runCommands(s, press(s, "b"))[0].(screen.ChooseMsg)
	question := runCommands(s, choice.Then(widget.Answer{Index: archiving}))[0].(screen.AskMsg).Question
	work := question.Then(widget.Answer{})().(tea.BatchMsg) // the task, and the command that waits for its progress
	ended := make(chan struct{})
	go func() { work[0](); close(ended) }()
	<-svc.started
	if badge, _ := s.Badge(); badge != "archiving 0 of 3" {
		t.Errorf("while it goes on: %q", badge)
	}
	if q := s.LeaveQuestion(); q == nil || !strings.Contains(q.Body, "“Sale A”, “Sale B” and “Sale C”. 0 of 3 campaigns") {
		t.Errorf("leaving asks %+v", q)
	}
	press(s, "X")
	shown := runCommands(s, work[1])
	<-ended
	view := s.View()
	for _, msg := range shown {
		if m, ok := msg.(screen.AskMsg); ok {
			view += m.Question.Body
		}
	}
	for _, want := range []string{"None archived.", "Canceled: 3 not done.", "3 selected"} {
		if !strings.Contains(view, want) {
			t.Errorf("canceled, it does not show %q:\n%s", want, view)
		}
	}
	if s.LeaveQuestion() != nil {
		t.Error("leaving asks still")
	}
}
