// Package testsend is the screen that sends test messages of a draft: it collects the recipients and options,
// forecasts the outcome, and shows progress and results.
package testsend

import (
	"fmt"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// Screen is the test send of one draft. It shows one part at a time, and passes keys, mouse events and results
// to it.
type Screen struct {
	screen.Base
	*sendContext
	layout *layout

	loaded bool
	failed error
	filled bool // the form was filled from the last test

	stage   stage
	form    form
	as      asChooser
	results *results
	refusal refusalPage
	groups  groupsPage
	earlier *earlierPage
}

// stage is the part that is shown.
type stage uint8

const (
	stageForm    stage = iota
	stageSending       // messages are being sent
	stageDone          // the results
	stageRefused       // the service refused the test
	stageGroups        // named groups of recipients
	stageEarlier       // tests that were sent before
)

// Kinds of tasks.
const (
	taskLoad     = "load"
	taskProfiles = "profiles"
	taskForecast = "forecast"
	taskNames    = "names"
	taskRepeat   = "repeat"
	taskSend     = "send"
	taskSpin     = "spin"
	taskOutbox   = "outbox"
	taskGroups   = "groups"
	taskCopy     = "copy"
)

// New returns the screen for the draft of the route.
func New(deps screen.Deps, r screen.Route) *Screen {
	s := &Screen{Base: screen.NewBase()}
	s.sendContext = &sendContext{deps: deps, theme: deps.Theme, tasks: &s.Base, id: r.ID, prefs: deps.Prefs.Within(deps.Workspace), people: model.NewDirectory()}
	if s.prefs == nil {
		s.prefs = prefs.NewInMemory() // as long as the screen exists
	}
	s.changed = func() {
		s.form.to.updateSuggestions()
		s.earlier.refresh()
	}
	s.layout = newLayout(s.sendContext)
	s.form, s.results, s.refusal = newForm(s.layout), newResults(s.layout), newRefusal(s.layout)
	s.form.to.enter = s.form.enterTyped
	s.as = asChooser{layout: s.layout, form: &s.form}
	s.groups, s.earlier = newGroupsPage(s.layout, s.useGroup), newEarlierPage(s.layout)
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Test send" }

// Badge shows the state of the run.
func (s *Screen) Badge() (string, themes.Tone) {
	switch {
	case s.stage == stageSending:
		return s.results.badge(), themes.ToneInfo
	case s.stage == stageDone && s.results.run.Count(model.Failed) > 0:
		return s.results.badge(), themes.ToneDanger
	case s.stage == stageDone && s.results.run.Count(model.Unknown) > 0:
		return s.results.badge(), themes.ToneWarning
	case s.stage == stageDone:
		return s.results.badge(), themes.ToneSuccess
	case s.stage == stageRefused:
		return "not sent", themes.ToneDanger
	}
	return "", themes.ToneMuted
}

// Init reads the draft and the history of tests.
func (s *Screen) Init() tea.Cmd { return s.load() }

// Resume reads the draft again, because it may have changed.
func (s *Screen) Resume() tea.Cmd {
	switch s.stage {
	case stageSending:
		return nil
	case stageRefused: // the problem may have been fixed elsewhere
		s.show(s.refusal.returnTo)
	}
	return s.load()
}

// Route returns the route of the screen's campaign.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.TestSend, ID: s.id} }

// GoTo handles navigation from other screens to this one.
func (s *Screen) GoTo(screen.Route) tea.Cmd { return s.Resume() }

// Subject returns the campaign, once it has been read.
func (s *Screen) Subject() screen.Subject {
	if !s.loaded {
		return screen.Subject{}
	}
	return screen.Subject{Campaign: s.draft.Campaign}
}

// Update handles results and notifications, keys and mouse events.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	case screen.ChangedMsg:
		if (msg.ID == s.id || msg.ID == "") && s.stage != stageSending {
			return s.load()
		}
	case tea.KeyMsg:
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	return nil
}

// showLoaded shows the draft that was read. Input is kept.
func (s *Screen) showLoaded(l loadedData, err error) tea.Cmd {
	if s.failed = err; err != nil {
		return nil
	}
	s.loaded = true
	s.draft, s.recent, s.past, s.sendContext.groups = l.draft, l.recent, l.past, l.groups
	s.people.Reset() // profiles may have changed as well
	if s.draft.UntestableReason() != "" {
		return nil
	}
	s.groups.refresh("")
	s.earlier.refresh()
	if !s.filled {
		s.filled = true
		s.form.fill(s.past.WithoutFailed(s.past.Last()))
	}
	return tea.Batch(s.form.setDraft(), s.learnNames(s.form.to.identifier))
}

// show switches to a stage.
func (s *Screen) show(st stage) {
	s.stage = st
	s.layout.split(st)
	s.as.close()
	s.groups.top, s.earlier.top = 0, 0
}

// listed reports whether the stage is a page with a list.
func (s *Screen) listed() bool { return s.stage == stageGroups || s.stage == stageEarlier }

// openGroups shows the groups.
func (s *Screen) openGroups() tea.Cmd {
	s.show(stageGroups)
	s.groups.refresh("")
	return nil
}

// useGroup adds a group's recipients to the form.
func (s *Screen) useGroup(g group, beside bool) tea.Cmd {
	s.show(stageForm)
	return s.form.useGroup(g, beside)
}

// newGroup saves the form's recipients, including input, as a group.
func (s *Screen) newGroup() tea.Cmd {
	if !s.form.commit() {
		return s.form.to.showRejection()
	}
	return s.groups.add(s.form.to.request())
}

// openEarlier lists the earlier tests.
func (s *Screen) openEarlier() tea.Cmd {
	s.show(stageEarlier)
	s.earlier.open()
	return nil
}

// fillPast fills the form from an earlier test.
func (s *Screen) fillPast(t model.PastTest) tea.Cmd {
	s.show(stageForm)
	return s.form.refill(t.Request)
}

// sendPast sends this draft like an earlier test.
func (s *Screen) sendPast(t model.PastTest) tea.Cmd { return tea.Batch(s.fillPast(t), s.submit(true)) }

// ready reports whether there is a draft to send.
func (s *Screen) ready() bool { return s.loaded && s.failed == nil && s.draft.UntestableReason() == "" }

// LeaveQuestion asks while messages are being sent, and before a typed recipient is lost.
func (s *Screen) LeaveQuestion() *screen.Question {
	if typed := s.form.to.text(); s.stage == stageForm && typed != "" {
		return &screen.Question{
			Title: "Leave the test?", Body: fmt.Sprintf("“%s” is typed, but not a recipient yet.", widget.Clean(typed)),
			Buttons: []widget.Button{{Label: "Leave", Key: "y"}, {Label: "Stay", Key: "n"}}, Focus: 1,
		}
	}
	if s.stage != stageSending {
		return nil
	}
	return &screen.Question{
		Title: "Stop the test of " + status.Name(engine.Summarize(s.draft.Campaign)) + "?", Body: "Messages that are not sent yet will not be sent.",
		Buttons: []widget.Button{{Label: "Stop", Key: "y"}, {Label: "Stay", Key: "n"}},
	}
}

// key handles a key that is not an action.
func (s *Screen) key(msg tea.KeyMsg) tea.Cmd {
	if !s.ready() {
		return nil
	}
	switch s.stage {
	case stageRefused:
		s.refusal.Update(msg)
	case stageSending, stageDone:
		s.results.Update(msg)
	case stageGroups:
		s.groups.Update(msg)
	case stageEarlier:
		s.earlier.Update(msg)
	default:
		return s.form.Update(msg)
	}
	return nil
}

// mouse passes a mouse event to the current part.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if !s.ready() {
		return nil
	}
	if widget.Pressed(msg) && msg.Y == 0 && s.stage != stageForm && msg.X <= 2+s.layout.breadcrumbWidth {
		return s.up()
	}
	switch s.stage {
	case stageRefused:
		if s.refusal.mouse(msg) {
			return s.toProblem()
		}
	case stageSending, stageDone:
		s.results.mouse(msg)
	case stageGroups:
		if s.groups.mouse(msg) {
			return s.groups.useClicked()
		}
	case stageEarlier:
		if t, ok := s.earlier.list.Selected(); s.earlier.mouse(msg) && ok {
			return s.fillPast(t)
		}
	default:
		return s.form.mouse(msg, s.send)
	}
	return nil
}

