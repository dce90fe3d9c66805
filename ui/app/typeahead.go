package app

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

// keyHoldTime is how long keys wait for what the key before them leads to. What an action opens comes as a
// message of its command; a key that was read with the action's belongs to what it opens, not to the
// screen below.
const keyHoldTime = 20 * time.Millisecond

// keyBuffer is what was typed ahead of an action.
type keyBuffer struct {
	pending int // under way, whose keys wait
	keys    []tea.KeyMsg
}

// actionResultMsg is what the command of an action came to. later, where it is not nil, gives the message of one
// that takes longer.
type actionResultMsg struct {
	msg     tea.Msg
	pending <-chan tea.Msg
}

// holdUntilDone makes the keys that follow wait for the command of an action.
func (w *keyBuffer) holdUntilDone(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	w.pending++
	return func() tea.Msg {
		done := make(chan tea.Msg, 1)
		go func() { done <- cmd() }()
		limit := time.NewTimer(keyHoldTime)
		defer limit.Stop()
		select {
		case msg := <-done:
			return actionResultMsg{msg: msg}
		case <-limit.C:
			return actionResultMsg{pending: done}
		}
	}
}

// finishAction carries out what an action asked for, and then does the keys that waited for it.
func (m *Model) finishAction(s actionResultMsg) tea.Cmd {
	m.keyBuffer.pending--
	var cmds []tea.Cmd
	if s.pending != nil {
		cmds = append(cmds, func() tea.Msg { return <-s.pending })
	} else if cmd, taken := m.request(s.msg); taken {
		cmds = append(cmds, cmd)
	} else if s.msg != nil {
		cmds = append(cmds, func() tea.Msg { return s.msg }) // a batch, or another message of the program's own
	}
	for next, ok := m.keyBuffer.next(); ok; next, ok = m.keyBuffer.next() {
		cmds = append(cmds, m.handleKeys(next))
	}
	return tea.Batch(cmds...)
}

// next takes the next key that waited; false where there is none, or another action is under way.
func (w *keyBuffer) next() (tea.KeyMsg, bool) {
	if len(w.keys) == 0 || w.pending > 0 {
		return tea.KeyMsg{}, false
	}
	key := w.keys[0]
	w.keys = w.keys[1:]
	return key, true
}

// hold keeps a key for later where an action is under way.
func (w *keyBuffer) hold(msg tea.KeyMsg) bool {
	if w.pending == 0 {
		return false
	}
	w.keys = append(w.keys, msg)
	return true
}

// runScreenAction does an action of the screen on top.
func (m *Model) runScreenAction(a screen.Action) tea.Cmd {
	if a.DisabledReason != "" || a.Group == groupEverywhere {
		return m.runAction(a)
	}
	return m.keyBuffer.holdUntilDone(m.runAction(a))
}
