// Package validate is the screen that shows whether a campaign can be published, and the problems that prevent
// it.
package validate

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// Screen shows the validation of one campaign.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme themes.Theme
	id    string

	campaign engine.Campaign
	outcome  engine.Validation
	checked  bool
	failed   error
	errors   int
	notices  int

	list          problems.View
	pager         widget.Pager // shown instead of an empty list
	width, height int
}

const taskCheck = "check"

// New returns the screen for the route's campaign.
func New(deps screen.Deps, r screen.Route) *Screen {
	s := &Screen{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme, id: r.ID,
		list: problems.New(deps.Theme), pager: widget.NewPager(deps.Theme),
	}
	s.list.Focused = true
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Validate" }

// Badge summarizes the result.
func (s *Screen) Badge() (string, themes.Tone) {
	switch {
	case s.Running(taskCheck):
		return "checking…", themes.ToneMuted
	case !s.checked:
		return "", themes.ToneMuted
	case s.outcome.Valid && s.campaign.Status == catalog.Draft:
		return "ready to publish", themes.ToneSuccess
	case s.outcome.Valid:
		return s.campaign.Status.Label(), themes.ToneInfo
	}
	return problems.Count(s.errors, schema.Error), themes.ToneDanger
}

// Init validates the campaign.
func (s *Screen) Init() tea.Cmd { return s.check() }

// Resume validates again, because the campaign may have been changed.
func (s *Screen) Resume() tea.Cmd { return s.check() }

// Route returns the route of the screen's campaign.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.Validate, ID: s.id} }

// GoTo handles navigation from other screens to this one.
func (s *Screen) GoTo(screen.Route) tea.Cmd { return s.check() }

// Campaign returns the validated campaign.
func (s *Screen) Campaign() (engine.Campaign, bool) { return s.campaign, s.checked }

type validationResult struct {
	campaign engine.Campaign
	outcome  engine.Validation
}

func (s *Screen) check() tea.Cmd {
	service, id := s.deps.Service, s.id
	return s.Run(taskCheck, func(ctx context.Context) (any, error) {
		c, err := service.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		v, err := service.Validate(ctx, id)
		return validationResult{c, v}, err
	})
}

// Update handles results, keys and mouse events.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		if s.Accept(msg) {
			s.showResult(msg)
		}
	case screen.ChangedMsg:
		if msg.ID == s.id || msg.ID == "" {
			return s.check()
		}
	case tea.KeyMsg:
		if s.list.Len() > 0 {
			s.list.Update(msg)
		} else {
			s.pager.Update(msg)
		}
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	return nil
}

func (s *Screen) showResult(r screen.Result) {
	s.checked, s.failed = r.Err == nil, r.Err
	if r.Err == nil {
		v := r.Value.(validationResult)
		s.campaign, s.outcome = v.campaign, v.outcome
		s.errors = len(schema.Errors(v.outcome.Problems))
		s.notices = len(v.outcome.Problems) - s.errors
		s.list.Set(v.campaign.Channel, v.outcome.Problems)
	}
	s.SetSize(s.width, s.height)
}

func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if s.list.Len() == 0 {
		s.pager.Mouse(msg)
		return nil
	}
	if s.list.Mouse(msg, msg.Y-1-s.headerHeight()) {
		return s.toField()
	}
	return nil
}

// Typing returns false: there is no text field.
func (s *Screen) Typing() bool { return false }

const groupCampaign = "Campaign"

// Actions returns what can be done with the result.
func (s *Screen) Actions() []screen.Action {
	again := screen.Action{Keys: []string{"r", "v"}, Label: "check again", Group: groupCampaign, BarPriority: 6, Run: s.check}
	if !s.checked {
		return []screen.Action{again}
	}
	noProblem := ""
	if s.list.Len() == 0 {
		noProblem = "No problems to show."
	}
	return []screen.Action{
		{Keys: []string{"enter"}, Label: "go to field", Help: "fix the problem in the builder", Group: groupCampaign, BarPriority: s.barPriority(9), DisabledReason: noProblem, Run: s.toField},
		again,
		{Keys: []string{"t"}, Label: "test", Help: "send a test to a few people", Group: groupCampaign, BarPriority: 5, DisabledReason: s.testDisabledReason(), Run: s.open(screen.TestSend)},
		{Keys: []string{"s"}, Label: "status", Help: "publish, pause, resume, stop, archive", Group: groupCampaign, BarPriority: 4, Run: func() tea.Cmd {
			return status.Choose(s.deps, engine.Summarize(s.campaign))
		}},
		{Keys: []string{"b"}, Label: "builder", Help: "edit the campaign", Group: groupCampaign, Run: s.open(screen.Builder)},
		{Keys: []string{"y"}, Label: "copy", Help: "copy the problems", Group: groupCampaign, BarPriority: s.barPriority(2), DisabledReason: noProblem, Run: func() tea.Cmd {
			return screen.Copy(s.textForCopy(), "the problems")
		}},
	}
}

// barPriority hides actions on a problem from the status bar if there is none.
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

func (s *Screen) toField() tea.Cmd {
	p, ok := s.list.Selected()
	if !ok {
		return nil
	}
	return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Path: p.Path})
}

func (s *Screen) textForCopy() string {
	var b strings.Builder
	for _, p := range s.outcome.Problems {
		kind := "problem"
		if p.Severity == schema.Notice {
			kind = "notice"
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", kind, p.Path, p.Message)
	}
	return b.String()
}
