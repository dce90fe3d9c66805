// Package validate is the screen that shows whether a campaign can be published, the problems that prevent it, and
// warnings, which do not.
package validate

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
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
	theme *themes.Theme
	id    string

	campaign engine.Campaign // with the edits that are not applied
	outcome  engine.Validation
	pending  bool // there are such edits
	checked  bool
	failed   error
	errors   int
	notices  int
	warnings *warnings

	list          *problems.View
	pager         widget.Pager // shown instead of an empty list
	width, height int
}

const taskCheck = "check"

// Option configures the screen.
type Option func(*Screen)

// WithOnline sets how links and images are reached.
func WithOnline(o check.OnlineOptions) Option {
	return func(s *Screen) { s.warnings.online = o }
}

// New returns the screen for the route's campaign.
func New(deps screen.Deps, r screen.Route, options ...Option) *Screen {
	s := &Screen{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme, id: r.ID,
		list: problems.New(deps.Theme), pager: widget.NewPager(deps.Theme),
	}
	s.list.Focused = true
	s.warnings = &warnings{deps: deps, tasks: &s.Base, pushed: s.PushUndo}
	for _, o := range options {
		o(s)
	}
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
	case !s.outcome.Valid:
		return s.withWarnings(problems.Count(s.errors, schema.Error)), themes.ToneDanger
	case s.campaign.Status == catalog.Draft:
		return s.withWarnings("ready to publish"), themes.ToneSuccess
	}
	return s.withWarnings(s.campaign.Status.Label()), themes.ToneInfo
}

// withWarnings adds the number of warnings to a text.
func (s *Screen) withWarnings(text string) string {
	if n := s.warnings.result.Count(check.Warning); n > 0 {
		return text + " · " + phrase.Count(n, "warning")
	}
	return text
}

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
		s.list.SetWarnings(s.warnings.result, s.warnings.result.NotChecked()...)
		s.SetSize(s.width, s.height)
		if changed := s.warnings.takeChanged(); changed != "" {
			s.list.SelectWarning(changed)
		}
		return cmd
	case screen.ChangedMsg:
		if msg.ID == s.id || msg.ID == "" {
			return s.check()
		}
	case tea.KeyMsg:
		if s.list.Len() > 0 {
			s.list.Key(msg)
		} else {
			s.pager.Update(msg)
		}
	case tea.MouseMsg:
		return s.mouse(msg)
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
	s.errors = len(schema.Errors(v.outcome.Problems))
	s.notices = len(v.outcome.Problems) - s.errors
	s.list.Set(v.campaign.Channel, v.outcome.Problems)
	return s.warnings.find(v.campaign)
}

func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if s.list.Len() == 0 {
		s.pager.Mouse(msg)
		return nil
	}
	msg.Y -= 1 + s.headerHeight()
	if _, again := s.list.Mouse(msg); again {
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
	none := ""
	if s.list.Len() == 0 {
		none = "There is nothing to fix."
	}
	return append([]screen.Action{
		{Keys: []string{"enter"}, Label: "go to field", Help: "fix the problem in the builder", Group: groupCampaign, BarPriority: s.barPriority(9), DisabledReason: none, Run: s.toField},
		again,
		{Keys: []string{"t"}, Label: "test", Help: "send a test to a few people", Group: groupCampaign, BarPriority: 5, DisabledReason: s.testDisabledReason(), Run: s.open(screen.TestSend)},
		{Keys: []string{"s"}, Label: "status", Help: "publish, pause, resume, stop, archive", Group: groupCampaign, BarPriority: 4, Run: func() tea.Cmd {
			return status.Choose(s.deps, engine.Summarize(s.campaign))
		}},
		{Keys: []string{"b"}, Label: "builder", Help: "edit the campaign", Group: groupCampaign, Run: s.open(screen.Builder)},
		{Keys: []string{"y"}, Label: "copy", Help: "copy the problems and warnings", Group: groupCampaign, BarPriority: s.barPriority(2), DisabledReason: none, Run: func() tea.Cmd {
			return screen.Copy(s.textForCopy(), "the problems")
		}},
	}, s.warningActions()...)
}

const groupWarnings = "Warnings"

// warningActions returns what can be done with warnings.
func (s *Screen) warningActions() []screen.Action {
	found, selected := s.list.Warning()
	label, do := "dismiss", s.warnings.dismiss
	if found.Dismissed != nil {
		label, do = "restore", s.warnings.restore
	}
	bar := 0
	if selected {
		bar = 8
	}
	dismiss := screen.Action{Name: "dismiss", Keys: []string{"d"}, Label: label, Help: "hide the warning, with a reason, until its text changes, or count it again", Group: groupWarnings, BarPriority: bar,
		DisabledReason: s.warnings.dismissDisabledReason(selected), Run: func() tea.Cmd { return do(found) }}
	fix := screen.Action{Name: "fix", Keys: []string{"f"}, Label: "fix", Help: "apply the fix that the warning suggests", Group: groupWarnings, BarPriority: bar,
		DisabledReason: "This one is fixed by hand, in the field that enter opens."}
	if found.Fixes(s.campaign.Document()) {
		fix.DisabledReason = ""
		fix.Run = func() tea.Cmd {
			return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Path: found.Path, Doc: doc.NewString(found.Fix)})
		}
	} else {
		fix.BarPriority = 0
	}
	if s.Running(taskOnline) {
		return []screen.Action{fix, dismiss, {Keys: []string{"X"}, Label: "cancel", Help: "stop checking links", Group: groupWarnings, BarPriority: 10, Run: s.warnings.cancelOnline}}
	}
	return []screen.Action{fix, dismiss, {Keys: []string{"l"}, Label: "check links", Help: "ask if every link and image answers, and the DNS of the sender's domain", Group: groupWarnings,
		BarPriority: 3, DisabledReason: s.warnings.onlineDisabledReason(), Run: s.warnings.checkOnline}}
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

func (s *Screen) toField() tea.Cmd {
	at, ok := s.selectedPlace()
	if !ok {
		return nil
	}
	return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Path: at})
}

// selectedPlace returns the place of the problem or warning under the cursor; false if there is none.
func (s *Screen) selectedPlace() (doc.Path, bool) {
	if f, ok := s.list.Warning(); ok {
		return f.Path, true
	}
	p, ok := s.list.Problem()
	return p.Path, ok
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
	b.WriteString(s.warnings.lines())
	return b.String()
}
