// Package activity is the screen of the calls that were made to the service: what was asked, what
// came back, and the command that asks it again.
package activity

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/activity"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen is the list of calls, with one of them to read.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme themes.Theme

	log    *activity.Log
	seen   uint64          // the version of the log that calls is of
	calls  []activity.Call // newest first
	shown  []int           // those that the filter lets through
	follow bool            // the cursor stays on the newest

	table  widget.Table
	filter widget.Prompt
	reader reader
	focus  pane
	zoom   bool // the focused pane has the whole screen

	width, height int
}

// pane is where the keyboard is.
type pane uint8

const (
	paneTable pane = iota
	paneCall
	paneFilter
)

// taskWait is the task that waits for the next call.
const taskWait = "wait"

// New makes the screen of the calls in log; of a nil log, which has none.
func New(deps screen.Deps, _ screen.Route, log *activity.Log) *Screen {
	if log == nil {
		log = &activity.Log{}
	}
	s := &Screen{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme, log: log, follow: true,
		table:  widget.NewTable(deps.Theme, columns...),
		filter: widget.NewPrompt(deps.Theme, "/", "operation, path, error or ID; 4xx, 409, failed, local"),
		reader: newReader(deps.Theme),
	}
	s.table.Focused = true
	s.refresh()
	return s
}

// Title is the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Activity" }

// Badge counts the calls, and says whether the cursor follows them.
func (s *Screen) Badge() (string, themes.Tone) {
	switch {
	case len(s.calls) == 0:
		return "", themes.ToneMuted
	case s.follow:
		return count(len(s.calls)) + " · following", themes.ToneAccent
	}
	return count(len(s.calls)), themes.ToneMuted
}

// Init waits for calls.
func (s *Screen) Init() tea.Cmd { return s.wait() }

// Resume shows what was called while another screen was on top.
func (s *Screen) Resume() tea.Cmd {
	s.refresh()
	return nil
}

// Busy reports that no work is under way: waiting for a call is none.
func (s *Screen) Busy() bool { return false }

// wait ends with the next change of the log, or with the screen.
func (s *Screen) wait() tea.Cmd {
	seen := s.seen
	return s.Run(taskWait, func(ctx context.Context) (any, error) { return s.log.Wait(ctx, seen) })
}

// Update takes news of calls, keys and the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		if s.Accept(msg) && msg.Err == nil {
			s.refresh()
			return s.wait()
		}
	case screen.ChangedMsg:
		s.refresh()
	case tea.KeyMsg:
		s.key(msg)
	case tea.MouseMsg:
		s.mouse(msg)
	}
	return nil
}

// refresh shows the calls as they are now. The cursor stays on its call, unless it follows the
// newest; what is being read stays in any case.
func (s *Screen) refresh() {
	at, had := s.selected()
	s.seen = s.log.Version()
	s.calls = s.log.Calls()
	s.narrow()
	switch {
	case s.follow && s.focus != paneCall:
		s.table.Home()
	case had:
		for i, n := range s.shown {
			if s.calls[n].Seq == at.Seq {
				s.table.Select(i)
			}
		}
	}
	s.show()
}

// narrow finds the calls that the filter lets through.
func (s *Screen) narrow() {
	f := parseFilter(s.filter.Value())
	s.shown = s.shown[:0]
	for i := range s.calls {
		if f.lets(&s.calls[i]) {
			s.shown = append(s.shown, i)
		}
	}
	s.table.SetRows(rows{s})
}

func (s *Screen) selected() (activity.Call, bool) {
	if s.table.Cursor >= len(s.shown) {
		return activity.Call{}, false
	}
	return s.calls[s.shown[s.table.Cursor]], true
}

func (s *Screen) key(msg tea.KeyMsg) {
	switch s.focus {
	case paneFilter:
		if s.filter.Update(msg) {
			s.narrow()
			s.table.Home()
		} else {
			s.move(func() { s.table.Window.Update(arrows(msg)) })
		}
	case paneCall:
		s.reader.update(msg)
	default:
		s.move(func() { s.table.Window.Update(msg) })
	}
	s.show()
}

// move does something that may move the cursor. Who moves it to an older call wants to stay there.
func (s *Screen) move(do func()) {
	before := s.table.Cursor
	do()
	if s.table.Cursor != before && s.table.Cursor > 0 {
		s.follow = false
	}
}

// arrows keeps the keys that move without being letters.
func arrows(msg tea.KeyMsg) tea.KeyMsg {
	if msg.Type == tea.KeyRunes {
		return tea.KeyMsg{}
	}
	return msg
}

func (s *Screen) mouse(msg tea.MouseMsg) {
	press := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	left := s.tableWidth()
	switch {
	case s.wide() && msg.X >= left || !s.wide() && s.focus == paneCall:
		if press && len(s.shown) > 0 {
			s.toCall()
		}
		if !s.wide() {
			left = 0
		}
		msg.X, msg.Y = msg.X-left-2, msg.Y-1
		s.reader.mouse(msg)
	default:
		again := press && s.onRow(msg.Y)
		s.move(func() {
			if s.table.Mouse(msg, msg.Y-s.tableTop()) && press {
				s.toTable()
			}
		})
		if again {
			s.toCall()
		}
	}
	s.show()
}

// onRow says that the chosen call is on that line of the screen.
func (s *Screen) onRow(y int) bool {
	i, ok := s.table.RowAt(y - s.tableTop())
	return ok && i == s.table.Cursor && s.focus == paneTable
}

// show brings the reader to the chosen call.
func (s *Screen) show() {
	c, ok := s.selected()
	if !ok && s.focus == paneCall {
		s.focus = paneTable
	}
	s.table.Focused = s.focus != paneCall
	if !ok {
		s.reader.none()
		return
	}
	s.reader.show(c)
}
