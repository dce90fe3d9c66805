package app

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// stackEntry is a screen and the route that opened it.
type stackEntry struct {
	screen.Screen
	route screen.Route
}

// screenStack is the stack of screens, the last one on top.
type screenStack struct {
	stack         []stackEntry
	factory       Factory
	theme         *themes.Theme
	width, height int       // the size of each screen
	seen          screen.ID // of the screen that was on top last
}

func (st *screenStack) top() screen.Screen { return st.stack[len(st.stack)-1].Screen }

// route returns the route of the top screen.
func (st *screenStack) route() screen.Route { return st.stack[len(st.stack)-1].route }

func (st *screenStack) push(s screen.Screen, r screen.Route) {
	s.SetSize(st.width, st.height)
	st.stack = append(st.stack, stackEntry{s, r})
}

// closeAbove removes the screens above index i and returns the command that closes them, the top one first.
func (st *screenStack) closeAbove(i int) tea.Cmd {
	var closing []tea.Cmd
	for len(st.stack) > i+1 {
		closing = append(closing, st.top().Close())
		st.stack = st.stack[:len(st.stack)-1]
	}
	return tea.Sequence(closing...)
}

// closeAll returns the commands that close all screens, the top one first.
func (st *screenStack) closeAll() []tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range slices.Backward(st.stack) {
		cmds = append(cmds, l.Close())
	}
	return cmds
}

// navigable is a screen about one campaign that can go to a place in it.
type navigable interface {
	Route() screen.Route
	GoTo(screen.Route) tea.Cmd
}

// find returns the screen of a route on the stack and its index; nil if there is none.
func (st *screenStack) find(r screen.Route) (int, navigable) {
	for i, s := range st.stack {
		if p, ok := s.Screen.(navigable); ok && p.Route().Name == r.Name && p.Route().ID == r.ID {
			return i, p
		}
	}
	return 0, nil
}

// popDeleted closes the top screens that are about a deleted campaign.
func (st *screenStack) popDeleted(id string) tea.Cmd {
	top := len(st.stack) - 1
	i := top
	for i > 0 && st.stack[i].route.ID == id {
		i--
	}
	if i == top {
		return nil
	}
	return tea.Sequence(st.closeAbove(i), st.top().Resume())
}

// deliver passes a task's result to its screen, anywhere in the stack.
func (st *screenStack) deliver(r screen.Result) tea.Cmd {
	for _, s := range st.stack {
		if s.ID() == r.Screen {
			return tea.Batch(s.Update(r), r.Next())
		}
	}
	return nil
}

// followTop tells the screens below which campaign is open if another screen has come to the top.
func (st *screenStack) followTop() tea.Cmd {
	top := st.top().ID()
	if top == st.seen {
		return nil
	}
	st.seen = top
	id := st.route().ID
	if id == "" {
		return nil
	}
	var cmds []tea.Cmd
	for _, s := range st.stack[:len(st.stack)-1] {
		cmds = append(cmds, s.Update(screen.OpenedMsg{ID: id}))
	}
	return tea.Batch(cmds...)
}

func (st *screenStack) broadcast(msg tea.Msg) tea.Cmd {
	cmds := make([]tea.Cmd, len(st.stack))
	for i, s := range st.stack {
		cmds[i] = s.Update(msg)
	}
	return tea.Batch(cmds...)
}

func (st *screenStack) setSize(width, height int) {
	st.width, st.height = width, height
	for _, s := range st.stack {
		s.SetSize(width, height)
	}
}

// subject returns what the topmost screen is about that is about a campaign.
func (st *screenStack) subject() screen.Subject {
	for _, l := range slices.Backward(st.stack) {
		if s := l.Subject(); s.Campaign.ID != "" {
			return s
		}
	}
	return screen.Subject{}
}

// open pushes the screen of a route. If that screen is on the stack already, it closes those above it instead,
// so that the stack does not grow in circles.
func (m *Model) open(r screen.Route) tea.Cmd {
	if i, open := m.find(r); open != nil {
		return m.leave(i, func() tea.Cmd { return tea.Sequence(m.closeAbove(i), open.GoTo(r)) })
	}
	cmd, _ := m.openAbove(len(m.stack)-1, m.opts.Deps, r)
	return cmd
}

