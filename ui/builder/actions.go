package builder

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// Help headings.
const (
	groupMove     = "Move"
	groupEdit     = "Edit"
	groupCampaign = "Campaign"
)

// Actions returns what the user can do in the focused pane. While the form has the focus, letters belong to it: an action is
// then left with its other keys.
func (s *Screen) Actions() []screen.Action {
	if s.failed != nil {
		return []screen.Action{{Keys: []string{"r"}, Label: "reload", Group: groupCampaign, BarPriority: 9, Run: s.load}}
	}
	if !s.loaded {
		return nil
	}
	acts := slices.Concat(s.viewAsActions(), s.moveActions(), s.editActions(), s.campaignActions())
	for i, a := range acts {
		if a.HelpOnly {
			continue
		}
		if s.Typing() {
			acts[i].Keys = slices.DeleteFunc(slices.Clone(a.Keys), func(k string) bool { return len(k) == 1 })
			acts[i].WhileTyping = true
		}
		if a.Run != nil {
			acts[i].Run = func() tea.Cmd { return s.finish(a.Run()) }
		}
	}
	return acts
}

// moveActions are the actions that move between panes and places.
func (s *Screen) moveActions() []screen.Action {
	var acts []screen.Action
	switch s.panes.Focused() {
	case paneForm:
		acts = s.form.Help("Form", groupMove)
		acts = append(acts, s.tabActions()...)
		if !s.form.Modal() {
			acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "back", Help: "go back one level", Group: groupMove, BarPriority: 8, Run: s.up})
		}
	case paneSide:
		acts = s.sideActions()
	default:
		acts = []screen.Action{{
			Keys: []string{"enter", "right", "l", "tab"}, Label: "edit", Help: "edit the section", Group: groupMove, BarPriority: 9, Run: s.enter,
		}}
	}
	acts = append(acts,
		s.showAction(sideProblems, screen.Action{Keys: []string{"ctrl+g"}, Label: "problems", Help: "go to the list of problems", Group: groupMove, BarPriority: 4}),
		s.showAction(sideJSON, screen.Action{Label: "JSON", Help: "show the section as JSON", Group: groupMove}),
	)
	if s.side.Panel != nil {
		acts = append(acts, s.showAction(sidePanel, screen.Action{
			Name: "preview-pane", Keys: []string{"p", "alt+p"}, Label: strings.ToLower(s.side.Panel.Title()), Help: "go to the panel beside the form", Group: groupMove, BarPriority: 5,
		}))
	}
	next := screen.Action{
		Keys: []string{"alt+n"}, Label: "next to do", Help: "go to the next field that is missing or wrong", Group: groupMove, BarPriority: 4, WhileTyping: true,
		Run: s.goToNextProblem,
	}
	if errorCount(s.edit) == 0 {
		next.BarPriority, next.DisabledReason = 0, "Nothing is missing. Press v in the sections to validate."
	}
	zoomKey := "z"
	if s.Typing() {
		zoomKey = "alt+z"
	}
	return append(acts, next, s.panes.ZoomAction(zoomKey, groupMove, s.arrange), s.spokenPreview())
}

// showAction is the action that shows something in the pane beside the form.
func (s *Screen) showAction(v sideView, a screen.Action) screen.Action {
	a.WhileTyping = true
	a.Run = func() tea.Cmd { return s.focusSide(v) }
	if s.panes.Focused() == paneSide && s.side.shows() == v {
		a.BarPriority, a.DisabledReason = 0, "It is shown already."
	}
	return a
}

