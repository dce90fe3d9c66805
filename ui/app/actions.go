package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// groupEverywhere is the help heading of the actions that work on every screen.
const groupEverywhere = "Everywhere"

// Names of actions that other code looks up.
const (
	nameSuspend = "suspend"
	nameHelp    = "help"
	namePalette = "palette"
)

// globalActions returns the actions that work on every screen.
func (m *Model) globalActions() []screen.Action {
	acts := m.link.waitActions()
	acts = append(acts, []screen.Action{
		{Name: nameHelp, Keys: []string{"?", "f1"}, Label: "help", Help: "list every key; f1 while you type", Group: groupEverywhere, WhileTyping: true, Run: m.help},
		{Name: namePalette, Keys: []string{"ctrl+k"}, Label: "palette", Help: "find an action, section, field, campaign or setting", Group: groupEverywhere, WhileTyping: true, Run: m.palette},
		{Label: "theme", Help: "choose a theme", Group: groupEverywhere, WhileTyping: true, Run: m.pickTheme},
	}...)
	if m.route().Name != screen.Settings {
		acts = append(acts, screen.Action{Keys: []string{"f9"}, Label: "settings", Help: "theme, keys, remotes and files", Group: groupEverywhere, WhileTyping: true,
			Run: func() tea.Cmd { return m.open(screen.Route{Name: screen.Settings}) }})
	}
	acts = append(acts,
		screen.Action{Keys: []string{"ctrl+z"}, Label: "undo", Help: "undo the last change; in the list, also the last action", Group: groupEverywhere, WhileTyping: true, Run: func() tea.Cmd { return undo(m.top()) }},
		screen.Action{Keys: []string{"ctrl+y"}, Label: "redo", Help: "redo what was undone", Group: groupEverywhere, WhileTyping: true, Run: func() tea.Cmd { return redo(m.top()) }},
	)
	if m.opts.Suspend {
		acts = append(acts, suspendAction())
	}
	acts = append(acts, redrawAction())
	acts = append(acts, screen.Action{Keys: []string{"q"}, Label: "quit", Help: "quit; your changes are saved", Group: groupEverywhere, Run: m.quit})
	if len(m.stack) > 1 {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "back", Help: "go back", Group: groupEverywhere, BarPriority: 6, WhileTyping: true, Run: m.back})
	}
	return acts
}

func redrawAction() screen.Action {
	return screen.Action{Keys: []string{"ctrl+l"}, Label: "redraw", Help: "redraw the window", Group: groupEverywhere, WhileTyping: true,
		Run: func() tea.Cmd { return tea.ClearScreen }}
}

// suspendAction returns the action that suspends the program. It has no key, because users press ctrl+z to
// undo.
func suspendAction() screen.Action {
	return screen.Action{Name: nameSuspend, Label: "suspend", Help: "return to the shell; fg comes back here", Group: groupEverywhere, WhileTyping: true,
		Run: func() tea.Cmd { return tea.Suspend }}
}

// undo undoes the last change of a screen.
func undo(s screen.Screen) tea.Cmd {
	if cmd, done := s.Undo(); done {
		return cmd
	}
	return screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, "Nothing to undo")
}

// redo redoes the last undone change of a screen.
func redo(s screen.Screen) tea.Cmd {
	if cmd, done := s.Redo(); done {
		return cmd
	}
	return screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, "Nothing to redo")
}

// keysFor returns the keys of a global action.
func keysFor(live []screen.Action, name string) []string {
	for _, a := range live {
		if a.Name == name && a.Group == groupEverywhere {
			return a.Keys
		}
	}
	return nil
}
