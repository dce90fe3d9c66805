package builder

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit"
	"bugle/ui/screen"
)

// moves are the actions that lead from pane to pane and from place to place.
func (ps *panes) moves() []screen.Action {
	zoom := func(key string) screen.Action {
		return screen.ZoomAction(ps.zoom, key, groupMove, func() tea.Cmd {
			ps.zoom = !ps.zoom
			return nil
		})
	}
	switch ps.focus {
	case paneForm:
		acts := ps.host.keys()
		out := screen.Action{Keys: []string{"esc"}, Label: "back", Help: "go back one level", Group: groupMove, BarPriority: 8, WhileTyping: true, Run: ps.up}
		if ps.host.form.Modal() {
			out.Label, out.Help = "close", "cancel and keep the field as it was"
			out.Run = func() tea.Cmd { return ps.take(ps.host.form.Update(tea.KeyMsg{Type: tea.KeyEsc}), false) }
		}
		acts = append(acts, out)
		acts = append(acts, ps.info.asideKey("alt+p", 3, ps.toAside)...)
		acts = append(acts, ps.host.gridKey(ps.focus == paneForm, ps.turnGrid)...)
		acts = append(acts, ps.host.stripKeys()...)
		return append(acts, []screen.Action{
			todoKey(ps.edit, 6, ps.toNext),
			{Keys: []string{"ctrl+g"}, Label: "problems", Help: "go to the list of problems", Group: groupMove, BarPriority: 4, WhileTyping: true, Run: ps.toProblems},
			{Keys: []string{"f3"}, Label: "next tab", Help: "show the next tab beside the form", Group: groupMove, BarPriority: 2, WhileTyping: true, Run: func() tea.Cmd { return ps.turnTab(1) }},
			zoom("alt+z"),
		}...)
	case paneInfo:
		acts := []screen.Action{{Keys: []string{"enter"}, Label: "go to field", Group: groupMove, BarPriority: 9, Run: ps.toProblem}}
		switch ps.info.tab {
		case tabAside:
			acts = infoActions(ps.info.aside.Bindings(), groupAside, 9)
		case tabField, tabJSON:
			acts = nil
		}
		return append(acts, []screen.Action{
			ps.leaveInfo(),
			{Keys: []string{"]", "f3"}, Label: "next tab", Group: groupMove, BarPriority: 2, Run: func() tea.Cmd { return ps.turnTab(1) }},
			{Keys: []string{"["}, Label: "previous tab", Group: groupMove, Run: func() tea.Cmd { return ps.turnTab(-1) }},
			zoom("z"),
		}...)
	}
	return append([]screen.Action{
		{Keys: []string{"enter", "right", "l", "tab"}, Label: "edit", Help: "edit the section", Group: groupMove, BarPriority: 9, Run: ps.enter},
		todoKey(ps.edit, 4, ps.toNext),
		{Keys: []string{"ctrl+g", "!"}, Label: "problems", Help: "go to the list of problems", Group: groupMove, BarPriority: 4, Run: ps.toProblems},
		{Keys: []string{"]", "f3"}, Label: "next tab", Help: "show the next tab beside the form", Group: groupMove, Run: func() tea.Cmd { return ps.turnTab(1) }},
		{Keys: []string{"["}, Label: "previous tab", Group: groupMove, Run: func() tea.Cmd { return ps.turnTab(-1) }},
		zoom("z"),
	}, append(ps.info.asideKey("p", 5, ps.toAside), ps.host.gridKey(ps.focus == paneForm, ps.turnGrid)...)...)
}

// leaveInfo goes back to where the person came from.
func (ps *panes) leaveInfo() screen.Action {
	a := screen.Action{Name: "back", Keys: []string{"esc", "tab"}, Label: "sections", Help: "back to the sections, or to the form", Group: groupMove, BarPriority: 8, Run: ps.toParts}
	switch {
	case ps.from == paneForm && ps.host.form != nil:
		a.Label, a.Run = "form", ps.enter
	case ps.from == paneBefore: // esc is the program's then: it goes back to that screen
		a.Keys, a.Help = []string{"tab"}, "go to the sections"
	}
	return a
}

// todoKey is the action that leads to what has to be filled in or corrected next, in whatever section
// that is.
func todoKey(e *edit.Session, bar int, run func() tea.Cmd) screen.Action {
	act := screen.Action{
		Keys: []string{"alt+n"}, Label: "next to do", Help: "go to the next field that is missing or wrong", Group: groupMove, BarPriority: bar, WhileTyping: true,
		Run: run,
	}
	if errorsOf(e) == 0 {
		act.BarPriority, act.DisabledReason = 0, "Nothing is missing. Press v in the sections to validate."
	}
	return act
}

// infoActions tells the help which keys are taken without being dispatched here; the first ones
// are shown in the status bar.
func infoActions(bindings []key.Binding, group string, bar int) []screen.Action {
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
