package builder

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit"
	"bugle/ui/editpane"
	"bugle/ui/screen"
)

// moveActions are the actions that move between panes and places.
func (s *Screen) moveActions() []screen.Action {
	inForm := s.panes.Focused() == paneForm
	zoomKey := "z"
	var acts []screen.Action
	switch s.panes.Focused() {
	case paneForm:
		zoomKey = "alt+z"
		acts = s.form.Help(groupForm, groupMove)
		out := screen.Action{Keys: []string{"esc"}, Label: "back", Help: "go back one level", Group: groupMove, BarPriority: 8, WhileTyping: true}
		out.Run = s.up
		if s.form.Modal() {
			out.Label, out.Help = "close", "cancel and keep the field as it was"
			out.Run = func() tea.Cmd { return s.adopt(s.form.Update(tea.KeyMsg{Type: tea.KeyEsc}), false) }
		}
		acts = append(acts, out)
	case paneSide:
		if s.side.shows() == sideProblems {
			acts = append(acts, screen.Action{
				Keys: []string{"enter"}, Label: "go to field", Group: groupMove, BarPriority: 9,
				DisabledReason: s.side.problems.None(), Run: s.openSelectedProblem,
			})
		} else if s.side.inPanel() {
			acts = editpane.BindingHelp(s.side.Panel.Bindings(), groupSidePanel, 9)
		}
		acts = append(acts, s.leaveSideAction())
	default:
		acts = []screen.Action{{
			Keys: []string{"enter", "right", "l", "tab"}, Label: "edit", Help: "edit the section", Group: groupMove, BarPriority: 9, Run: s.enter,
		}}
	}
	acts = append(acts, s.sideActions(inForm)...)
	acts = append(acts, s.gridAction(inForm)...)
	return append(acts, nextProblemAction(s.edit, 4, s.goToNextProblem), s.panes.ZoomAction(zoomKey, groupMove, s.arrange))
}

// sideActions show something in the pane beside the form.
func (s *Screen) sideActions(inForm bool) []screen.Action {
	inSide := s.panes.Focused() == paneSide
	show := func(v sideView, a screen.Action) screen.Action {
		a.Run = func() tea.Cmd { return s.focusSide(v) }
		if inSide && s.side.shows() == v {
			a.BarPriority, a.DisabledReason = 0, "It is shown already."
		}
		return a
	}
	toProblems := screen.Action{
		Keys: []string{"ctrl+g", "!"}, Label: "problems", Help: "go to the list of problems", Group: groupMove, BarPriority: 4, WhileTyping: true,
	}
	if inForm {
		toProblems.Keys = toProblems.Keys[:1]
	}
	acts := []screen.Action{
		show(sideProblems, toProblems),
		show(sideJSON, screen.Action{Label: "JSON", Help: "show the section as JSON", Group: groupMove, WhileTyping: true}),
	}
	if s.side.Panel != nil {
		toPanel := screen.Action{
			Name: "side-panel", Keys: []string{"p", "alt+p"}, Help: "go to the panel beside the form", Group: groupMove, BarPriority: 5, WhileTyping: true,
		}
		toPanel.Label, toPanel.Keys = strings.ToLower(s.side.Panel.Title()), keysAt(toPanel.Keys, inForm)
		acts = append(acts, show(sidePanel, toPanel))
	}
	return acts
}

// keysAt returns the key of an action that has a letter, and one with alt for use in text fields.
func keysAt(keys []string, inForm bool) []string {
	if inForm {
		return keys[1:]
	}
	return keys[:1]
}

// leaveSideAction returns to where the user came from.
func (s *Screen) leaveSideAction() screen.Action {
	a := screen.Action{
		Name: "back", Keys: []string{"esc", "tab"}, Label: "sections", Help: "back to the sections, or to the form", Group: groupMove, BarPriority: 8,
		Run: s.leaveSide,
	}
	switch {
	case s.from == paneForm && s.form.IsOpen():
		a.Label = "form"
	case s.from == paneCaller: // esc is then handled by the program, which returns to that screen
		a.Keys, a.Help = []string{"tab"}, "go to the sections"
	}
	return a
}

// nextProblemAction returns the action that goes to the next problem in any section.
func nextProblemAction(e *edit.Session, bar int, run func() tea.Cmd) screen.Action {
	act := screen.Action{
		Keys: []string{"alt+n"}, Label: "next to do", Help: "go to the next field that is missing or wrong", Group: groupMove, BarPriority: bar, WhileTyping: true,
		Run: run,
	}
	if errorCount(e) == 0 {
		act.BarPriority, act.DisabledReason = 0, "Nothing is missing. Press v in the sections to validate."
	}
	return act
}
