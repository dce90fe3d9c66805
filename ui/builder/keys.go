package builder

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit"
	"bugle/ui/screen"
)

// moveActions are the actions that move between panes and places.
func (ps *panes) moveActions() []screen.Action {
	zoom := func(key string) screen.Action {
		return screen.ZoomAction(ps.zoom, key, groupMove, func() tea.Cmd {
			ps.zoom = !ps.zoom
			return nil
		})
	}
	switch ps.focus {
	case paneForm:
		acts := ps.host.helpEntries()
		out := screen.Action{Keys: []string{"esc"}, Label: "back", Help: "go back one level", Group: groupMove, BarPriority: 8, WhileTyping: true, Run: ps.up}
		if ps.host.editor.Modal() {
			out.Label, out.Help = "close", "cancel and keep the field as it was"
			out.Run = func() tea.Cmd { return ps.adopt(ps.host.editor.Update(tea.KeyMsg{Type: tea.KeyEsc}), false) }
		}
		acts = append(acts, out)
		acts = append(acts, ps.info.sidePanelAction(true, 3, ps.focusSidePanel)...)
		acts = append(acts, ps.host.gridAction(ps.focus == paneForm, ps.toggleGrid)...)
		acts = append(acts, ps.host.tabBarActions()...)
		return append(acts, []screen.Action{
			nextProblemAction(ps.edit, 6, ps.goToNextProblem),
			{Keys: []string{"ctrl+g"}, Label: "problems", Help: "go to the list of problems", Group: groupMove, BarPriority: 4, WhileTyping: true, Run: ps.focusProblems},
			{Keys: []string{"f3"}, Label: "next tab", Help: "show the next tab beside the form", Group: groupMove, BarPriority: 2, WhileTyping: true, Run: func() tea.Cmd { return ps.turnTab(1) }},
			zoom("alt+z"),
		}...)
	case paneInfo:
		acts := []screen.Action{{Keys: []string{"enter"}, Label: "go to field", Group: groupMove, BarPriority: 9, Run: ps.openSelectedProblem}}
		switch ps.info.tab {
		case tabSidePanel:
			acts = helpEntries(ps.info.sidePanel.Bindings(), groupSidePanel, 9)
		case tabField, tabJSON:
			acts = nil
		}
		return append(acts, []screen.Action{
			ps.leaveInfoAction(),
			{Keys: []string{"]", "f3"}, Label: "next tab", Group: groupMove, BarPriority: 2, Run: func() tea.Cmd { return ps.turnTab(1) }},
			{Keys: []string{"["}, Label: "previous tab", Group: groupMove, Run: func() tea.Cmd { return ps.turnTab(-1) }},
			zoom("z"),
		}...)
	}
	return append([]screen.Action{
		{Keys: []string{"enter", "right", "l", "tab"}, Label: "edit", Help: "edit the section", Group: groupMove, BarPriority: 9, Run: ps.enter},
		nextProblemAction(ps.edit, 4, ps.goToNextProblem),
		{Keys: []string{"ctrl+g", "!"}, Label: "problems", Help: "go to the list of problems", Group: groupMove, BarPriority: 4, Run: ps.focusProblems},
		{Keys: []string{"]", "f3"}, Label: "next tab", Help: "show the next tab beside the form", Group: groupMove, Run: func() tea.Cmd { return ps.turnTab(1) }},
		{Keys: []string{"["}, Label: "previous tab", Group: groupMove, Run: func() tea.Cmd { return ps.turnTab(-1) }},
		zoom("z"),
	}, append(ps.info.sidePanelAction(false, 5, ps.focusSidePanel), ps.host.gridAction(ps.focus == paneForm, ps.toggleGrid)...)...)
}

// leaveInfoAction returns to where the user came from.
func (ps *panes) leaveInfoAction() screen.Action {
	a := screen.Action{Name: "back", Keys: []string{"esc", "tab"}, Label: "sections", Help: "back to the sections, or to the form", Group: groupMove, BarPriority: 8, Run: ps.focusSections}
	switch {
	case ps.from == paneForm && ps.host.editor != nil:
		a.Label, a.Run = "form", ps.enter
	case ps.from == paneCaller: // esc is then handled by the program, which returns to that screen
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

// helpEntries describes keys that are handled in Update; the first ones are shown in the status bar.
func helpEntries(bindings []key.Binding, group string, bar int) []screen.Action {
	var acts []screen.Action
	for i, b := range bindings {
		h := b.Help()
		a := screen.Action{Keys: []string{h.Key}, Label: h.Desc, Group: group, WhileTyping: true, HelpOnly: true}
		if i < 3 {
			a.BarPriority = bar - i
		}
		acts = append(acts, a)
	}
	return acts
}
