package filters_test

import (
	"context"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/filters"
	"bugle/ui/screen"
)

// slowUsers finds users when it is told to.
type slowUsers struct {
	engine.Service
	engine.UserStore
	engine.AudienceReader
	asked, find chan struct{}
	explained   []doc.Value // the filters
}

func (s *slowUsers) Users(context.Context, string, int) ([]engine.User, error) {
	s.asked <- struct{}{}
	<-s.find
	return []engine.User{{ID: "USER_1"}}, nil
}

func (s *slowUsers) ExplainAudience(_ context.Context, r engine.AudienceRequest) (engine.AudienceResult, error) {
	s.explained = append(s.explained, r.Filters)
	return engine.AudienceResult{}, nil
}

// Whoever asks why a user matches gets the answer for the filters that are shown, also if these change while the user
// is looked for.
func TestFiltersChangeDuringAQuestion(t *testing.T) {
	svc := &slowUsers{asked: make(chan struct{}), find: make(chan struct{})}
	base := screen.NewBase()
	cfg := editor.Config{Service: svc, Host: editor.Host{Tasks: &base}}
	cfg.Theme, cfg.Path = themes.Plain(), doc.P("segmentation_details")
	panel := filters.NewAudiencePanel(cfg)
	show := func(text string) {
		root, err := doc.Parse([]byte(`{"segmentation_details":{"included_filters":` + text + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		panel.Show(root, cfg.Path)
	}
	show(`{"id":1}`)
	ask := panel.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("w")})
	find := panel.Update(ask().(screen.InputMsg).Then("ada")())
	answer := make(chan tea.Msg)
	go func() { answer <- find() }()
	<-svc.asked
	close(svc.find)
	show(`{"id":2}`) // while the task runs
	again := (<-answer).(screen.Result).Done()
	if again == nil {
		t.Fatal("it answers for filters that are gone")
	}
	again().(screen.Result).Done()
	if n := len(svc.explained); n != 2 || doc.Equal(svc.explained[0], svc.explained[1]) {
		t.Errorf("asked were %v", svc.explained)
	}
}
