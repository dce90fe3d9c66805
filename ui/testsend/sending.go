package testsend

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// send sends the test that the form asks for.
func (s *Screen) send() tea.Cmd {
	to := &s.form.to
	if to.waiting {
		to.waiting = false
		s.form.accept()
	}
	if why := s.form.lacks(); why != "" {
		return screen.Notify(widget.LevelWarning, why)
	}
	if r, ok := to.list.Highlighted(); ok && !r.Free && to.text() != "" && r.Value != to.text() {
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("Press enter to add %s first.", widget.Clean(s.people.Name(to.identifier, r.Value))))
	}
	if !s.form.commit() {
		return to.notTaken()
	}
	return s.begin(s.form.ask())
}

// anew sends all of it once more, from the draft as it is now.
func (s *Screen) anew() tea.Cmd { return s.begin(s.results.run.Ask) }

// begin sends a test.
func (s *Screen) begin(ask engine.TestSend) tea.Cmd {
	s.results.begin(model.NewRun(s.draft, ask))
	s.refusal.back = stageForm
	return s.start([]engine.TestSend{ask})
}

// again sends what has failed, to those that it failed for.
func (s *Screen) again() tea.Cmd {
	s.refusal.back = stageDone
	return s.start(s.results.run.Retry())
}

// start sends one test after another.
func (s *Screen) start(asks []engine.TestSend) tea.Cmd {
	service, id, now := s.deps.Service, s.id, s.deps.Now
	s.results.round(asks, s.form.outlook.forecast)
	s.show(stageSending)
	send := s.Stream(taskSend, func(ctx context.Context, emit func(any)) (any, error) {
		return model.Do(ctx, service, id, asks, now, func(step model.Step) { emit(step) })
	})
	return tea.Batch(send, s.tick())
}

// cancel stops what has not left yet.
func (s *Screen) cancel() tea.Cmd {
	s.results.run.Canceling = true
	s.Cancel(taskSend)
	return nil
}

// sent shows how the round went.
func (s *Screen) sent(r screen.Result) tea.Cmd {
	out, _ := r.Value.(model.Outcome)
	if out.Refused(r.Err) {
		s.results.run.Undo()
		s.results.over = true
		s.show(stageRefused)
		s.refusal.set(r.Err)
		return nil
	}
	s.show(stageDone)
	s.results.end(out, r.Err)
	run := s.results.run
	return tea.Batch(s.remember(run, out), s.results.reader.look(run, s.form.outlook.forecast))
}

// remember offers what was sent just now from now on, as the next visit would.
func (s *Screen) remember(run model.Run, out model.Outcome) tea.Cmd {
	id, values := run.Ask.Identifier, run.Ask.Values
	s.recent[id] = append(slices.Clone(values), slices.DeleteFunc(slices.Clone(s.recent[id]), func(v string) bool {
		return slices.Contains(values, v)
	})...)
	var records []engine.TestRecord
	for i, r := range out.Results {
		records = append(records, engine.TestRecord{At: s.deps.Now(), CampaignID: s.id, Body: engine.DraftTest(s.id, run.Asks[i]), Result: r})
	}
	s.past = s.past.Remember(records, s.name())
	if k, ok := s.history().(kept); ok && len(records) > 0 {
		return s.Run(taskKeep, func(context.Context) (any, error) { return nil, k.keep(records) })
	}
	return nil
}

// toProblem goes to the field of the problem under the cursor: in the builder, or in the form here.
func (s *Screen) toProblem() tea.Cmd {
	if path, ok := s.refusal.field(); ok {
		return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Path: path})
	}
	s.show(s.refusal.back)
	return nil
}

// toForm goes back from the outcome to the form, away from the button: enter twice sends nothing.
func (s *Screen) toForm() tea.Cmd {
	s.show(stageForm)
	s.form.focus(spot{onPrompt, 0})
	return s.form.refresh()
}

// tick turns the wheel while messages leave.
type tick struct{ id screen.ID }

const tickTime = 120 * time.Millisecond

func (s *Screen) tick() tea.Cmd {
	id := s.ID()
	return tea.Tick(tickTime, func(time.Time) tea.Msg { return tick{id} })
}

func (s *Screen) turn(t tick) tea.Cmd {
	if t.id != s.ID() || s.stage != stageSending {
		return nil
	}
	s.results.frame++
	return s.tick()
}
