// Package validate is the screen that shows whether a campaign can be published, the problems that prevent it, and
// warnings, which do not.
package validate

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/check"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/validate/problems"
)

// Screen shows the validation of one campaign.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme *themes.Theme
	id    string

	campaign engine.Campaign // with the edits that are not applied
	outcome  engine.Validation
	pending  bool // there are such edits
	checked  bool
	failed   error

	warnings
	known          bool // the warnings are those of campaign
	warningsFailed error
	online         check.OnlineOptions
	progress       onlineProgress

	list          *problems.View
	width, height int
}

const taskCheck = "check"

// Option configures the screen.
type Option func(*Screen)

// WithOnline sets how links and images are reached.
func WithOnline(o check.OnlineOptions) Option {
	return func(s *Screen) { s.online = o }
}

// New returns the screen for the route's campaign.
func New(deps screen.Deps, r screen.Route, options ...Option) *Screen {
	s := &Screen{Base: screen.NewBase(), deps: deps, theme: deps.Theme, id: r.ID}
	s.list = problems.New(deps.Theme, s.toField)
	s.list.Focused = true
	for _, o := range options {
		o(s)
	}
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Validate" }

// Init validates the campaign.
func (s *Screen) Init() tea.Cmd { return s.check() }

// Resume validates again, because the campaign may have been changed.
func (s *Screen) Resume() tea.Cmd { return s.check() }

// Route returns the route of the screen's campaign.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.Validate, ID: s.id} }

// GoTo handles navigation from other screens to this one: it shows the first problem.
func (s *Screen) GoTo(screen.Route) tea.Cmd {
	s.list.SelectIndex(0)
	return s.check()
}

// Subject returns the campaign, once it has been read.
func (s *Screen) Subject() screen.Subject {
	if !s.checked {
		return screen.Subject{}
	}
	return screen.Subject{Campaign: s.campaign}
}

type validationResult struct {
	campaign engine.Campaign
	outcome  engine.Validation
	pending  bool
}

// check asks the service what is wrong with the campaign. Edits that the service does not have yet are checked here.
func (s *Screen) check() tea.Cmd {
	service, id, session := s.deps.Service, s.id, edit.New(s.deps.EditConfig(), s.id)
	read := session.Load()
	return screen.Go(&s.Base, taskCheck, func(ctx context.Context) (validationResult, error) {
		l, err := read(ctx)
		if err != nil {
			return validationResult{}, err
		}
		if session.ApplyLoaded(l); !session.HasPending() {
			v, err := service.Validate(ctx, id)
			return validationResult{l.Campaign, v, false}, err
		}
		found := session.ChangeProblems()
		return validationResult{session.Campaign(), engine.Validation{Valid: len(schema.Errors(found)) == 0, Problems: found}, true}, nil
	}, s.showChecked)
}

// Update handles results, keys and mouse events.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		cmd := msg.Done()
		s.list.SetWarnings(s.found)
		s.SetSize(s.width, s.height)
		return cmd
	case screen.ChangedMsg:
		if msg.ID == s.id || msg.ID == "" {
			return s.check()
		}
	case tea.KeyMsg:
		s.list.Key(msg)
	case tea.MouseMsg:
		msg.Y -= 1 + len(s.head())
		if _, again := s.list.Mouse(msg); again {
			return s.list.Open()
		}
	}
	return nil
}

// showChecked shows the problems, and starts to look for warnings. Until those are found, the ones of before are shown.
func (s *Screen) showChecked(v validationResult, err error) tea.Cmd {
	s.checked, s.failed = err == nil, err
	if err != nil {
		return nil
	}
	s.campaign, s.outcome, s.pending = v.campaign, v.outcome, v.pending
	s.list.Set(v.campaign.Channel, v.outcome.Problems)
	return s.find()
}

// Typing returns false: there is no text field.
func (s *Screen) Typing() bool { return false }

const groupCampaign = "Campaign"

