package app

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

// keyHoldTime is how long keys are held for the result of the action before them. An action opens something
// through a message of its command; keys that were read together with the action's key belong to what it opens,
// not to the screen below.
const keyHoldTime = 20 * time.Millisecond

// keyBuffer holds the keys that were typed ahead of an action's result.
type keyBuffer struct {
	pending int // number of running actions that hold keys
	keys    []tea.KeyMsg
}

// actionResultMsg is the result of an action's command. pending, if not nil, delivers the message of a slow
// one.
type actionResultMsg struct {
	msg     tea.Msg
	pending <-chan tea.Msg
}

// holdUntilDone wraps the command of an action so that later keys wait for it.
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

// finishAction handles the result of an action and then the keys that were held.
func (m *Model) finishAction(s actionResultMsg) tea.Cmd {
	m.keyBuffer.pending--
	var cmds []tea.Cmd
	if s.pending != nil {
		cmds = append(cmds, func() tea.Msg { return <-s.pending })
	} else if cmd, taken := m.request(s.msg); taken {
		cmds = append(cmds, cmd)
	} else if s.msg != nil {
		cmds = append(cmds, func() tea.Msg { return s.msg }) // a batch, or another message internal to Bubble Tea
	}
	for next, ok := m.keyBuffer.next(); ok; next, ok = m.keyBuffer.next() {
		cmds = append(cmds, m.handleKeys(next))
	}
	return tea.Batch(cmds...)
}

// next returns the next held key; false if there is none, or another action is running.
func (w *keyBuffer) next() (tea.KeyMsg, bool) {
	if len(w.keys) == 0 || w.pending > 0 {
		return tea.KeyMsg{}, false
	}
	key := w.keys[0]
	w.keys = w.keys[1:]
	return key, true
}

// hold buffers a key if an action is running.
func (w *keyBuffer) hold(msg tea.KeyMsg) bool {
	if w.pending == 0 {
		return false
	}
	w.keys = append(w.keys, msg)
	return true
}

// runScreenAction runs an action of the top screen.
func (m *Model) runScreenAction(a screen.Action) tea.Cmd {
	if a.DisabledReason != "" || a.Group == groupEverywhere {
		return m.runAction(a)
	}
	return m.keyBuffer.holdUntilDone(m.runAction(a))
}
