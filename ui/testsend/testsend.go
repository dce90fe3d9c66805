// Package testsend is the screen that sends a draft to a few people: who gets it, which of its
// messages, what will go out, how it goes, and how it went.
package testsend

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// Screen is the test send of one draft. It shows one of its parts at a time, and hands keys, the mouse and results to
// them.
type Screen struct {
	screen.Base
	*sendContext
	layout *layout

	loaded bool
	failed error
	filled bool // the form was filled from what was sent last

	stage   stage
	form    form
	results results
	refusal refusalPage
	groups  groupsPage
	earlier earlierPage
}

// stage is what the screen shows.
type stage uint8

const (
	stageForm    stage = iota
	stageSending       // messages are leaving
	stageDone          // how it went
	stageRefused       // the service said no before anything left
	stageGroups        // named groups of recipients
	stageEarlier       // tests that were sent before
)

// The tasks of the screen.
const (
	taskLoad     = "load"
	taskProfiles = "profiles"
	taskForecast = "forecast"
	taskNames    = "names"
	taskSend     = "send"
	taskOutbox   = "outbox"
	taskGroups   = "groups"
	taskKeep     = "keep"
)

// New makes the screen for the draft of the route.
func New(deps screen.Deps, r screen.Route) *Screen {
	s := &Screen{Base: screen.NewBase()}
	s.sendContext = &sendContext{deps: deps, theme: deps.Theme, tasks: &s.Base, id: r.ID, prefs: deps.Prefs.Within(deps.Workspace), people: model.NewPeople()}
	if s.prefs == nil {
		s.prefs = prefs.NewInMemory() // as long as the screen is there
	}
	s.layout = &layout{sendContext: s.sendContext}
	s.form, s.results, s.refusal = newForm(s.layout), newResults(s.layout), newRefusal(s.layout)
	s.groups, s.earlier = groupsPage{listPage: newListPage(s.layout), use: s.useGroup}, earlierPage{listPage: newListPage(s.layout)}
	return s
}

// Title is the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Test send" }

// Badge returns what is under way.
func (s *Screen) Badge() (string, themes.Tone) {
	switch {
	case s.stage == stageSending:
		return s.results.badge(), themes.ToneInfo
	case s.stage == stageDone && s.results.run.FailedSends() > 0:
		return s.results.badge(), themes.ToneDanger
	case s.stage == stageDone:
		return s.results.badge(), themes.ToneSuccess
	case s.stage == stageRefused:
		return "not sent", themes.ToneDanger
	}
	return "", themes.ToneMuted
}

// Init reads the draft and what is remembered of earlier tests.
func (s *Screen) Init() tea.Cmd { return s.load() }

// Resume reads the draft again: it may have been changed meanwhile.
func (s *Screen) Resume() tea.Cmd {
	switch s.stage {
	case stageSending:
		return nil
	case stageRefused: // what stood in the way was seen to elsewhere
		s.show(s.refusal.returnTo)
	}
	return s.load()
}

// Route returns which campaign the screen is about.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.TestSend, ID: s.id} }

// GoTo is how other screens lead back here.
func (s *Screen) GoTo(screen.Route) tea.Cmd { return s.Resume() }

// Campaign returns the draft.
func (s *Screen) Campaign() (engine.Campaign, bool) { return s.draft.Campaign, s.loaded }

// Update takes results and news, keys and the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		if s.Accept(msg) {
			return s.result(msg)
		}
	case screen.ChangedMsg:
		if (msg.ID == s.id || msg.ID == "") && s.stage != stageSending {
			return s.load()
		}
	case tickMsg:
		return s.results.handleTick(msg)
	case tea.KeyMsg:
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	return nil
}

func (s *Screen) result(r screen.Result) tea.Cmd {
	switch r.Kind {
	case taskLoad:
		return s.showLoaded(r)
	case taskProfiles:
		if s.form.to.setProfiles(r) {
			return s.form.enterTyped()
		}
	case taskForecast:
		if r.Err == nil {
			s.form.showForecast(r.Value.(forecastLoaded))
		}
	case taskNames:
		if found, ok := r.Value.(map[model.Recipient]model.Person); ok {
			s.people.Meet(found)
			s.form.to.updateSuggestions()
			s.earlier.refresh()
		}
	case taskGroups:
		cmd := s.groups.showSaved(r)
		s.form.to.updateSuggestions()
		return cmd
	case taskOutbox:
		if got, ok := r.Value.(deliveredMessages); ok { // without the messages there is still the content as it is written
			s.results.reader.setDelivered(got)
		}
	case taskKeep:
		if r.Err != nil {
			return screen.Notify(widget.LevelWarning, "Cannot save this test to the history: "+r.Err.Error())
		}
	case taskSend:
		if r.Partial {
			s.results.run.Take(r.Value.(model.Step))
			return nil
		}
		return s.sent(r)
	}
	return nil
}

