package testsend

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// outcome is what a round of requests gave.
type outcome struct {
	steps   []news
	results []engine.TestResult
}

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
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("Press enter to add %s first.", widget.Clean(s.who(s.form.identifier, r.Value))))
	}
	if !s.commit() {
		return s.notTaken()
	}
	ask := s.ask()
	s.run = newRun(s.going(), ask)
	s.run.document, s.run.read.view = s.document, preview.New(s.theme)
	s.refusal.back = stageForm
	return s.start([]engine.TestSend{ask})
}

// notTaken tells why what is typed cannot be added.
func (s *Screen) notTaken() tea.Cmd {
	return screen.Notify(widget.LevelWarning, fmt.Sprintf("“%s” %s.", widget.Clean(s.text()), s.form.wrong))
}

// again sends what has failed, to those that it failed for.
func (s *Screen) again() tea.Cmd {
	asks := s.run.retry(s.campaign.Channel)
	s.refusal.back = stageDone
	return s.start(asks)
}

// anew sends all of it once more, from the draft as it is now.
func (s *Screen) anew() tea.Cmd {
	back := s.run
	s.run = newRun(s.matching(back.ask.Filter), back.ask)
	s.run.document, s.run.read.view = s.document, preview.New(s.theme)
	s.refusal.back = stageForm
	return s.start([]engine.TestSend{back.ask})
}

// start sends one test after another. Each is a call of its own.
func (s *Screen) start(asks []engine.TestSend) tea.Cmd {
	service, id, now := s.deps.Service, s.id, s.deps.Now
	s.run.begin(asks, s.names, now())
	s.run.read.open, s.run.read.shown = false, ""
	s.show(stageSending)
	send := s.Stream(taskSend, func(ctx context.Context, emit func(any)) (any, error) {
		var out outcome
		for _, ask := range asks {
			r := engine.TestRequest{Call: engine.NewCall(), Body: engine.DraftTest(id, ask)}
			r.Progress = func(p engine.TestProgress) {
				n := news{p, now()}
				out.steps = append(out.steps, n)
				emit(n)
			}
			result, err := service.Test(ctx, r)
			if err != nil {
				return out, err
			}
			out.results = append(out.results, result)
		}
		return out, ctx.Err()
	})
	return tea.Batch(send, s.tick())
}

// names are the people that a test goes to; of a segment, those of its members that get it. Whom its
// filters pick is known from the forecast.
func (s *Screen) names(ask engine.TestSend) []string {
	_, names := peopleOf(s.workspace, ask)
	told := ask.Identifier == s.forecast.identifier && slices.Equal(ask.Values, s.forecast.values)
	if told && engine.TakesSegment(ask.Identifier) {
		return s.forecast.names
	}
	return names
}

// cancel stops what has not left yet.
func (s *Screen) cancel() tea.Cmd {
	s.run.cancelling = true
	s.Cancel(taskSend)
	return nil
}

// sent shows how the round went.
func (s *Screen) sent(r screen.Result) tea.Cmd {
	out, _ := r.Value.(outcome)
	// A remote service's keys are told as under way before it refuses them all.
	done := slices.ContainsFunc(out.steps, func(n news) bool { return n.Done })
	refused := r.Err != nil && !screen.Canceled(r.Err) && !done && len(out.results) == 0
	if refused {
		s.run.undo()
		s.refuse(r.Err)
		return nil
	}
	s.show(stageDone)
	s.run.end(out, r.Err, s.deps.Now())
	s.run.rows.follow()
	s.layRun()
	s.firstFailed()
	return tea.Batch(s.remember(s.run.asks, out), s.readOutbox())
}

// firstFailed puts the cursor where something is to be seen to.
func (s *Screen) firstFailed() {
	for i, e := range s.run.rows.entries {
		if s.run.keys[e.key].status != engine.Sent && s.run.failedKeys() > 0 {
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
	s.refusal.list.Set(s.campaign.Channel, found)
	s.SetSize(s.width, s.height)
}

// toProblem goes to the field of the problem under the cursor: in the builder, or in the form here.
func (s *Screen) toProblem() tea.Cmd {
	p, ok := s.refusal.list.Selected()
	if ok && engine.AboutDraft(s.campaign.Channel, p.Path) {
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
