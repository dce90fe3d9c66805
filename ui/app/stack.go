package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// layer is a screen of the stack and the route that led to it.
type layer struct {
	screen.Screen
	route screen.Route
}

func (m *Model) top() screen.Screen { return m.stack[len(m.stack)-1].Screen }

// route is the one that led to the top screen.
func (m *Model) route() screen.Route { return m.stack[len(m.stack)-1].route }

func (m *Model) put(s screen.Screen, r screen.Route) {
	s.SetTheme(m.theme)
	s.SetSize(m.width, m.bodyHeight())
	m.stack = append(m.stack, layer{s, r})
}

// placed is a screen about one campaign that can go to a place in it.
type placed interface {
	Route() screen.Route
	GoTo(screen.Route) tea.Cmd
}

// open puts the screen of a route on the stack. Where that screen is there already, those above
// it are left instead, so that nobody walks in circles.
func (m *Model) open(r screen.Route) tea.Cmd {
	for i, s := range m.stack {
		p, ok := s.Screen.(placed)
		if !ok || p.Route().Name != r.Name || p.Route().ID != r.ID {
			continue
		}
		var closing []tea.Cmd
		for _, gone := range m.stack[i+1:] {
			closing = append(closing, gone.Close())
		}
		m.stack = m.stack[:i+1]
		return tea.Sequence(tea.Sequence(closing...), p.GoTo(r))
	}
	s, err := m.opts.Factory(m.opts.Deps, r)
	if err != nil {
		return m.notify(widget.LevelError, err.Error())
	}
	m.put(s, r)
	return s.Init()
}

// back leaves the top screen, or asks first where the screen wants it.
func (m *Model) back() tea.Cmd {
	if len(m.stack) == 1 {
		return nil
	}
	if q := leaving(m.top()); q != nil {
		return m.guard(*q, m.drop)
	}
	return m.drop()
}

// drop takes the top screen off the stack.
func (m *Model) drop() tea.Cmd {
	if len(m.stack) == 1 {
		return nil
	}
	gone := m.top()
	m.stack = m.stack[:len(m.stack)-1]
	var resume tea.Cmd
	if r, ok := m.top().(screen.Resumer); ok {
		resume = r.Resume()
	}
	return tea.Sequence(gone.Close(), resume)
}

// leaveTo leaves the screens above number i, asking where one of them wants it.
func (m *Model) leaveTo(i int) tea.Cmd {
	if len(m.stack)-1 <= i {
		return nil
	}
	leave := func() tea.Cmd {
		gone := m.drop()
		return tea.Sequence(gone, m.leaveTo(i))
	}
	if q := leaving(m.top()); q != nil {
		return m.guard(*q, leave)
	}
	return leave()
}

// leaveGone leaves the screens on top that are about a campaign which is not there any more.
func (m *Model) leaveGone(id string) tea.Cmd {
	var left []tea.Cmd
	for len(m.stack) > 1 && m.route().ID == id {
		left = append(left, m.drop())
	}
	return tea.Sequence(left...)
}

// quit closes every screen, waits for what they still have to save, and ends the program. The first
// screen from the top that wants to ask does so; who quits again while it asks means it.
func (m *Model) quit() tea.Cmd {
	if m.quitting {
		return tea.Quit
	}
	if m.asking {
		return m.end()
	}
	for i := len(m.stack) - 1; i >= 0; i-- {
		if q := leaving(m.stack[i].Screen); q != nil {
			m.asking = true
			return m.guard(*q, m.end)
		}
	}
	return m.end()
}

// EndMsg ends the program without a question, once every screen has kept what is unsaved: somebody else
// ends it, such as the system that shuts down.
type EndMsg struct{}

func (m *Model) end() tea.Cmd {
	if m.quitting {
		return nil // what is to be kept is on its way
	}
	m.quitting = true
	var cmds []tea.Cmd
	for i := len(m.stack) - 1; i >= 0; i-- {
		cmds = append(cmds, m.stack[i].Close())
	}
	return tea.Sequence(append(cmds, tea.Quit)...)
}

// enter starts anew in a workspace.
func (m *Model) enter(msg screen.EnterMsg) tea.Cmd {
	theme := m.theme
	m.opts.Deps = msg.Deps
	m.opts.Deps.Theme = theme
	m.link.enter(m.opts.Deps)
	s, err := m.opts.Factory(m.opts.Deps, msg.Route)
	if err != nil {
		return m.notify(widget.LevelError, err.Error())
	}
	var closing []tea.Cmd
	for _, gone := range m.stack {
		closing = append(closing, gone.Close())
	}
	m.stack = nil
	m.put(s, msg.Route)
	// What the screen begins may go on for as long as it is there; nothing waits for it.
	return tea.Sequence(tea.Sequence(closing...), tea.Batch(s.Init(), m.offerTour()))
}

func leaving(s screen.Screen) *screen.Question {
	if g, ok := s.(screen.Guard); ok {
		return g.Leaving()
	}
	return nil
}

func (m *Model) guard(q screen.Question, leave func() tea.Cmd) tea.Cmd {
	then := q.Then
	q.Then = func(a widget.Answer) tea.Cmd {
		m.asking = false
		var cmd tea.Cmd
		if then != nil {
			cmd = then(a)
		}
		if a.Yes() {
			return tea.Sequence(cmd, leave())
		}
		return cmd
	}
	m.lay(newQuestion(m.theme, q))
	return nil
}

func (m *Model) bodyHeight() int { return max(m.height-2, 0) }

// resize takes the window's size; some terminals start by saying 0 × 0.
func (m *Model) resize(width, height int) {
	if width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	m.width, m.height = width, height
	m.toasts.SetSize(min(width, 60), height)
	for _, s := range m.stack {
		s.SetSize(m.width, m.bodyHeight())
	}
}

func (m *Model) tooSmall() bool { return m.width < minWidth || m.height < minHeight }
