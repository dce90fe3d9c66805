package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// send sends the requested test.
func (s *Screen) send() tea.Cmd { return s.submit(false) }

// submit sends what the form asks for; past is true if that is an earlier test.
func (s *Screen) submit(past bool) tea.Cmd {
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
	return s.begin(s.form.request(), past)
}

// begin starts a test.
func (s *Screen) begin(ask engine.TestSend, past bool) tea.Cmd {
	return s.check(repeat{asks: []engine.TestSend{ask}, from: stageForm, past: past})
}

// again sends the messages in a state, failed or unknown, to the same recipients again.
func (s *Screen) again(state model.State) tea.Cmd {
	return s.check(repeat{asks: s.results.run.Retry(state), from: stageDone})
}

// repeat is what is to be sent, which may repeat earlier tests.
type repeat struct {
	asks  []engine.TestSend
	from  stage
	past  bool              // it is an earlier test, sent again
	known []engine.TestSend // asks, to the recipients who may have them already
}

// check finds out who may have a message already. The history is read now, because others send tests, too.
func (s *Screen) check(r repeat) tea.Cmd {
	id, history := s.id, s.history()
	return screen.Go(&s.Base, taskRepeat, func(ctx context.Context) (repeat, error) {
		for _, ask := range r.asks {
			values, err := model.Repeated(ctx, history, engine.DraftTest(id, ask), ask.As)
			if err != nil {
				return repeat{}, fmt.Errorf("cannot read the earlier tests: %w", err)
			}
			ask.Values = values
			r.known = append(r.known, ask)
		}
		return r, nil
	}, s.confirm)
}

// confirm asks before recipients get a message that they may have already, and sends tests otherwise.
func (s *Screen) confirm(r repeat, err error) tea.Cmd {
	if err != nil {
		return screen.Notify(widget.LevelError, "Not sent: "+err.Error())
	}
	var names, body []string
	for _, ask := range r.known {
		for _, name := range s.people.NamesAndValues(ask) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) > 0 {
		body = append(body, model.RepeatWarning(names))
	}
	if len(r.asks) > 0 && r.asks[0].Copies && (r.past || len(names) > 0) {
		body = append(body, "Copies go to "+strings.Join(s.draft.CopiesTo(r.asks[0].Filter), ", ")+".")
	}
	if len(body) == 0 {
		return s.proceed(r)
	}
	return screen.Ask(screen.Question{
		Title: "Send it again?", Body: strings.Join(body, " "),
		Buttons: []widget.Button{{Label: "Send again", Key: "y"}, {Label: "Don't send", Key: "n"}}, Focus: 1,
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return s.proceed(r)
		},
	})
}

// proceed sends what was confirmed.
func (s *Screen) proceed(r repeat) tea.Cmd {
	if r.from == stageForm {
		s.results.begin(model.NewRun(s.draft, r.asks[0]))
	}
	s.refusal.returnTo = r.from
	return s.start(r.asks)
}

// start sends tests one after another.
func (s *Screen) start(asks []engine.TestSend) tea.Cmd {
	service, draft, now := s.deps.Service, s.draft, s.deps.Now
	s.results.round(asks, s.form.forecast.forecast)
	s.show(stageSending)
	send := screen.Stream(&s.Base, taskSend, func(ctx context.Context, emit func(model.Step)) (model.Outcome, error) {
		return model.Send(ctx, service, draft, asks, now, emit)
	}, func(step model.Step) tea.Cmd {
		s.results.run.AddStep(step)
		return nil
	}, s.sent)
	return tea.Batch(send, s.results.spin())
}

// sent shows the result of a round.
func (s *Screen) sent(out model.Outcome, err error) tea.Cmd {
	s.Drop(taskSpin)
	if out.Refused(err) {
		s.results.run.Rollback()
		s.results.done = true
		s.show(stageRefused)
		s.refusal.set(err)
		return nil
	}
	s.show(stageDone)
	s.results.end(out, err)
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
