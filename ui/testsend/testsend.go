// Package testsend is the screen that sends a draft to a few people: who gets it, which of its
// messages, what will go out, how it goes, and how it went.
package testsend

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/material"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// Screen is the test send of one draft.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme themes.Theme
	id    string

	loaded bool
	failed error
	draft  model.Draft
	recent map[string][]string // by identifier, newest first
	prefs  *prefs.Prefs        // of the workspace

	people      *model.People
	forecast    foreseen
	glance      glance
	asked       string                        // what the newest forecast was asked for
	typedValues map[material.Attribute]string // in place of the recipients', also of attributes out of sight

	stage   stage
	form    form
	run     run
	refusal refusal
	groups  groupsPage
	past    pastPage
	steps   steps
	filled  bool // the form was filled from what was sent last

	zoom          bool // the focused pane has the whole screen
	details       bool // on a page with a list, what is beside it has the keyboard
	gridTop       int  // the first line of the grid in sight
	detailTop     int  // that of what is said of a group, or of an earlier test
	way           int  // the cells of the way to the page, as drawn last
	width, height int
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
	s := &Screen{Base: screen.NewBase(), deps: deps, theme: deps.Theme, id: r.ID}
	if s.prefs = deps.Prefs.Within(deps.Workspace); s.prefs == nil {
		s.prefs = prefs.InMemory() // as long as the screen is there
	}
	s.people, s.typedValues = model.NewPeople(), map[material.Attribute]string{}
	s.form = newForm(deps.Theme)
	s.groups.list, s.past.list = widget.NewList(deps.Theme), widget.NewList(deps.Theme)
	s.refusal.list = problems.New(deps.Theme)
	s.refusal.list.Focused = true
	return s
}

// Title is the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Test send" }

// Badge returns what is under way.
func (s *Screen) Badge() (string, themes.Tone) {
	switch s.stage {
	case stageSending:
		return fmt.Sprintf("sending %d of %d", s.run.Done, s.run.Total), themes.ToneInfo
	case stageDone:
		if n := s.run.FailedSends(); n > 0 {
			return fmt.Sprintf("%d failed", n), themes.ToneDanger
		}
		return "sent", themes.ToneSuccess
	case stageRefused:
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
		s.show(s.refusal.back)
	}
	return s.load()
}

// Route returns which campaign the screen is about.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.TestSend, ID: s.id} }

// GoTo is how other screens lead back here.
func (s *Screen) GoTo(screen.Route) tea.Cmd { return s.Resume() }

// Campaign returns the draft.
func (s *Screen) Campaign() (engine.Campaign, bool) { return s.draft.Campaign, s.loaded }

type loaded struct {
	draft  model.Draft
	recent map[string][]string
	past   model.History
	groups []group
}

// mostRecent is how many earlier recipients are offered for an identifier.
const mostRecent = 20

func (s *Screen) load() tea.Cmd {
	service, id, history, kept := s.deps.Service, s.id, s.history(), s.prefs
	return s.Run(taskLoad, func(ctx context.Context) (any, error) {
		l := loaded{recent: map[string][]string{}}
		var err error
		if l.draft, err = model.Load(ctx, service, id); err != nil {
			return nil, err
		}
		c := l.draft.Campaign
		if !c.Channel.Writable() {
			return l, nil
		}
		if l.groups, err = prefs.Read[[]group](kept, prefGroups); err != nil {
			return nil, err
		}
		for _, o := range l.draft.Fields.Identifier.Options {
			if l.recent[o.Value], err = history.Recipients(ctx, c.Channel, o.Value, mostRecent); err != nil {
				return nil, err
			}
		}
		l.past, err = model.ReadHistory(ctx, service, history, c)
		return l, err
	})
}

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
	case tick:
		return s.turn(msg)
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
		return s.took(r)
	case taskProfiles:
		return s.tookProfiles(r)
	case taskForecast:
		if r.Err == nil {
			s.tookForecast(r.Value.(foreseen))
		}
	case taskNames:
		if people, ok := r.Value.(map[model.Recipient]model.Person); ok {
			s.people.Meet(people)
			s.offer()
			s.listPast()
		}
	case taskGroups:
		return s.tookGroups(r)
	case taskOutbox:
		s.tookOutbox(r)
	case taskKeep:
		if r.Err != nil {
			return screen.Notify(widget.LevelWarning, "Cannot save this test to the history: "+r.Err.Error())
		}
	case taskSend:
		if r.Partial {
			s.run.Take(r.Value.(model.Step))
			return nil
		}
		return s.sent(r)
	}
	return nil
}

// took shows the draft that was read. What was typed meanwhile stays.
func (s *Screen) took(r screen.Result) tea.Cmd {
	if s.failed = r.Err; r.Err != nil {
		return nil
	}
	l := r.Value.(loaded)
	s.loaded = true
	s.draft, s.recent, s.past.all, s.groups.all = l.draft, l.recent, l.past, l.groups
	s.people.Forget() // they may have changed as well
	s.asked, s.forecast.Forecast = "", model.Forecast{}
	if s.draft.WhyNot() != "" {
		return nil
	}
	s.listGroups("")
	s.listPast()
	at := s.form.at
	if !s.filled {
		s.filled = true
		s.fill(s.past.all.WithoutMissed(s.past.all.Last()))
		at = s.form.at
	}
	s.form.filter = s.draft.Known(s.form.filter)
	s.setOverrides()
	if !slices.Contains(s.spots(), at) { // its row is gone
		at = spot{onPrompt, 0}
	}
	s.focus(at)
	return tea.Batch(s.refresh(), s.learnNames())
}

// fill puts what was asked for earlier into the form. Where that is all a test needs, the next enter
// sends it: the same again is the most common test of all.
func (s *Screen) fill(last engine.TestSend) {
	s.form.identifier = s.draft.Fields.Identifier.Options[0].Value
	for _, o := range s.draft.Fields.Identifier.Options {
		if o.Value == last.Identifier {
			s.form.identifier = o.Value
		}
	}
	s.form.values[s.form.identifier] = slices.Clone(last.Values)
	s.form.wrong = ""
	s.form.prompt.SetValue("")
	s.form.filter = last.Filter
	s.recallOverrides(last)
	s.focus(spot{onPrompt, 0})
	if len(last.Values) > 0 {
		s.focus(spot{onSend, 0})
	}
}

// ready reports whether there is a draft to send.
func (s *Screen) ready() bool { return s.loaded && s.failed == nil && s.draft.WhyNot() == "" }

// Leaving asks while messages are leaving.
func (s *Screen) Leaving() *screen.Question {
	if s.stage != stageSending {
		return nil
	}
	return &screen.Question{
		Title: "Stop the test?", Body: "Messages that are not sent yet will not be sent.",
		Buttons: []widget.Button{{Label: "Stop", Key: "y"}, {Label: "Stay", Key: "n"}},
	}
}
