// Package testsend is the screen that sends test messages of a draft: it collects the recipients and options,
// forecasts the outcome, and shows progress and results.
package testsend

import (
	"fmt"
	"strings"

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
		switch {
		case !s.ready():
		case s.stage == stageForm:
			return s.form.Update(msg)
		default:
			s.results.Update(msg)
		}
	case tea.MouseMsg:
		switch {
		case !s.ready():
		case s.stage == stageForm:
			return s.form.mouse(msg, s.send)
		default:
			s.results.mouse(msg)
		}
	}
	return nil
}

// showLoaded shows the draft that was read. Input is kept.
func (s *Screen) showLoaded(l loadedData, err error) tea.Cmd {
	if s.failed = err; err != nil {
		return nil
	}
	s.loaded = true
	s.loadedData = l
	s.people.Reset() // users may have changed as well
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
}

// LeaveQuestion asks while messages are being sent, and before a typed recipient is lost.
func (s *Screen) LeaveQuestion() *screen.Question {
	if typed := s.form.text(); s.stage == stageForm && typed != "" {
		return &screen.Question{
			Title: "Leave the test?", Body: fmt.Sprintf("“%s” is typed, but not a recipient yet.", widget.Clean(typed)),
			Buttons: []widget.Option{{Label: "Leave", Key: "y"}, {Label: "Stay", Key: "n"}}, Focus: 1,
		}
	}
	if s.stage != stageSending {
		return nil
	}
	return &screen.Question{
		Title: "Stop the test of " + status.Name(engine.Summarize(s.draft.Campaign)) + "?", Body: "Messages that are not sent yet will not be sent.",
		Buttons: []widget.Option{{Label: "Stop", Key: "y"}, {Label: "Stay", Key: "n"}},
	}
}

// Undo undoes the last change of the form.
func (s *Screen) Undo() (tea.Cmd, bool) { return s.undo().Undo() }

// Redo redoes the last undone change.
func (s *Screen) Redo() (tea.Cmd, bool) { return s.undo().Redo() }

// undo returns what can be undone now.
func (s *Screen) undo() *screen.UndoStack {
	if !s.ready() || s.stage != stageForm {
		return &screen.UndoStack{}
	}
	return &s.form.undo
}

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) { s.panes.SetSize(width, height) }

// unready says why there is nothing to send; empty if there is.
func (s *Screen) unready() string {
	switch {
	case s.failed != nil:
		return "Can't read this draft.\n\n" + phrase.Sentence(s.failed.Error())
	case !s.loaded:
		return "Reading the draft…"
	case s.draft.UntestableReason() != "":
		return "You can't test this campaign.\n\n" + s.draft.UntestableReason()
	}
	return ""
}

// ready reports whether there is a draft to send.
func (s *Screen) ready() bool { return s.unready() == "" }

// View draws the current stage.
func (s *Screen) View() string {
	switch why := s.unready(); {
	case s.failed != nil:
		return s.panes.Message(s.name(), why+"\n\nPress r to reload or esc to go back.")
	case why != "":
		return s.panes.Message(s.name(), why)
	case s.stage == stageForm:
		return s.form.View()
	}
	return s.results.View()
}

// Read says the current stage.
func (s *Screen) Read() screen.Page {
	switch why := s.unready(); {
	case !s.loaded && s.failed == nil:
		return screen.Page{}
	case why != "":
		return screen.Page{Summary: strings.Join(strings.Fields(why), " ")}
	case s.stage == stageForm:
		return s.form.readForm()
	}
	return s.results.read()
}