// Undo undoes the last change of the form or, on their page, of the groups.
func (s *Screen) Undo() (tea.Cmd, bool) { return s.walk((*screen.UndoStack).Undo) }

// Redo redoes the last undone change.
func (s *Screen) Redo() (tea.Cmd, bool) { return s.walk((*screen.UndoStack).Redo) }

func (s *Screen) walk(one func(*screen.UndoStack) (tea.Cmd, bool)) (tea.Cmd, bool) {
	switch {
	case s.stage == stageGroups:
		return one(&s.groups.steps)
	case !s.ready() || s.stage != stageForm:
		return nil, false
	}
	return s.form.steps.walk(one)
}

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) {
	s.layout.panes.SetSize(width, height)
	s.refusal.resize()
}

// View draws the current stage.
func (s *Screen) View() string {
	switch {
	case s.failed != nil:
		return s.layout.panes.Message(s.name(), "Can't read this draft.\n\n"+phrase.Capitalize(s.failed.Error())+"\n\nPress r to try again or esc to go back.")
	case !s.loaded:
		return s.layout.panes.Message(s.name(), "Reading the draft…")
	case s.draft.UntestableReason() != "":
		return s.layout.panes.Message(s.name(), "You can't test this campaign.\n\n"+s.draft.UntestableReason()+"\n\nPress esc to go back.")
	}
	switch s.stage {
	case stageSending, stageDone:
		return s.results.View()
	case stageRefused:
		return s.refusal.View()
	case stageGroups:
		return s.groups.View()
	case stageEarlier:
		return s.earlier.View()
	}
	return s.form.View()
}