// Actions returns what can be done with the result.
func (s *Screen) Actions() []screen.Action {
	again := screen.Action{Keys: []string{"r"}, Label: "reload", Help: "check again", Group: groupCampaign, BarPriority: 6, Run: s.check}
	if !s.checked {
		return []screen.Action{again}
	}
	none := ""
	if s.list.Len() == 0 {
		none = "There is nothing to fix."
	}
	return append([]screen.Action{
		{Keys: []string{"enter"}, Label: "go to field", Help: "fix the problem in the builder", Group: groupCampaign, BarPriority: s.barPriority(9), DisabledReason: none, Run: s.list.Open},
		again,
		{Keys: []string{"t"}, Label: "test", Help: "send a test to a few people", Group: groupCampaign, BarPriority: 5, DisabledReason: s.testDisabledReason(), Run: s.open(screen.TestSend)},
		{Keys: []string{"s"}, Label: "status", Help: "publish, pause, resume, stop, archive", Group: groupCampaign, BarPriority: 4, Run: func() tea.Cmd {
			return status.Choose(s.deps, engine.Summarize(s.campaign))
		}},
		{Name: "edit-campaign", Keys: []string{"e"}, Label: "edit", Help: "edit the campaign", Group: groupCampaign, Run: s.open(screen.Builder)},
		{Keys: []string{"y"}, Label: "copy", Help: "copy the problems and warnings", Group: groupCampaign, BarPriority: s.barPriority(2), DisabledReason: none, Run: func() tea.Cmd {
			return screen.Copy(s.list.Text(), "the problems")
		}},
	}, s.warningActions()...)
}

const groupWarnings = "Warnings"

// warningActions returns what can be done with warnings.
func (s *Screen) warningActions() []screen.Action {
	found, selected := s.list.Warning()
	bar := 0
	if selected {
		bar = 8
	}
	label, do := "dismiss", s.dismiss
	if found.Dismissed != nil {
		label, do = "restore", s.restore
	}
	dismiss := screen.Action{Name: "dismiss", Keys: []string{"D"}, Label: label, Help: "hide the warning, with a reason, until its text changes, or count it again", Group: groupWarnings, BarPriority: bar,
		DisabledReason: s.dismissDisabledReason(selected), Run: func() tea.Cmd { return do(found) }}
	fix := screen.Action{Name: "fix", Keys: []string{"f"}, Label: "fix", Help: "apply the fix that the warning suggests", Group: groupWarnings, BarPriority: bar, Run: func() tea.Cmd {
		return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Path: found.Path, Doc: doc.NewString(found.Fix)})
	}}
	if !found.Fixes(s.campaign.Document()) {
		fix.DisabledReason, fix.BarPriority = "This one is fixed by hand, in the field that enter opens.", 0
	}
	links := screen.Action{Keys: []string{"L"}, Label: "check links", Help: "ask if every link and image answers, and the DNS of the sender's domain", Group: groupWarnings,
		BarPriority: 3, DisabledReason: s.onlineDisabledReason(), Run: s.checkOnline}
	if s.Running(taskOnline) {
		links = screen.Action{Keys: []string{"X"}, Label: "cancel", Help: "stop checking links", Group: groupWarnings, BarPriority: 10, Run: func() tea.Cmd { s.Cancel(taskOnline); return nil }}
	}
	return []screen.Action{fix, dismiss, links}
}

// barPriority hides actions on a problem or warning from the status bar if there is none.
func (s *Screen) barPriority(n int) int {
	if s.list.Len() == 0 {
		return 0
	}
	return n
}

func (s *Screen) testDisabledReason() string {
	switch {
	case !s.campaign.Channel.Writable():
		return "You can only test push and email campaigns."
	case s.campaign.Status != catalog.Draft:
		return "You can only test drafts. Clone this campaign to test its content."
	}
	return ""
}

func (s *Screen) open(name string) func() tea.Cmd {
	return func() tea.Cmd { return screen.Open(screen.Route{Name: name, ID: s.id}) }
}

// toField opens a field in the builder.
func (s *Screen) toField(at doc.Path) tea.Cmd {
	return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Path: at})
}
