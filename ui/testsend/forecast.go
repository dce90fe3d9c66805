package testsend

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	model "bugle/engine/testsend"
)

// foreseen is a forecast, and what it was asked for.
type foreseen struct {
	model.Forecast
	of string
}

// foresee asks for the forecast of what the form asks for, where that has changed.
func (s *Screen) foresee() tea.Cmd {
	ask := s.ask()
	ask.Filter = engine.KeyFilter{}
	of := string(engine.DraftTest("", ask).Encode())
	if !s.ready() || of == s.asked {
		return nil
	}
	s.asked = of
	draft, service, known := s.draft, s.deps.Service, s.people.All()
	return s.Run(taskForecast, func(ctx context.Context) (any, error) {
		f, err := draft.Forecast(ctx, service, ask, known)
		return foreseen{f, of}, err
	})
}

// tookForecast takes a forecast.
func (s *Screen) tookForecast(f foreseen) {
	s.forecast = f
	s.people.Meet(f.Found)
	s.presentValues()
}

// told returns the forecast of what the form asks for; nothing is known while that is being found out.
func (s *Screen) told() model.Forecast {
	if s.forecast.of != s.asked {
		return model.Forecast{}
	}
	return s.forecast.Forecast
}

// going are the messages that would go out.
func (s *Screen) going() []model.Message { return s.draft.Matching(s.form.filter) }

// names are the people that a test goes to; of a segment, those of its members that get it.
func (s *Screen) names(ask engine.TestSend) []string {
	_, names := s.forecast.Addressed(s.draft.Workspace, ask)
	return names
}

// callsLater returns which content APIs the messages need: a forecast does not call them.
func (s *Screen) callsLater(names []string) []string {
	var out []string
	for _, api := range s.told().Calls {
		if len(names) > 0 {
			out = append(out, fmt.Sprintf("The content API %s is called when the message is sent.", api))
		}
	}
	return out
}
