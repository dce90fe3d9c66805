package testsend

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
	model "bugle/engine/testsend"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// refusal is a service's no, before anything left.
type refusal struct {
	message string
	list    problems.View // what stands in the way, where the service says
	back    stage
}

// send sends the test that the form asks for.
func (s *Screen) send() tea.Cmd {
	if s.form.waiting {
		s.form.waiting = false
		s.accept()
	}
	if why := s.sendWhy(); why != "" {
		return screen.Notify(widget.LevelWarning, why)
	}
	if r, ok := s.form.list.Highlighted(); ok && !r.Free && s.text() != "" && r.Value != s.text() {
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("Press enter to add %s first.", widget.Clean(s.people.Name(s.form.identifier, r.Value))))
	}
	if !s.commit() {
		return s.notTaken()
	}
	ask := s.ask()
	s.run = run{Run: model.NewRun(s.draft, ask)}
	s.run.read.view = preview.New(s.theme)
	s.refusal.back = stageForm
	return s.start([]engine.TestSend{ask})
}

// notTaken tells why what is typed cannot be added.
func (s *Screen) notTaken() tea.Cmd {
	return screen.Notify(widget.LevelWarning, fmt.Sprintf("“%s” %s.", widget.Clean(s.text()), s.form.wrong))
}

// again sends what has failed, to those that it failed for.
func (s *Screen) again() tea.Cmd {
	asks := s.run.Retry()
	s.refusal.back = stageDone
	return s.start(asks)
}

// anew sends all of it once more, from the draft as it is now.
func (s *Screen) anew() tea.Cmd {
	ask := s.run.Ask
	s.run = run{Run: model.NewRun(s.draft, ask)}
	s.run.read.view = preview.New(s.theme)
	s.refusal.back = stageForm
	return s.start([]engine.TestSend{ask})
}

// start sends one test after another. Each is a call of its own.
func (s *Screen) start(asks []engine.TestSend) tea.Cmd {
	service, id, now := s.deps.Service, s.id, s.deps.Now
	s.run.Begin(asks, s.forecast.Forecast, now())
	s.run.frame = 0
	s.run.rows.follow()
	s.run.read.open, s.run.read.shown = false, ""
	s.show(stageSending)
	send := s.Stream(taskSend, func(ctx context.Context, emit func(any)) (any, error) {
		return model.Do(ctx, service, id, asks, now, func(step model.Step) { emit(step) })
	})
	return tea.Batch(send, s.tick())
}

// cancel stops what has not left yet.
func (s *Screen) cancel() tea.Cmd {
	s.run.Canceling = true
	s.Cancel(taskSend)
	return nil
}

// sent shows how the round went.
func (s *Screen) sent(r screen.Result) tea.Cmd {
	out, _ := r.Value.(model.Outcome)
	if out.Refused(r.Err) {
		s.run.Undo()
		s.refuse(r.Err)
		return nil
	}
	s.show(stageDone)
	s.run.End(out, r.Err, s.deps.Now())
	s.run.rows.follow()
	s.layRun()
	s.firstFailed()
	return tea.Batch(s.remember(s.run.Asks, out), s.readOutbox())
}

// firstFailed puts the cursor where something is to be seen to.
func (s *Screen) firstFailed() {
	for i, e := range s.run.rows.entries {
		if s.run.Keys[e.key].Status != engine.Sent && s.run.FailedKeys() > 0 {
			s.run.rows.move(i)
			return
		}
	}
}

// refuse shows why the service did not send.
func (s *Screen) refuse(err error) {
	s.show(stageRefused)
	s.refusal.message = problems.Sentence(err.Error())
	var found []schema.Problem
	if e := engine.AsError(err); e != nil {
		s.refusal.message = problems.Sentence(e.Message)
		found = e.Problems
		for _, d := range e.Details {
			if len(e.Problems) > 0 {
				break
			}
			p := schema.Problem{Message: d.Message}
			if path, err := doc.ParsePath(d.Target); err == nil {
				p.Path = path
			}
			found = append(found, p)
		}
		if path, err := doc.ParsePath(e.Target); err == nil && len(found) == 0 && e.Target != "" {
			found = []schema.Problem{{Path: path, Message: e.Message}}
		}
	}
	s.refusal.list.Set(s.draft.Campaign.Channel, found)
	s.SetSize(s.width, s.height)
}

// toProblem goes to the field of the problem under the cursor: in the builder, or in the form here.
func (s *Screen) toProblem() tea.Cmd {
	p, ok := s.refusal.list.Selected()
	if ok && engine.AboutDraft(s.draft.Campaign.Channel, p.Path) {
		return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Path: p.Path})
	}
	return s.leaveRefusal()
}

func (s *Screen) leaveRefusal() tea.Cmd {
	s.show(s.refusal.back)
	return nil
}

// toForm goes back from the outcome to the form, away from the button: enter twice sends nothing.
func (s *Screen) toForm() tea.Cmd {
	s.show(stageForm)
	s.focus(spot{onPrompt, 0})
	return s.refresh()
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
	s.run.frame++
	return s.tick()
}
