// Package activity is the screen with the calls to the service: requests, responses, and curl commands that
// repeat them.
package activity

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/engine/service/activity"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
)

// Screen is the list of calls with a reader for the selected one.
type Screen struct {
	screen.Base
	deps   screen.Deps
	log    *activity.Log
	seen   uint64 // the version of the log in the list
	list   *list.Browser[activity.Call]
	reader *reader
	follow bool // the cursor stays on the newest
}

// taskWait is the task that waits for the next call.
const taskWait = "wait"

// New returns the screen of the calls in log, which may be nil.
func New(deps screen.Deps, _ screen.Route, log *activity.Log) *Screen {
	if log == nil {
		log = &activity.Log{}
	}
	s := &Screen{Base: screen.NewBase(), deps: deps, log: log, follow: true, reader: newReader(deps.Theme)}
	s.list = list.New(deps.Theme, list.Config[activity.Call]{
		Title: "Calls", Columns: columns, Hint: "operation, path, error or ID; 4xx, 409, failed, local", Row: s.row, Match: matcher, Empty: s.emptyText,
		Same:  func(a, b activity.Call) bool { return a.Seq == b.Seq },
		Above: s.limits, Footer: s.footer, OnMove: s.moved, OnClear: s.refresh,
		Page: s.reader, Show: s.show, Head: callTitle, PageShare: 40, PageMin: 50,
		Labels: list.Labels{
			Noun:    "call",
			Entries: "calls", Group: groupList, Read: "read the request and response", Filter: "filter calls by text, or by a status such as 4xx",
			Next: "older call", Prev: "newer call", NextTab: []string{"tab", "]"}, PrevTab: []string{"shift+tab", "["},
		},
	})
	s.refresh()
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Activity" }

// Badge counts the calls, and shows whether the cursor follows them.
func (s *Screen) Badge() (string, themes.Tone) {
	switch {
	case s.list.Len() == 0:
		return "", themes.ToneMuted
	case s.follow:
		return phrase.Count(s.list.Len(), "call") + " · following", themes.ToneAccent
	}
	return phrase.Count(s.list.Len(), "call"), themes.ToneMuted
}

// Init waits for calls.
func (s *Screen) Init() tea.Cmd { return s.wait() }

// Resume lists the calls made while another screen was on top.
func (s *Screen) Resume() tea.Cmd {
	s.refresh()
	return nil
}

// Busy returns false: waiting for a call is not work.
func (s *Screen) Busy() bool { return false }

// wait ends when the log changes or the screen is closed.
func (s *Screen) wait() tea.Cmd {
	seen := s.seen
	work := func(ctx context.Context) (uint64, error) { return s.log.Wait(ctx, seen) }
	return screen.Later(screen.Go(&s.Base, taskWait, work, func(_ uint64, err error) tea.Cmd {
		if err != nil {
			return nil
		}
		s.refresh()
		return s.wait()
	}))
}

// Update handles new calls, keys and mouse events.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	case screen.ChangedMsg:
		s.refresh()
	case tea.KeyMsg:
		s.list.Key(msg)
	case tea.MouseMsg:
		s.list.Mouse(msg)
	}
	return nil
}

// refresh lists the current calls, newest first. The cursor stays on its call unless it follows the newest; a
// call being read always stays.
func (s *Screen) refresh() {
	s.seen = s.log.Version()
	s.list.Set(s.log.Calls())
	if s.follow && !s.list.Reading() {
		s.list.Top()
	}
}

// moved ends following when the user moves to an older call.
func (s *Screen) moved() {
	if s.list.Index() > 0 {
		s.follow = false
	}
}

// show shows a call in the reader.
func (s *Screen) show(c activity.Call, ok bool) {
	if !ok {
		s.reader.clear()
		return
	}
	s.reader.show(c)
}

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) { s.list.SetSize(width, height) }

// View draws the calls and, if it fits or was opened, the selected one.
func (s *Screen) View() string { return s.list.View() }
