package testsend

import (
	tea "github.com/charmbracelet/bubbletea"

	model "bugle/engine/testsend"
	"bugle/ui/screen"
)

// Help headings.
const (
	groupMove    = "Move"
	groupTest    = "Test"
	groupGroups  = "Groups"
	groupEarlier = "Earlier tests"
	groupMessage = "Delivered message"
)

// Typing reports whether a text field has the keyboard.
func (s *Screen) Typing() bool {
	return s.ready() && s.stage == stageForm && s.form.typing()
}

// Actions returns what the user can do in the current stage.
func (s *Screen) Actions() []screen.Action {
	switch {
	case s.failed != nil:
		return []screen.Action{{Keys: []string{"r"}, Label: "try again", Group: groupTest, BarPriority: 9, Run: s.load}}
	case !s.ready():
		return nil
	}
	switch s.stage {
	case stageSending:
		return []screen.Action{
			{Keys: []string{"esc", "ctrl+x"}, Label: "cancel", Help: "cancel the remaining messages", Group: groupTest, BarPriority: 9, Run: s.results.cancel},
		}
	case stageDone:
		if s.layout.onSide() {
			return s.results.readActions(resultsHost{outbox: s.outbox, up: s.upAction(groupMessage)})
		}
		return s.results.actions(resultsHost{
			again: func() tea.Cmd { return s.again(model.Failed) }, unknown: func() tea.Cmd { return s.again(model.Unknown) }, anew: func() tea.Cmd { return s.begin(s.results.run.Request, true) }, form: s.toForm, outbox: s.outbox,
			up: s.upAction(groupTest), copy: s.copyAction(s.results.run.Request),
		})
	case stageGroups:
		return s.groups.actions(groupsHost{
			ask: s.form.to.request(), empty: len(s.form.to.selected()) == 0 && s.form.to.prompt.Value() == "", add: s.newGroup, up: s.upAction(groupGroups),
		})
	case stageEarlier:
		return s.earlier.actions(earlierHost{s.fillPast, s.sendPast, s.upAction(groupEarlier)})
	case stageRefused:
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "go to field", Group: groupTest, BarPriority: 9, Run: s.toProblem},
			s.upAction(groupTest),
			s.copyAction(s.form.request()),
		}
	}
	return s.form.actions(formHost{s.send, s.openEarlier, s.openGroups, s.as.open, s.upAction(groupTest)})
}

// up goes up one level: from a zoomed pane to all panes, from a pane to its parent, from a page to the form.
func (s *Screen) up() tea.Cmd {
	switch {
	case s.layout.panes.Zoomed():
		return s.layout.toggleZoom()
	case s.stage == stageDone && s.layout.onSide():
		return s.results.closeMessage()
	case s.stage == stageDone:
		return s.toForm()
	case s.stage == stageRefused:
		s.show(s.refusal.returnTo)
	case s.listed() && s.layout.onSide():
		s.layout.panes.Focus(paneMain)
	case s.listed():
		s.show(stageForm)
		return s.form.refresh()
	case s.form.forecastFocused():
		s.form.focus(rowID{rowPrompt, 0})
	}
	return nil
}

// upAction returns the action that goes up one level.
func (s *Screen) upAction(heading string) screen.Action {
	label, help := "test send", "go back to the test send"
	switch {
	case s.layout.panes.Zoomed():
		label, help = "unzoom", "show all panes"
	case s.stage == stageDone && s.layout.onSide():
		label, help = "results", "go back to the results"
	case s.listed() && s.layout.onSide():
		label, help = "list", "go back to the list"
	}
	return screen.Action{Name: "back", Keys: []string{"esc"}, Label: label, Help: help, Group: heading, BarPriority: 7, Run: s.up}
}
