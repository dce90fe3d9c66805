package builder

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/content"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// Help headings.
const (
	groupMove      = "Move"
	groupForm      = "Form"
	groupSidePanel = "Beside the form"
	groupEdit      = "Edit"
	groupCampaign  = "Campaign"
)

// Typing reports whether the form has the keyboard. Letters then belong to the form, even if no text field is
// focused, so that typing never leaves it.
func (s *Screen) Typing() bool {
	return s.typing()
}

// TextFocused reports whether a text field of the form has the keyboard.
func (s *Screen) TextFocused() bool {
	return s.Typing() && s.form.Typing()
}

// Actions returns what the user can do in the focused pane.
func (s *Screen) Actions() []screen.Action {
	if s.failed != nil {
		return []screen.Action{{Keys: []string{"r"}, Label: "try again", Group: groupCampaign, BarPriority: 9, Run: s.load}}
	}
	if !s.loaded {
		return nil
	}
	acts := append(s.viewAsActions(), s.moveActions()...)
	acts = append(acts, s.editActions()...)
	acts = append(acts, s.campaignActions()...)
	acts = append(acts, s.spokenPreview())
	for i, a := range acts {
		if a.Run != nil {
			acts[i].Run = func() tea.Cmd { return tea.Batch(a.Run(), s.fulfill()) }
		}
	}
	return acts
}

func (s *Screen) editActions() []screen.Action {
	locked := ""
	if len(s.form.Path()) > 0 {
		locked = s.edit.LockedAt(s.form.Path()[:1])
	}
	outside := func(p doc.Path) func() tea.Cmd {
		return func() tea.Cmd { return s.form.EditJSON(p, s.setValue) }
	}
	var acts []screen.Action
	if s.panes.Focused() != paneForm {
		bar := 3
		if s.panes.Focused() == paneSide && s.side.shows() == sideJSON {
			bar = 9
		}
		acts = append(acts,
			screen.Action{Keys: []string{"e"}, Label: "editor", Help: "edit the section as JSON in your editor", Group: groupEdit, BarPriority: bar, DisabledReason: locked, Run: outside(s.form.Path()[:min(len(s.form.Path()), 1)])},
			screen.Action{Keys: []string{"E"}, Label: "edit all", Help: "edit the whole campaign as JSON in your editor", Group: groupEdit, BarPriority: bar / 9 * 7, DisabledReason: s.edit.LockedAt(nil), Run: outside(nil)},
		)
	}
	acts = append(acts, s.fillLocalesAction(), s.fixAction())
	acts = append(acts, s.copyFrom()...)
	apply := screen.Action{Keys: []string{"ctrl+s"}, Label: "save", Help: "save now (changes are also saved automatically)", Group: groupEdit, WhileTyping: true, Run: func() tea.Cmd { return s.compiler.before(s.review) }}
	if !s.edit.SavesInPlace() {
		apply.Label, apply.Help, apply.BarPriority = "apply", "apply your changes to the campaign", 7
		if when := catalog.Propagation(s.edit.Head().DeliveryType, s.edit.Head().Status); when != "" {
			apply.Help += " · " + strings.TrimSuffix(when, ".")
		}
		if !s.edit.HasPending() {
			apply.DisabledReason = "There are no changes to apply."
		}
	}
	return append(acts, apply)
}

// fixAction does what a warning asks for: that of the field under the cursor, or else the first.
func (s *Screen) fixAction() screen.Action {
	act := screen.Action{Name: "fix", Keys: []string{"alt+f"}, Label: "fix", Help: helpFix, Group: groupEdit, WhileTyping: true, DisabledReason: "No warning can be fixed with a key."}
	for _, f := range slices.Concat(s.warnings.at(s.place()), s.warnings.result.Findings) {
		if f.Fixes(s.edit.Root()) {
			act.DisabledReason, act.BarPriority = s.edit.LockedAt(f.Path), 3
			act.Run = func() tea.Cmd {
				cmd := s.setValue(f.Path, doc.NewString(f.Fix))
				s.goTo(f.Path)
				return tea.Batch(cmd, screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, "Fixed: "+f.Text()))
			}
			break
		}
	}
	return act
}