// replace puts the screen of a route in the place of the top one. The one below stays covered, so it is not resumed.
func (m *Model) replace(r screen.Route) tea.Cmd {
	if _, open := m.find(r); open != nil {
		return m.open(r)
	}
	below := len(m.stack) - 2
	return m.leave(below, func() tea.Cmd {
		cmd, _ := m.openAbove(below, m.opts.Deps, r)
		return cmd
	})
}

// openAbove puts the screen of a route in the place of those above index i. If it cannot be created, ok is false, and
// nothing changes.
func (m *Model) openAbove(i int, deps screen.Deps, r screen.Route) (cmd tea.Cmd, ok bool) {
	s, err := m.factory(deps, r)
	if err != nil {
		return m.notify(widget.LevelError, err.Error()), false
	}
	closed := m.closeAbove(i)
	m.opts.Deps = deps
	m.push(s, r)
	return tea.Sequence(closed, s.Init()), true
}

// back closes the top screen.
func (m *Model) back() tea.Cmd { return m.leaveTo(len(m.stack) - 2) }

// leaveTo closes the screens above index i.
func (m *Model) leaveTo(i int) tea.Cmd {
	if i < 0 || i >= len(m.stack)-1 {
		return nil
	}
	return m.leave(i, func() tea.Cmd { return tea.Sequence(m.closeAbove(i), m.top().Resume()) })
}

// leave asks the guarded screens above index i, the top one first, and calls then when all have agreed. No screen
// is closed any other way, except when the program is told to end or a campaign is deleted.
func (m *Model) leave(i int, then func() tea.Cmd) tea.Cmd { return m.askFrom(len(m.stack)-1, i, then) }

func (m *Model) askFrom(at, i int, then func() tea.Cmd) tea.Cmd {
	for at = min(at, len(m.stack)-1); at > i; at-- {
		if q := m.stack[at].LeaveQuestion(); q != nil {
			return m.confirmLeave(*q, func() tea.Cmd { return m.askFrom(at-1, i, then) })
		}
	}
	return then()
}

// quit closes every screen, waits for pending saves, and ends the program. Quitting again while a screen asks skips
// the questions.
func (m *Model) quit() tea.Cmd {
	if m.quitting {
		return tea.Quit
	}
	if m.confirmingQuit {
		return m.quitNow()
	}
	m.confirmingQuit = true
	return m.leave(-1, m.quitNow)
}

// EndMsg ends the program without a question after every screen has saved its work, for example when the system
// shuts down.
type EndMsg struct {
	Saved chan<- struct{} // closed once everything is saved
}

// endWith ends the program, after the editor has ended if it has the terminal.
func (m *Model) endWith(msg EndMsg) tea.Cmd {
	switch {
	case m.editing:
		m.ending = &msg
		return nil
	case m.quitting:
		return nil // saving is already in progress
	}
	return tea.Sequence(m.end(), func() tea.Msg { close(msg.Saved); return tea.Quit() })
}

// quitNow ends the program after every screen has saved its work.
func (m *Model) quitNow() tea.Cmd { return tea.Sequence(m.end(), tea.Quit) }

// end closes every screen and ends the user's command.
func (m *Model) end() tea.Cmd {
	m.quitting = true
	return tea.Sequence(append(m.closeAll(), m.endCommand())...)
}

// switchWorkspace starts again in another workspace.
func (m *Model) switchWorkspace(msg screen.SwitchWorkspaceMsg) tea.Cmd {
	return m.leave(-1, func() tea.Cmd {
		msg.Deps.Theme = m.theme
		cmd, ok := m.openAbove(-1, msg.Deps, msg.Route)
		if !ok {
			return cmd
		}
		m.link = linkStatus{deps: msg.Deps}
		return cmd
	})
}

func (m *Model) confirmLeave(q screen.Question, leave func() tea.Cmd) tea.Cmd {
	then := q.Then
	q.Then = func(a widget.Answer) tea.Cmd {
		m.confirmingQuit = m.confirmingQuit && a.Yes() // another screen may ask
		var cmd tea.Cmd
		if then != nil {
			cmd = then(a)
		}
		if a.Yes() {
			return tea.Sequence(cmd, leave())
		}
		return cmd
	}
	m.pushOverlay(newQuestion(m.theme, q))
	return nil
}

func (m *Model) bodyHeight() int { return max(m.height-2, 0) }

// resize sets the window size; some terminals report 0 × 0 first.
func (m *Model) resize(width, height int) {
	if width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	m.width, m.height = width, height
	m.setSize(m.width, m.bodyHeight())
}

func (m *Model) tooSmall() bool { return m.width < minWidth || m.height < minHeight }
