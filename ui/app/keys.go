package app

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// handleKeys dispatches typed keys. Letters that the program reads late arrive as one message; each is a key of
// its own, until one opens a text field.
func (m *Model) handleKeys(msg tea.KeyMsg) tea.Cmd {
	if msg.String() != "ctrl+c" && m.keyBuffer.hold(msg) {
		return nil
	}
	var cmds []tea.Cmd
	for msg.Type == tea.KeyRunes && !msg.Paste && !msg.Alt && len(msg.Runes) > 1 && (!m.typing() || isKeyName(msg)) {
		first := msg
		first.Runes, msg.Runes = msg.Runes[:1:1], msg.Runes[1:]
		cmds = append(cmds, m.handleKey(first))
		if m.keyBuffer.hold(msg) {
			return tea.Batch(cmds...)
		}
	}
	return tea.Batch(append(cmds, m.handleKey(msg))...)
}

// handleKey dispatches one key: to the overlay, the screen's actions, the global actions, and then the screen
// itself.
func (m *Model) handleKey(msg tea.KeyMsg) tea.Cmd {
	name := msg.String()
	m.notices.keyPressed()
	if name == "ctrl+c" {
		return m.quit()
	}
	if name == "alt+esc" { // two escapes in one read
		esc := tea.KeyMsg{Type: tea.KeyEsc}
		return tea.Sequence(m.handleKey(esc), m.handleKey(esc))
	}
	if m.tooSmall() {
		return nil // nothing is visible, so nothing is done
	}
	o := m.topOverlay()
	if _, acts := o.(screen.Actor); o != nil && !acts {
		return m.handleOverlayKey(o, msg)
	}
	if !msg.Paste {
		for _, a := range m.activeActions() {
			if a.HasKey(name) {
				return m.runScreenAction(a)
			}
		}
	}
	return m.sendKey(msg)
}

// sendKey passes a key that is not an action to the top overlay, or else to the screen. What a command of an editor opens gets
// the keys that were read together with its own.
func (m *Model) sendKey(msg tea.KeyMsg) tea.Cmd {
	if o := m.topOverlay(); o != nil {
		return o.Key(msg)
	}
	if s := m.top(); s.Typing() && !m.typing() {
		return m.keyBuffer.holdUntilDone(s.Update(msg))
	}
	return m.top().Update(msg)
}

// handleOverlayKey passes a key to an overlay without actions. Canceling a wait and redrawing also work under a dialog,
// because the dialog itself may be waiting.
func (m *Model) handleOverlayKey(o screen.Overlay, msg tea.KeyMsg) tea.Cmd {
	if _, any := o.(*keyCapture); !any && !msg.Paste {
		for _, a := range m.bindings.rebind(keymap.App, append(m.link.waitActions(), redrawAction()), true) {
			if a.HasKey(msg.String()) {
				return m.runAction(a)
			}
		}
	}
	return o.Key(msg)
}

// activeActions returns the actions that work now.
func (m *Model) activeActions() []screen.Action {
	return slices.DeleteFunc(m.allActions(), func(a screen.Action) bool { return a.PlainOnly })
}

// allActions returns the actions that work now, also those that only plain mode has.
func (m *Model) allActions() []screen.Action {
	own := m.actor()
	acts := m.bindings.active(m.route().Name, own.Actions(), m.globalActions(), own.Typing())
	return m.withCommands(acts, own.Typing())
}

// bindings apply the user's keymap to actions.
type bindings struct{ keymap keymap.Map }

// active returns the actions that work now, the screen's before the global ones. A global action does not list
// a key that the screen uses.
func (b bindings) active(part string, ofScreen, global []screen.Action, typing bool) []screen.Action {
	taken := map[string]bool{}
	var out []screen.Action
	for _, a := range b.rebind(part, ofScreen, typing) {
		if !a.WhileTyping && typing || len(a.Keys) > 0 && taken[a.Keys[0]] {
			continue
		}
		if len(a.Keys) > 0 && !a.HelpOnly {
			taken[a.Keys[0]] = true
		}
		out = append(out, a)
	}
	for _, a := range out {
		for _, k := range a.Keys {
			taken[k] = true
		}
	}
	for _, a := range b.rebind(keymap.App, global, typing) {
		free := slices.DeleteFunc(slices.Clone(a.Keys), func(k string) bool { return taken[k] })
		if !a.WhileTyping && typing || len(free) == 0 && len(a.Keys) > 0 {
			continue
		}
		for _, k := range free {
			taken[k] = true
		}
		a.Keys = free
		out = append(out, a)
	}
	return out
}

// rebind returns the actions with the user's keys. While a text field has the keyboard, letters are text: they
// are removed from custom and global bindings.
func (b bindings) rebind(part string, actions []screen.Action, typing bool) []screen.Action {
	if b.keymap.Empty() && part != keymap.App {
		return actions
	}
	out := slices.Clone(actions)
	for i, a := range out {
		if a.HelpOnly {
			continue
		}
		keys, other := b.keymap.Lookup(actionName(part, a))
		if !other {
			keys = a.Keys
		}
		if typing && (other || part == keymap.App) {
			keys = slices.DeleteFunc(slices.Clone(keys), keymap.IsPrintable)
			if len(keys) == 0 && other {
				keys = slices.DeleteFunc(slices.Clone(a.Keys), keymap.IsPrintable)
			}
		}
		out[i].Keys = keys
	}
	return out
}

// actionName returns the name of an action in the keymap file.
func actionName(part string, a screen.Action) string {
	if a.Name != "" {
		return keymap.ActionName(part, a.Name)
	}
	return keymap.ActionName(part, a.Label)
}

// runAction runs an action, or shows why it is disabled.
func (m *Model) runAction(a screen.Action) tea.Cmd {
	if a.DisabledReason != "" {
		return m.notify(widget.LevelWarning, a.DisabledReason)
	}
	return a.Run()
}

// pressAction runs an action or, for an entry of the help, sends its key to the screen.
func (m *Model) pressAction(a screen.Action) tea.Cmd {
	if !a.HelpOnly {
		return m.runAction(a)
	}
	if msg, ok := helpEntryKey(a, m.actor().Typing()); ok {
		return m.sendKey(msg)
	}
	return nil
}

// helpEntryKey returns the key of an entry of the help; false if it is not a single key, or a letter that would
// be typed.
func helpEntryKey(a screen.Action, typing bool) (tea.KeyMsg, bool) {
	if len(a.Keys) == 0 || typing && keymap.IsPrintable(a.Keys[0]) {
		return tea.KeyMsg{}, false
	}
	return keymap.KeyMsg(a.Keys[0])
}

// isKeyName reports whether letters that arrived together spell the name of a key: end, home, up. Then they are
// typed as text, and must not match a binding of that key.
func isKeyName(msg tea.KeyMsg) bool {
	k, ok := keymap.KeyMsg(string(msg.Runes))
	return ok && k.Type != tea.KeyRunes || string(msg.Runes) == "space"
}
