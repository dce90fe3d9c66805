// Package activity is the screen with the calls to the service: requests, responses, and curl commands that
// repeat them.
package activity

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/engine/service/activity"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen is the list of calls with the selected one beside it.
type Screen struct {
	screen.Base
	*list.Browser[activity.Call]

	deps screen.Deps
	log  *activity.Log
	seen uint64 // the version of the log in the list
}

// taskWait is the task that waits for the next call.
const taskWait = "wait"

// Help headings.
const (
	groupCall = "Call"
	groupList = "Calls"
)

// New returns the screen of the calls in log, which may be nil.
func New(deps screen.Deps, _ screen.Route, log *activity.Log) *Screen {
	if log == nil {
		log = &activity.Log{}
	}
	s := &Screen{Base: screen.NewBase(), deps: deps, log: log}
	s.Browser = list.New(deps.Theme, list.Config[activity.Call]{
		Title: "Calls", Columns: columns, Hint: "operation, path, error or ID; 4xx, 409, failed, local", Row: s.row, Has: has,
		Empty: func() string { return "No calls yet. Each call to the service is listed here." },
		Same:  func(a, b activity.Call) bool { return a.Seq == b.Seq },
		Above: s.limits, Footer: s.footer,
		Tabs: tabs, OpenTab: 1, Head: callTitle, PageShare: 40, PageMin: 50,
		Labels: list.Labels{
			Noun:    "call",
			Entries: "calls", Group: groupList, Read: "read the request and response", Filter: "filter calls by text, or by a status such as 4xx",
			Next: "older call", Prev: "newer call", NextTab: []string{"tab"}, PrevTab: []string{"shift+tab"},
		},
	})
	s.refresh()
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Activity" }

// Badge counts the calls.
func (s *Screen) Badge() (string, themes.Tone) {
	if s.Len() == 0 {
		return "", themes.ToneMuted
	}
	return phrase.Count(s.Len(), "call"), themes.ToneMuted
}

// Init waits for calls.
func (s *Screen) Init() tea.Cmd { return s.wait() }

// Resume lists the calls made while another screen was on top.
func (s *Screen) Resume() tea.Cmd {
	s.refresh()
	return nil
}

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
		s.Key(msg)
	case tea.MouseMsg:
		s.Mouse(msg)
	}
	return nil
}

// refresh lists the current calls, newest first. A cursor on the newest call follows the calls, unless that call is read;
// otherwise the cursor stays on its call.
func (s *Screen) refresh() {
	newest := s.Index() == 0 && !s.Reading()
	s.seen = s.log.Version()
	if s.Set(s.log.Calls()); newest {
		s.Top()
	}
}

// Actions returns what the user can do in the focused pane.
func (s *Screen) Actions() []screen.Action {
	empty := ""
	if s.Len() == 0 {
		empty = "The list is already empty."
	}
	acts := []screen.Action{
		s.On(screen.Action{Label: "copy curl", Help: "copy as a curl command, without credentials", Group: groupCall}, noCurl, func(c activity.Call) tea.Cmd {
			return screen.Copy(c.Curl(), "the curl command")
		}),
		s.On(screen.Action{Keys: []string{"y"}, Label: "copy", Help: "copy the text shown", Group: groupCall, BarPriority: 6}, nil, func(activity.Call) tea.Cmd {
			_, name := s.Page.Tab()
			return screen.Copy(s.Page.Text(), "the "+strings.ToLower(name))
		}),
		s.On(screen.Action{Name: "edit-campaign", Keys: []string{"e"}, Label: "campaign", Help: "open the campaign", Group: groupCall}, noCampaign, func(c activity.Call) tea.Cmd {
			return screen.Open(screen.Route{Name: screen.Builder, ID: c.Campaign})
		}),
		{Keys: []string{"x"}, Label: "delete all", Help: "delete all calls", Group: groupList, BarPriority: 2, DisabledReason: empty, Run: s.clear},
	}
	if s.Reading() {
		acts = append(acts, screen.Action{Keys: []string{"left", "right"}, Help: "scroll long lines sideways", Group: groupCall, HelpOnly: true})
	}
	return s.Browser.Actions(acts)
}

// noCurl returns why a call has no curl command.
func noCurl(c activity.Call) string {
	if c.Local {
		return "This change was saved locally, without a request, so there is no curl command."
	}
	return ""
}

// noCampaign returns why a call leads to no campaign.
func noCampaign(c activity.Call) string {
	if c.Campaign == "" {
		return "This call was not about a single campaign."
	}
	return ""
}

func (s *Screen) clear() tea.Cmd {
	return screen.Ask(screen.Question{
		Title: "Clear the list of calls?", Focus: 1,
		Body:    fmt.Sprintf("This removes %s from the list. Nothing else changes.", phrase.Count(s.Len(), "call")),
		Buttons: []widget.Option{{Label: "Clear", Key: "y"}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			s.log.Clear()
			s.refresh()
			return screen.Notify(widget.LevelSuccess, "Cleared the list of calls")
		},
	})
}
