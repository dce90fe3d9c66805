package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// send sends what the form asks for.
func (s *Screen) send() tea.Cmd {
	f := &s.form
	if f.enterPending {
		f.enterPending = false
		f.accept()
	}
	if why := f.missing(); why != "" {
		return screen.Notify(widget.LevelWarning, why)
	}
	if r, ok := f.list.Highlighted(); ok && !r.Free && f.text() != "" && r.Value != f.text() {
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("Press enter to add %s first.", widget.Clean(s.people.Name(f.identifier, r.Value))))
	}
	if refused := f.commit(); refused != nil {
		return refused
	}
	return s.begin(f.request())
}

// begin starts a test.
func (s *Screen) begin(ask engine.TestSend) tea.Cmd {
	return s.check(repeat{whole: ask, asks: []engine.TestSend{ask}, from: stageForm})
}

// again returns the command that sends the messages in some states to the same recipients again.
func (s *Screen) again(states ...model.State) func() tea.Cmd {
	run := &s.results.run
	return func() tea.Cmd {
		return s.check(repeat{whole: run.Request, asks: run.Retry(states...), from: stageDone})
	}
}

// repeat is what is to be sent, which may repeat earlier tests.
type repeat struct {
	whole engine.TestSend // the test that asks are, or are part of
	asks  []engine.TestSend
	from  stage

	known    []engine.TestSend // asks, to the recipients who may have them already
	forecast model.Forecast    // which of the messages cannot arrive
}

// check finds out who may have a message already, and who cannot get it. The history and users are read now, because others
// send tests and change users, too.
func (s *Screen) check(r repeat) tea.Cmd {
	id, history, draft, service := s.id, s.history(), s.draft, s.deps.Service
	return screen.Go(&s.Base, taskRepeat, func(ctx context.Context) (repeat, error) {
		var err error
		if r.forecast, err = draft.Forecast(ctx, service, r.whole, nil); err != nil {
			return repeat{}, err
		}
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
	var names []string
	for _, ask := range r.known {
		names = append(names, s.people.NamesAndValues(ask)...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return s.proceed(r)
	}
	return screen.Ask(screen.Question{
		Title: "Send it again?", Body: model.RepeatWarning(names),
		Buttons: []widget.Option{{Label: "Send again", Key: "y"}, {Label: "Don't send", Key: "n"}}, Focus: 1,
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return s.proceed(r)
		},
	})
}

// proceed sends what was confirmed, one test after another.
func (s *Screen) proceed(r repeat) tea.Cmd {
	if r.from == stageForm {
		s.results.begin(model.NewRun(s.draft, r.whole))
	}
	service, draft := s.deps.Service, s.draft
	s.people.Add(r.forecast.Resolved)
	s.results.round(r.asks, r.forecast)
	s.show(stageSending)
	send := screen.Stream(&s.Base, taskSend, func(ctx context.Context, emit func(model.Step)) (model.Outcome, error) {
		return model.Send(ctx, service, draft, r.asks, emit)
	}, func(step model.Step) tea.Cmd {
		s.results.run.AddStep(step)
		return nil
	}, func(out model.Outcome, err error) tea.Cmd {
		s.Drop(taskSpin)
		if out.Refused(err) {
			s.results.run.Rollback()
			s.results.done = true
			s.show(r.from)
			return s.refuse(err)
		}
		s.show(stageDone)
		s.results.end(out, err)
		return tea.Batch(s.remember(s.results.run, out), s.results.readOutbox())
	})
	return tea.Batch(send, screen.Every(&s.Base, taskSpin, 120*time.Millisecond, func() tea.Cmd { s.results.frame++; return nil }))
}

// cancel cancels what has not been sent yet.
func (s *Screen) cancel() tea.Cmd {
	s.results.run.Canceling = true
	s.Cancel(taskSend)
	return nil
}

// refuse says why the service refused a test before it sent anything, and leads to the fields of its problems.
func (s *Screen) refuse(err error) tea.Cmd {
	e, ch := engine.AsError(err), s.draft.Campaign.Channel
	if e == nil || len(e.Details) == 0 {
		return screen.Notify(widget.LevelError, "Not sent: "+phrase.Sentence(err.Error()))
	}
	message := phrase.Sentence(e.Message)
	var options []widget.Option
	if len(e.Details) == 1 { // it says the same
		message = ""
	}
	for _, text := range problems.Details(ch, e) {
		place, what, _ := strings.Cut(text, ": ")
		options = append(options, widget.Option{Label: place, Help: phrase.Sentence(what), Icon: "✗", IconTone: themes.ToneDanger})
	}
	return screen.Send(screen.ChooseMsg{Title: "Not sent", Body: message, Options: options, Then: func(a widget.Answer) tea.Cmd {
		path, err := doc.ParsePath(e.Details[a.Index].Target)
		if err == nil && engine.IsCampaignPath(ch, path) {
			return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Path: path})
		}
		return s.toForm()
	}})
}
