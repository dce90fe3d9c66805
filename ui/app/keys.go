package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// keys dispatches what was typed. Letters that the program reads late arrive as one message; each of
// them is a key of its own, until one leads to where text is typed.
func (m *Model) keys(msg tea.KeyMsg) tea.Cmd {
	var cmds []tea.Cmd
	for msg.Type == tea.KeyRunes && !msg.Paste && !msg.Alt && len(msg.Runes) > 1 && (len(m.overlays) > 0 || !m.top().Typing()) {
		first := msg
		first.Runes, msg.Runes = msg.Runes[:1:1], msg.Runes[1:]
		cmds = append(cmds, m.key(first))
	}
	return tea.Batch(append(cmds, m.key(msg))...)
}

// key dispatches one key: to what lies on top, to the screen's actions, to those that work
// everywhere, and then to the screen itself.
func (m *Model) key(msg tea.KeyMsg) tea.Cmd {
	name := msg.String()
	m.toasts.Drop(widget.LevelWarning) // why the last key did nothing is told until the next one
	if name == "ctrl+c" {
		return m.quit()
	}
	if name == "alt+esc" { // two escapes that arrived together
		esc := tea.KeyMsg{Type: tea.KeyEsc}
		return tea.Sequence(m.key(esc), m.key(esc))
	}
	if m.tooSmall() {
		return nil // nothing can be seen, so nothing is done
	}
	if len(m.overlays) > 0 {
		return m.overlayKey(msg)
	}
	s := m.top()
	if !msg.Paste {
		for _, a := range m.live() {
			if a.Does(name) {
				return m.run(a)
			}
		}
	}
	return s.Update(msg)
}

// live gives the actions that work now, the screen's before those that work everywhere. A key
// that a screen has taken is not listed twice.
func (m *Model) live() []screen.Action {
	s := m.top()
	taken := map[string]bool{}
	var out []screen.Action
	for _, a := range append(s.Actions(), m.global()...) {
		if !a.Typing && s.Typing() || len(a.Keys) > 0 && taken[a.Keys[0]] {
			continue
		}
		if len(a.Keys) > 0 && !a.Info {
			taken[a.Keys[0]] = true
		}
		out = append(out, a)
	}
	return out
}

// run does an action, or says why it cannot be done.
func (m *Model) run(a screen.Action) tea.Cmd {
	if a.Why != "" {
		return m.notify(widget.LevelWarning, a.Why)
	}
	return a.Run()
}

// global gives the actions that every screen has.
func (m *Model) global() []screen.Action {
	var acts []screen.Action
	if a, ok := m.endWait(); ok {
		acts = append(acts, a)
	}
	acts = append(acts, []screen.Action{
		{Keys: []string{"?"}, Label: "help", Help: "every key that works now", Group: everywhere, Run: m.help},
		{Keys: []string{"f1"}, Label: "help", Help: "the same while you type", Group: everywhere, Typing: true, Run: m.help},
		{Keys: []string{"ctrl+k"}, Label: "palette", Help: "find an action by name", Group: everywhere, Typing: true, Run: m.palette},
		{Keys: []string{"ctrl+t"}, Label: "theme", Help: "choose a theme", Group: everywhere, Typing: true, Run: m.pickTheme},
		{Keys: []string{"q"}, Label: "quit", Help: "quit; what you typed is saved", Group: everywhere, Run: m.quit},
	}...)
	if len(m.stack) > 1 {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "back", Help: "back to the screen before", Group: everywhere, Bar: 1, Typing: true, Run: m.back})
	}
	return acts
}

const everywhere = "Everywhere"

func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.tooSmall() {
		return nil
	}
	if len(m.overlays) > 0 {
		return m.overlayMouse(msg)
	}
	msg.Y-- // the header
	if msg.Y < 0 || msg.Y >= m.bodyHeight() {
		return nil
	}
	return m.top().Update(msg)
}

// helpGroups sorts the actions that work now under their headings.
func helpGroups(actions []screen.Action) []widget.Group {
	var groups []widget.Group
	index := map[string]int{}
	for _, a := range actions {
		if a.Group == "" || len(a.Keys) == 0 {
			continue
		}
		i, ok := index[a.Group]
		if !ok {
			i = len(groups)
			index[a.Group] = i
			groups = append(groups, widget.Group{Title: a.Group})
		}
		groups[i].Hints = append(groups[i].Hints, hint(a, true))
	}
	return groups
}

func hint(a screen.Action, long bool) widget.Hint {
	h := widget.Hint{Key: keyName(a.Keys[0]), Label: a.Label, Dim: a.Why != "", Why: a.Why}
	if long && a.Help != "" {
		h.Label = a.Help
	}
	return h
}

// keyName spells a key for people.
func keyName(k string) string {
	switch k {
	case " ":
		return "space"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	}
	return k
}
