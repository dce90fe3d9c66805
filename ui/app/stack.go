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
	theme         themes.Theme
	width, height int       // the size of each screen
	seen          screen.ID // of the screen that was on top last
}

func (st *screenStack) top() screen.Screen { return st.stack[len(st.stack)-1].Screen }

// route returns the route of the top screen.
func (st *screenStack) route() screen.Route { return st.stack[len(st.stack)-1].route }

func (st *screenStack) push(s screen.Screen, r screen.Route) {
	s.SetTheme(st.theme)
	s.SetSize(st.width, st.height)
	st.stack = append(st.stack, stackEntry{s, r})
}

// pushRoute creates the screen of a route and pushes it.
func (st *screenStack) pushRoute(deps screen.Deps, r screen.Route) (tea.Cmd, error) {
	s, err := st.factory(deps, r)
	if err != nil {
		return nil, err
	}
	st.push(s, r)
	return s.Init(), nil
}

// clear removes all screens and returns the command that closes them, the first one first.
func (st *screenStack) clear() tea.Cmd {
	var closing []tea.Cmd
	for _, gone := range st.stack {
		closing = append(closing, gone.Close())
	}
	st.stack = nil
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

// reopen returns to a screen on the stack by its route, closing those above it; false if there is none.
func (st *screenStack) reopen(r screen.Route) (tea.Cmd, bool) {
	for i, s := range st.stack {
		p, ok := s.Screen.(navigable)
		if !ok || p.Route().Name != r.Name || p.Route().ID != r.ID {
			continue
		}
		var closing []tea.Cmd
		for _, gone := range st.stack[i+1:] {
			closing = append(closing, gone.Close())
		}
		st.stack = st.stack[:i+1]
		return tea.Sequence(tea.Sequence(closing...), p.GoTo(r)), true
	}
	return nil, false
}

// pop removes the top screen.
func (st *screenStack) pop() tea.Cmd {
	if len(st.stack) == 1 {
		return nil
	}
	gone := st.top()
	st.stack = st.stack[:len(st.stack)-1]
	var resume tea.Cmd
	if r, ok := st.top().(screen.Resumer); ok {
		resume = r.Resume()
	}
	return tea.Sequence(gone.Close(), resume)
}

// popDeleted closes the top screens that are about a deleted campaign.
func (st *screenStack) popDeleted(id string) tea.Cmd {
	var left []tea.Cmd
	for len(st.stack) > 1 && st.route().ID == id {
		left = append(left, st.pop())
	}
	return tea.Sequence(left...)
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

// busy reports whether a screen's task is running.
func (st *screenStack) busy() bool {
	return slices.ContainsFunc(st.stack, func(l stackEntry) bool {
		b, ok := l.Screen.(interface{ Busy() bool })
		return ok && b.Busy()
	})
}

func (st *screenStack) setTheme(t themes.Theme) {
	st.theme = t
	for _, s := range st.stack {
		s.SetTheme(t)
	}
}

func (st *screenStack) setSize(width, height int) {
	st.width, st.height = width, height
	for _, s := range st.stack {
		s.SetSize(width, height)
	}
}

// subject returns the topmost screen that is about a campaign; nil if there is none.
func (st *screenStack) subject() screen.CampaignScreen {
	for _, l := range slices.Backward(st.stack) {
		if s, ok := l.Screen.(screen.CampaignScreen); ok {
			if _, ok := s.Campaign(); ok {
				return s
			}
		}
	}
	return nil
}

// open pushes the screen of a route. If that screen is on the stack already, it closes those above it instead,
// so that the stack does not grow in circles.
func (m *Model) open(r screen.Route) tea.Cmd {
	if cmd, ok := m.reopen(r); ok {
		return cmd
	}
	cmd, err := m.pushRoute(m.opts.Deps, r)
	if err != nil {
		return m.notify(widget.LevelError, err.Error())
	}
	return cmd
}

// back closes the top screen, asking first if the screen requires it.
func (m *Model) back() tea.Cmd {
	if len(m.stack) == 1 {
		return nil
	}
	if q := leaveQuestion(m.top()); q != nil {
		return m.confirmLeave(*q, m.pop)
	}
	return m.pop()
}

// leaveTo closes the screens above index i, asking first if one of them requires it.
func (m *Model) leaveTo(i int) tea.Cmd {
	if len(m.stack)-1 <= i {
		return nil
	}
	leave := func() tea.Cmd {
		gone := m.pop()
		return tea.Sequence(gone, m.leaveTo(i))
	}
	if q := leaveQuestion(m.top()); q != nil {
		return m.confirmLeave(*q, leave)
	}
	return leave()
}

// quit closes every screen, waits for pending saves, and ends the program. The first guarded screen from the
// top asks; quitting again while it asks skips the question.
func (m *Model) quit() tea.Cmd {
	if m.quitting {
		return tea.Quit
	}
	if m.confirmingQuit {
		return m.quitNow()
	}
	for i := len(m.stack) - 1; i >= 0; i-- {
		if q := leaveQuestion(m.stack[i].Screen); q != nil {
			m.confirmingQuit = true
			return m.confirmLeave(*q, m.quitNow)
		}
	}
	return m.quitNow()
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
	return tea.Sequence(append(m.closeAll(), m.commands.end())...)
}

// switchWorkspace starts again in another workspace.
func (m *Model) switchWorkspace(msg screen.SwitchWorkspaceMsg) tea.Cmd {
	theme := m.theme
	m.opts.Deps = msg.Deps
	m.opts.Deps.Theme = theme
	m.link.reset(m.opts.Deps)
	old := m.screenStack
	m.screenStack.stack = nil
	begin, err := m.pushRoute(m.opts.Deps, msg.Route)
	if err != nil {
		m.screenStack = old
		return m.notify(widget.LevelError, err.Error())
	}
	// The commands of the new screen may run for as long as it is open; nothing waits for them.
	return tea.Sequence(old.clear(), tea.Batch(begin, offerTour(m.opts.Deps)))
}

func leaveQuestion(s screen.Screen) *screen.Question {
	if g, ok := s.(screen.Guard); ok {
		return g.LeaveQuestion()
	}
	return nil
}

func (m *Model) confirmLeave(q screen.Question, leave func() tea.Cmd) tea.Cmd {
	then := q.Then
	q.Then = func(a widget.Answer) tea.Cmd {
		m.confirmingQuit = false
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
	m.overlays.width, m.overlays.height = width, height
	m.toasts.SetSize(min(width, 60), height)
	m.setSize(m.width, m.bodyHeight())
}

func (m *Model) tooSmall() bool { return m.width < minWidth || m.height < minHeight }
