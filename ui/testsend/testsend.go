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

	loaded bool
	failed error
	filled bool // the form was filled from the last test

	stage   stage
	form    form
	results *results
}

// stage is the part that is shown.
type stage uint8

const (
	stageForm    stage = iota
	stageSending       // messages are being sent
	stageDone          // the results
)

// Kinds of tasks.
const (
	taskLoad     = "load"
	taskUsers    = "users"
	taskForecast = "forecast"
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
	c := &sendContext{deps: deps, theme: deps.Theme, tasks: &s.Base, id: r.ID, prefs: deps.Prefs.Within(deps.Workspace), people: model.NewDirectory()}
	if c.prefs == nil {
		c.prefs = prefs.NewInMemory() // as long as the screen exists
	}
	c.split(stageForm)
	s.sendContext, s.form, s.results = c, newForm(c), newResults(c)
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Test send" }

// Badge shows the state of the run.
func (s *Screen) Badge() (string, themes.Tone) {
	if s.stage == stageForm {
		return "", themes.ToneMuted
	}
	return s.results.badge()
}

// Init reads the draft and the history of tests.
func (s *Screen) Init() tea.Cmd { return s.load() }

// Resume reads the draft again, because it may have changed.
func (s *Screen) Resume() tea.Cmd {
	if s.stage == stageSending {
		return nil
	}
	return s.load()
}

// Route returns the route of the screen's campaign.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.TestSend, ID: s.id} }

// GoTo handles navigation from other screens to this one.
func (s *Screen) GoTo(screen.Route) tea.Cmd { return s.Resume() }

// Campaign returns the draft.
func (s *Screen) Campaign() (engine.Campaign, bool) { return s.draft.Campaign, s.loaded }

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
	if !s.filled {
		s.filled = true
		s.form.fill(s.past.WithoutFailed(s.past.Last()))
	}
	return s.form.setDraft()
}

// show switches to a stage.
func (s *Screen) show(st stage) {
	s.stage = st
	s.split(st)
	if s.form.chooser != nil {
		s.form.chooser.Close()
	}
}

// ready reports whether there is a draft to send.
func (s *Screen) ready() bool { return s.loaded && s.failed == nil && s.draft.UntestableReason() == "" }

// LeaveQuestion asks while messages are being sent, and before a typed recipient is lost.
func (s *Screen) LeaveQuestion() *screen.Question {
	if typed := s.form.text(); s.stage == stageForm && typed != "" {
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
	case stageSending, stageDone:
		s.results.Update(msg)
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
	switch s.stage {
	case stageSending, stageDone:
		return s.results.mouse(msg)
	}
	return s.form.mouse(msg, s.send)
}

// Undo undoes the last change of the form.
func (s *Screen) Undo() (tea.Cmd, bool) {
	if !s.ready() || s.stage != stageForm {
		return nil, false
	}
	return s.form.undo.Undo()
}

// Redo redoes the last undone change.
func (s *Screen) Redo() (tea.Cmd, bool) {
	if !s.ready() || s.stage != stageForm {
		return nil, false
	}
	return s.form.undo.Redo()
}

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) { s.panes.SetSize(width, height) }

// View draws the current stage.
func (s *Screen) View() string {
	switch {
	case s.failed != nil:
		return s.panes.Message(s.name(), "Can't read this draft.\n\n"+phrase.Capitalize(s.failed.Error())+"\n\nPress r to try again or esc to go back.")
	case !s.loaded:
		return s.panes.Message(s.name(), "Reading the draft…")
	case s.draft.UntestableReason() != "":
		return s.panes.Message(s.name(), "You can't test this campaign.\n\n"+s.draft.UntestableReason()+"\n\nPress esc to go back.")
	}
	switch s.stage {
	case stageSending, stageDone:
		return s.results.View()
	}
	return s.form.View()
}

// Read says the current stage.
func (s *Screen) Read() screen.Page {
	switch {
	case s.failed != nil:
		return screen.Page{Summary: "Can't read this draft: " + phrase.Sentence(s.failed.Error())}
	case !s.loaded:
		return screen.Page{}
	case s.draft.UntestableReason() != "":
		return screen.Page{Summary: "You can't test this campaign. " + s.draft.UntestableReason()}
	}
	switch s.stage {
	case stageSending, stageDone:
		return s.results.read()
	}
	return s.form.readForm()
}