const helpFix = "apply the fix that the warning suggests"

// fillLocalesAction creates the messages that are missing for locales and variations.
func (s *Screen) fillLocalesAction() screen.Action {
	content := doc.P(string(catalog.CampaignContent))
	filled, some := catalog.FillCells(s.edit.Root().Lookup(content))
	act := screen.Action{
		Keys: []string{"alt+l", "L"}, Label: "fill locales", Group: groupEdit, WhileTyping: true,
		Help:           "copy the message to every locale and variation that has none",
		DisabledReason: s.edit.LockedAt(content),
		Run: func() tea.Cmd {
			cmd := s.setValue(content, filled)
			s.goTo(content)
			return cmd
		},
	}
	if s.panes.Focused() == paneForm {
		act.Keys = act.Keys[:1]
	}
	switch {
	case act.DisabledReason != "":
	case some && s.panes.Focused() == paneForm && s.form.Modal():
	case some:
		act.BarPriority = 7
	default:
		act.DisabledReason = "Every locale and variation already has a message, or there is none to copy."
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
		return func() tea.Cmd { return s.compiler.before(then) }
	}
	browserBar := 0
	if s.places.inContent(s.form.Path()) {
		browserBar = 4
	}
	acts := []screen.Action{
		{Keys: []string{"v", "alt+v"}, Label: "validate", Help: "check that the campaign can be published", Group: groupCampaign, BarPriority: 6, Run: compiled(open(screen.Validate))},
		{Keys: []string{"t", "alt+t"}, Label: "test", Help: "send a test message to a few people", Group: groupCampaign, BarPriority: 5, DisabledReason: testWhy, Run: compiled(open(screen.TestSend))},
		{Keys: []string{"s", "alt+s"}, Label: "status", Help: "publish, stop, pause, resume, archive", Group: groupCampaign, BarPriority: 3, Run: compiled(func() tea.Cmd {
			return s.afterSave(status.Choose(s.deps, engine.Summarize(s.edit.Campaign())))
		})},
		{Keys: []string{"H", "alt+h"}, Label: "history", Help: "compare and restore earlier versions", Group: groupCampaign, BarPriority: 2, Run: open(screen.History)},
		{Keys: []string{"O", "alt+o"}, Label: "outbox", Help: "read test messages", Group: groupCampaign, Run: open(screen.Outbox)},
		{Keys: []string{"o", "alt+w"}, Label: "browser", Help: "open the message in your browser, where it follows your changes", Group: groupCampaign, BarPriority: browserBar, Run: s.page.open},
		{Keys: []string{"y", "alt+y"}, Label: "copy", Help: "copy the campaign as JSON", Group: groupCampaign, Run: func() tea.Cmd {
			return screen.Copy(string(s.edit.Campaign().Record().Indent()), "the campaign as JSON")
		}},
	}
	inForm := s.panes.Focused() == paneForm
	_, grid := s.form.Editor.(*content.Grid)
	for i, a := range acts {
		if a.Label != "browser" || !inForm || !grid || s.form.Modal() { // the grid takes no text
			acts[i].Keys = keysAt(a.Keys, inForm)
		}
		if inForm {
			acts[i].WhileTyping, acts[i].BarPriority = true, 0
		}
	}
	return acts
}

// Resume reads the campaign again, because its state may have changed.
func (s *Screen) Resume() tea.Cmd { return s.reread() }

// GoTo opens the form of a place and focuses the field there. Other screens use it to link here; before the
// campaign has been read, the place is remembered.
func (s *Screen) GoTo(r screen.Route) tea.Cmd {
	s.body, s.bodyAt = r.Doc, r.Path
	if !s.loaded {
		s.startPath = r.Path
		return nil
	}
	s.closeViewAs()
	if len(r.Path) == 0 {
		return s.replaceBody()
	}
	return tea.Batch(s.replaceBody(), s.focusField(r.Path))
}

// Route returns the route of the screen's campaign.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.Builder, ID: s.edit.ID()} }