func (s *Screen) editActions() []screen.Action {
	section := s.form.Path()[:1]
	outside := func(p doc.Path) func() tea.Cmd { return func() tea.Cmd { return s.form.EditJSON(p) } }
	one := screen.Action{Label: "editor", Help: "edit the section as JSON in your editor", Group: groupEdit, DisabledReason: s.edit.LockedAt(section), Run: outside(section)}
	all := screen.Action{Label: "edit all", Help: "edit the whole campaign as JSON in your editor", Group: groupEdit, DisabledReason: s.edit.LockedAt(nil), Run: outside(nil)}
	apply := screen.Action{Keys: []string{"ctrl+s"}, Label: "save", Help: "save now (changes are also saved automatically)", Group: groupEdit, WhileTyping: true, Run: func() tea.Cmd { return s.afterCompiling(s.review) }}
	if !s.edit.SavesInPlace() {
		apply.Label, apply.Help, apply.BarPriority = "apply", "apply your changes to the campaign", 7
		if when := catalog.Propagation(s.edit.Head().DeliveryType, s.edit.Head().Status); when != "" {
			apply.Help += " · " + strings.TrimSuffix(when, ".")
		}
		if !s.edit.HasPending() {
			apply.DisabledReason = "There are no changes to apply."
		}
	}
	return append([]screen.Action{one, all, s.fixAction(), apply}, s.messageActions()...)
}

// fixAction does what a warning asks for: that of the field under the cursor, or else the first.
func (s *Screen) fixAction() screen.Action {
	act := screen.Action{Name: "fix", Keys: []string{"f", "alt+f"}, Label: "fix", Help: "apply the fix that the warning suggests", Group: groupEdit, WhileTyping: true, DisabledReason: "No warning can be fixed with a key."}
	for _, f := range slices.Concat(s.warnings.at(s.place()), s.warnings.result.Findings) {
		if f.Fixes(s.edit.Root()) {
			act.DisabledReason, act.BarPriority = s.edit.LockedAt(f.Path), 3
			act.Run = func() tea.Cmd {
				return tea.Batch(s.setAndShow(f.Path, doc.NewString(f.Fix)), screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, "Fixed: "+f.Text()))
			}
			break
		}
	}
	return act
}

func (s *Screen) campaignActions() []screen.Action {
	testWhy := ""
	switch {
	case s.edit.Head().Status != catalog.Draft:
		testWhy = "You can only test drafts. Clone this campaign to test its content."
	case !s.edit.Head().Channel.Writable():
		testWhy = "You can only test push and email campaigns."
	case s.edit.HasPending():
		testWhy = "Apply your changes first (ctrl+s). A test sends what the service has."
	}
	open := func(route string) func() tea.Cmd {
		return func() tea.Cmd { return s.afterSave(screen.Open(screen.Route{Name: route, ID: s.edit.ID()})) }
	}
	compiled := func(then func() tea.Cmd) func() tea.Cmd { // for what needs the HTML of a message
		return func() tea.Cmd { return s.afterCompiling(then) }
	}
	browserBar := 0
	if s.inContent() {
		browserBar = 4
	}
	acts := []screen.Action{
		{Keys: []string{"v", "alt+v"}, Label: "validate", Help: "check that the campaign can be published", Group: groupCampaign, BarPriority: 6, Run: compiled(open(screen.Validate))},
		{Keys: []string{"t", "alt+t"}, Label: "test", Help: "send a test message to a few people", Group: groupCampaign, BarPriority: 5, DisabledReason: testWhy, Run: compiled(open(screen.TestSend))},
		{Keys: []string{"s", "alt+s"}, Label: "status", Help: "publish, stop, pause, resume, archive", Group: groupCampaign, BarPriority: 3, Run: compiled(func() tea.Cmd {
			return s.afterSave(status.Choose(s.deps, engine.Summarize(s.edit.Campaign())))
		})},
		{Keys: []string{"H", "alt+H"}, Label: "history", Help: "compare and restore earlier versions", Group: groupCampaign, BarPriority: 2, Run: open(screen.History)},
		{Keys: []string{"O", "alt+O"}, Label: "outbox", Help: "read test messages", Group: groupCampaign, Run: open(screen.Outbox)},
		{Keys: []string{"o", "alt+o"}, Label: "browser", Help: "open the message in your browser, where it follows your changes", Group: groupCampaign, BarPriority: browserBar, Run: s.openPage},
		{Keys: []string{"y"}, Label: "copy", Help: "copy the campaign as JSON", Group: groupCampaign, Run: func() tea.Cmd {
			return screen.Copy(string(s.edit.Campaign().Record().Indent()), "the campaign as JSON")
		}},
	}
	if s.Typing() {
		for i := range acts {
			acts[i].BarPriority = 0
		}
	}
	return acts
}
