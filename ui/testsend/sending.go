package testsend

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// send sends the requested test.
func (s *Screen) send() tea.Cmd {
	to := &s.form.to
	if to.enterPending {
		to.enterPending = false
		s.form.accept()
	}
	if why := s.form.missing(); why != "" {
		return screen.Notify(widget.LevelWarning, why)
	}
	if r, ok := to.list.Highlighted(); ok && !r.Free && to.text() != "" && r.Value != to.text() {
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("Press enter to add %s first.", widget.Clean(s.people.Name(to.identifier, r.Value))))
	}
	if !s.form.commit() {
		return to.showRejection()
	}
	return s.begin(s.form.request())
}

// begin starts a test.
func (s *Screen) begin(ask engine.TestSend) tea.Cmd {
	asks := []engine.TestSend{ask}
	return s.confirm(asks, func() tea.Cmd {
		s.results.begin(model.NewRun(s.draft, ask))
		s.refusal.returnTo = stageForm
		return s.start(asks)
	})
}

// again sends the messages in a state, failed or unknown, to the same recipients again.
func (s *Screen) again(state model.State) tea.Cmd {
	asks := s.results.run.Retry(state)
	return s.confirm(asks, func() tea.Cmd {
		s.refusal.returnTo = stageDone
		return s.start(asks)
	})
}

// confirm asks before recipients get a message that they may have already, and sends tests otherwise.
func (s *Screen) confirm(asks []engine.TestSend, send func() tea.Cmd) tea.Cmd {
	var names []string
	for _, ask := range asks {
		ask.Values = s.past.Unknown(ask)
		for _, name := range s.people.NamesAndValues(ask) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return send()
	}
	return screen.Ask(screen.Question{
		Title: "Send it again?", Body: model.RepeatWarning(names),
		Buttons: []widget.Button{{Label: "Send again", Key: "y"}, {Label: "Don't send", Key: "n"}}, Focus: 1,
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return send()
		},
	})
}

// start sends tests one after another.
func (s *Screen) start(asks []engine.TestSend) tea.Cmd {
	service, draft, now := s.deps.Service, s.draft, s.deps.Now
	s.results.round(asks, s.form.forecast.forecast)
	s.show(stageSending)
	send := s.Stream(taskSend, func(ctx context.Context, emit func(any)) (any, error) {
		return model.Send(ctx, service, draft, asks, now, func(step model.Step) { emit(step) })
	})
	return tea.Batch(send, s.results.tick())
}

// sent shows the result of a round.
func (s *Screen) sent(r screen.Result) tea.Cmd {
	out, _ := r.Value.(model.Outcome)
	if out.Refused(r.Err) {
		s.results.run.Rollback()
		s.results.done = true
		s.show(stageRefused)
		s.refusal.set(r.Err)
		return nil
	}
	s.show(stageDone)
	s.results.end(out, r.Err)
	run := s.results.run
	return tea.Batch(s.remember(run, out), s.results.reader.load(run, s.form.forecast.forecast))
}

// toProblem goes to the field of the problem under the cursor, in the builder or in the form.
func (s *Screen) toProblem() tea.Cmd {
	if path, ok := s.refusal.field(); ok {
		return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Path: path})
	}
	s.show(s.refusal.returnTo)
	return nil
}

// toForm returns from the result to the form, with the cursor off the button, so that pressing enter twice
// sends nothing.
func (s *Screen) toForm() tea.Cmd {
	s.show(stageForm)
	s.form.focus(rowID{rowPrompt, 0})
	return s.form.refresh()
}
