// Package testsend is the screen that sends a draft to a few people: who gets it, which of its
// messages, what will go out, how it goes, and how it went.
package testsend

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/themes"
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

	loaded    bool
	failed    error
	campaign  engine.Campaign
	document  doc.Value
	workspace engine.Workspace
	fields    engine.TestFields
	recent    map[string][]string // by identifier, newest first
	earlier   []engine.TestRecord // tests of this campaign, newest first

	stage   stage
	form    form
	run     run
	refusal refusal
	form0   bool // the form was filled from what was sent last

	scroll        widget.Window // over the lines of the stage's text
	width, height int
}

// stage is what the screen shows.
type stage uint8

const (
	stageForm    stage = iota
	stageSending       // messages are leaving
	stageDone          // how it went
	stageRefused       // the service said no before anything left
)

// The tasks of the screen.
const (
	taskLoad     = "load"
	taskProfiles = "profiles"
	taskSend     = "send"
)

// New makes the screen for the draft of the route.
func New(deps screen.Deps, r screen.Route) *Screen {
	s := &Screen{Base: screen.NewBase(), deps: deps, theme: deps.Theme, id: r.ID}
	s.form = newForm(deps.Theme)
	s.refusal.list = problems.New(deps.Theme)
	s.refusal.list.Focused = true
	return s
}

// Title is the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Test send" }

// Badge says what is under way.
func (s *Screen) Badge() (string, themes.Tone) {
	switch s.stage {
	case stageSending:
		return fmt.Sprintf("sending %d of %d", s.run.done, s.run.total), themes.ToneInfo
	case stageDone:
		if n := s.run.failedKeys(); n > 0 {
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
	if s.stage == stageSending {
		return nil
	}
	return s.load()
}

// Route tells which campaign the screen is about.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.TestSend, ID: s.id} }

// GoTo is how other screens lead back here.
func (s *Screen) GoTo(screen.Route) tea.Cmd { return s.Resume() }

type loaded struct {
	campaign  engine.Campaign
	workspace engine.Workspace
	recent    map[string][]string
	earlier   []engine.TestRecord // tests of this campaign
	last      engine.TestSend     // what to begin with; zero where nothing was sent on the channel
}

// How many earlier recipients are offered for an identifier, and how many earlier tests.
const (
	mostRecent  = 20
	mostEarlier = 10
)

func (s *Screen) load() tea.Cmd {
	service, id := s.deps.Service, s.id
	return s.Run(taskLoad, func(ctx context.Context) (any, error) {
		l := loaded{recent: map[string][]string{}}
		var err error
		if l.campaign, err = service.Get(ctx, id); err != nil {
			return nil, err
		}
		if k, ok := service.(engine.WorkspaceKeeper); ok {
			if l.workspace, err = k.Workspace(ctx); err != nil {
				return nil, err
			}
		}
		h, ok := service.(engine.TestHistory)
		if !ok || !l.campaign.Channel.Writable() {
			return l, nil
		}
		fields := engine.TestFieldsOf(l.campaign.Channel)
		for _, o := range fields.Identifier.Options {
			if l.recent[o.Value], err = h.Recipients(ctx, l.campaign.Channel, o.Value, mostRecent); err != nil {
				return nil, err
			}
		}
		if l.earlier, err = h.Tests(ctx, id, mostEarlier); err != nil {
			return nil, err
		}
		if len(l.earlier) > 0 {
			l.last = engine.ParseTestSend(l.earlier[0].Body)
			return l, nil
		}
		l.last, err = lastOnChannel(ctx, h, fields)
		return l, err
	})
}

// lastTests is how many tests of other campaigns are looked through.
const lastTests = 20

// lastOnChannel gives how the last test of the channel found its people.
func lastOnChannel(ctx context.Context, h engine.TestHistory, fields engine.TestFields) (engine.TestSend, error) {
	all, err := h.Tests(ctx, "", lastTests)
	if err != nil {
		return engine.TestSend{}, err
	}
	for _, t := range all {
		identifier := engine.ParseTestSend(t.Body).Identifier
		for _, o := range fields.Identifier.Options {
			if o.Value == identifier {
				return engine.TestSend{Identifier: identifier}, nil
			}
		}
	}
	return engine.TestSend{}, nil
}

// Update takes results and news, keys and the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		if s.Accept(msg) {
			return s.result(msg)
		}
	case screen.ChangedMsg:
		if msg.ID == s.id && s.stage != stageSending {
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
		if r.Err == nil { // without profiles there is still everything else
			s.form.profiles = r.Value.([]engine.Profile)
			s.offer()
		}
	case taskSend:
		if r.Partial {
			s.run.step(r.Value.(engine.TestProgress))
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
	s.campaign, s.workspace, s.recent, s.earlier = l.campaign, l.workspace, l.recent, l.earlier
	s.document = l.campaign.Document()
	if s.why() != "" {
		return nil
	}
	s.fields = engine.TestFieldsOf(l.campaign.Channel)
	s.form.platforms, s.form.locales, s.form.variations = engine.KeyChoices(l.campaign.Channel, s.document)
	s.setOverrides()
	if !s.form0 {
		s.form0 = true
		s.fill(l.last)
	}
	s.dropForeign()
	at := s.form.at
	if !slices.Contains(s.spots(), at) { // its row is gone
		at = spot{onPrompt, 0}
	}
	s.focus(at)
	return s.search()
}

// fill puts what was asked for earlier into the form.
func (s *Screen) fill(last engine.TestSend) {
	s.form.identifier = s.fields.Identifier.Options[0].Value
	for _, o := range s.fields.Identifier.Options {
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
}

// why says why the campaign cannot be tested; empty where it can.
func (s *Screen) why() string {
	switch {
	case !s.campaign.Channel.Writable():
		return "Test sends are for push and e-mail; this is a campaign for " + s.campaign.Channel.Label() + "."
	case s.campaign.Status != catalog.Draft:
		return "Test sends are for drafts; this campaign is " + s.campaign.Status.Label() + ". Clone it to test its content."
	}
	return ""
}

// ready says that there is a draft to send.
func (s *Screen) ready() bool { return s.loaded && s.failed == nil && s.why() == "" }

// Leaving asks while messages are leaving.
func (s *Screen) Leaving() *screen.Question {
	if s.stage != stageSending {
		return nil
	}
	return &screen.Question{
		Title: "Stop the test send?", Body: "What has not left yet will not be sent.",
		Buttons: []widget.Button{{Label: "Stop", Key: "y"}, {Label: "Stay", Key: "n"}},
	}
}
