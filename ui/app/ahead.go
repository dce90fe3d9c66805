package app

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

// holdTime is how long keys wait for what the key before them leads to. What an action opens comes as a
// message of its command; a key that was read with the action's belongs to what it opens, not to the
// screen below.
const holdTime = 20 * time.Millisecond

// ahead is what was typed ahead of an action.
type ahead struct {
	actions int // under way, whose keys wait
	keys    []tea.KeyMsg
}

// settled is what the command of an action came to. later, where it is not nil, gives the message of one
// that takes longer.
type settled struct {
	msg   tea.Msg
	later <-chan tea.Msg
}

// settling makes the keys that follow wait for the command of an action.
func (w *ahead) settling(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	w.actions++
	return func() tea.Msg {
		done := make(chan tea.Msg, 1)
		go func() { done <- cmd() }()
		limit := time.NewTimer(holdTime)
		defer limit.Stop()
		select {
		case msg := <-done:
			return settled{msg: msg}
		case <-limit.C:
			return settled{later: done}
		}
	}
}

// settle carries out what an action asked for, and then does the keys that waited for it.
func (m *Model) settle(s settled) tea.Cmd {
	m.ahead.actions--
	var cmds []tea.Cmd
	if s.later != nil {
		cmds = append(cmds, func() tea.Msg { return <-s.later })
	} else if cmd, taken := m.request(s.msg); taken {
		cmds = append(cmds, cmd)
	} else if s.msg != nil {
		cmds = append(cmds, func() tea.Msg { return s.msg }) // a batch, or another message of the program's own
	}
	for next, ok := m.ahead.next(); ok; next, ok = m.ahead.next() {
		cmds = append(cmds, m.keys(next))
	}
	return tea.Batch(cmds...)
}

// next takes the next key that waited; false where there is none, or another action is under way.
func (w *ahead) next() (tea.KeyMsg, bool) {
	if len(w.keys) == 0 || w.actions > 0 {
		return tea.KeyMsg{}, false
	}
	key := w.keys[0]
	w.keys = w.keys[1:]
	return key, true
}

// holds keeps a key for later where an action is under way.
func (w *ahead) holds(msg tea.KeyMsg) bool {
	if w.actions == 0 {
		return false
	}
	w.keys = append(w.keys, msg)
	return true
}

// ofScreen does an action of the screen on top.
func (m *Model) ofScreen(a screen.Action) tea.Cmd {
	if a.Why != "" || a.Group == everywhere {
		return m.run(a)
	}
	return m.ahead.settling(m.run(a))
}