// showLoaded shows the draft that was read. What was typed meanwhile stays.
func (s *Screen) showLoaded(r screen.Result) tea.Cmd {
	if s.failed = r.Err; r.Err != nil {
		return nil
	}
	l := r.Value.(loadedData)
	s.loaded = true
	s.draft, s.recent, s.past, s.sendContext.groups = l.draft, l.recent, l.past, l.groups
	s.people.Forget() // they may have changed as well
	if s.draft.WhyNot() != "" {
		return nil
	}
	s.groups.refresh("")
	s.earlier.refresh()
	if !s.filled {
		s.filled = true
		s.form.fill(s.past.WithoutMissed(s.past.Last()))
	}
	return tea.Batch(s.form.setDraft(), s.learnNames(s.form.to.identifier))
}

// show goes to a stage, with all its panes.
func (s *Screen) show(st stage) {
	s.stage, s.layout.zoom = st, false
	for _, p := range []*listPage{&s.groups.listPage, &s.earlier.listPage} {
		p.details, p.top = false, 0
	}
}

// list returns the page that is shown; nil where it is none of those with a list.
func (s *Screen) list() *listPage {
	switch s.stage {
	case stageGroups:
		return &s.groups.listPage
	case stageEarlier:
		return &s.earlier.listPage
	}
	return nil
}

// openGroups shows the groups.
func (s *Screen) openGroups() tea.Cmd {
	s.show(stageGroups)
	s.groups.refresh("")
	return nil
}

// useGroup puts a group's recipients into the form.
func (s *Screen) useGroup(g group, beside bool) tea.Cmd {
	s.show(stageForm)
	return s.form.useGroup(g, beside)
}

// newGroup keeps the recipients of the form as a group, with what is typed.
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

// fillPast fills the form as for an earlier test.
func (s *Screen) fillPast() tea.Cmd {
	t, ok := s.earlier.selected()
	if !ok {
		return nil
	}
	s.show(stageForm)
	return s.form.refill(t.Ask)
}

// sendPast sends this draft as an earlier test was sent.
func (s *Screen) sendPast() tea.Cmd {
	if _, ok := s.earlier.selected(); !ok {
		return nil
	}
	return tea.Batch(s.fillPast(), s.send())
}

// ready reports whether there is a draft to send.
func (s *Screen) ready() bool { return s.loaded && s.failed == nil && s.draft.WhyNot() == "" }

// LeaveQuestion asks while messages are leaving.
func (s *Screen) LeaveQuestion() *screen.Question {
	if s.stage != stageSending {
		return nil
	}
	return &screen.Question{
		Title: "Stop the test?", Body: "Messages that are not sent yet will not be sent.",
		Buttons: []widget.Button{{Label: "Stop", Key: "y"}, {Label: "Stay", Key: "n"}},
	}
}

// key takes a key that is no action: it is typed, or scrolls.
func (s *Screen) key(msg tea.KeyMsg) tea.Cmd {
	if !s.ready() {
		return nil
	}
	switch s.stage {
	case stageRefused:
		s.refusal.Update(msg)
	case stageSending, stageDone:
		s.results.Update(msg)
	case stageGroups, stageEarlier:
		s.list().Update(msg)
	default:
		return s.form.Update(msg)
	}
	return nil
}

// mouse hands the mouse to what is shown.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if !s.ready() {
		return nil
	}
	if pressed(msg) && msg.Y == 0 && s.stage != stageForm && msg.X <= 2+s.layout.breadcrumbWidth {
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
			return s.groups.useSelected(false)
		}
	case stageEarlier:
		if s.earlier.mouse(msg) {
			return s.fillPast()
		}
	default:
		return s.form.mouse(msg, s.send)
	}
	return nil
}

// Undo undoes the last change of the form, or of the groups where they are shown.
func (s *Screen) Undo() (tea.Cmd, bool) { return s.walk((*screen.UndoStack).Undo) }

// Redo redoes the change that was undone last.
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
	s.layout.whole = box{width, height}
	s.refusal.resize()
}

// SetTheme changes the theme.
func (s *Screen) SetTheme(t themes.Theme) {
	s.theme, s.deps.Theme = t, t
	s.form.SetTheme(t)
	s.refusal.list.SetTheme(t)
	s.groups.list.SetTheme(t)
	s.earlier.list.SetTheme(t)
	s.results.reader.view.SetTheme(t)
}

// View draws the stage.
func (s *Screen) View() string {
	switch {
	case s.failed != nil:
		return s.layout.textScreen("Can't read this draft.\n\n" + problems.Sentence(s.failed.Error()) + "\n\nPress r to try again or esc to go back.")
	case !s.loaded:
		return s.layout.textScreen("Reading the draft…")
	case s.draft.WhyNot() != "":
		return s.layout.textScreen("You can't test this campaign.\n\n" + s.draft.WhyNot() + "\n\nPress esc to go back.")
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
