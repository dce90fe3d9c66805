package activity

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// The headings of the screen's keys in the help.
const (
	groupMove = "Move"
	groupCall = "Call"
	groupList = "Calls"
)

// Typing says that a filter is being typed.
func (s *Screen) Typing() bool { return s.focus == paneFilter }

// Actions are what can be done, by where the keyboard is.
func (s *Screen) Actions() []screen.Action {
	if s.focus == paneFilter {
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: groupList, Bar: 9, Typing: true, Run: s.keepFilter},
			{Keys: []string{"esc"}, Label: "clear filter", Help: "show all calls", Group: groupList, Bar: 8, Typing: true, Run: s.dropFilter},
		}
	}
	none := ""
	if _, ok := s.selected(); !ok {
		none = "No call is selected."
	}
	return append(append(s.moves(none), s.zoomKey()), s.uses(none)...)
}

func (s *Screen) moves(none string) []screen.Action {
	if s.focus == paneCall {
		return []screen.Action{
			{Keys: []string{"esc"}, Label: "calls", Help: "back to the calls", Group: groupMove, Bar: 9, Run: s.toTable},
			{Keys: []string{"tab", "]"}, Label: "next view", Help: "request, response or details", Group: groupMove, Bar: 8, Run: func() tea.Cmd { s.reader.turn(1); return nil }},
			{Keys: []string{"shift+tab", "["}, Label: "previous view", Group: groupMove, Run: func() tea.Cmd { s.reader.turn(-1); return nil }},
			{Keys: []string{"n"}, Label: "older call", Group: groupMove, Bar: 3, Run: func() tea.Cmd { return s.step(1) }},
			{Keys: []string{"p"}, Label: "newer call", Group: groupMove, Run: func() tea.Cmd { return s.step(-1) }},
			{Keys: []string{"left", "right"}, Help: "scroll long lines sideways", Group: groupMove, Info: true},
		}
	}
	acts := []screen.Action{
		{Keys: []string{"enter", "tab"}, Label: "read", Help: "read the request and response", Group: groupMove, Bar: 9, Why: none, Run: s.toCall},
		{Keys: []string{"/"}, Label: "filter", Help: "filter calls by text, or by a status such as 4xx", Group: groupList, Bar: 7, Run: s.toFilter},
	}
	if s.filter.Value() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "clear filter", Help: "show all calls", Group: groupList, Bar: 8, Run: s.dropFilter})
	}
	return acts
}

// zoomKey is the action that zooms the focused pane, or shows both again.
func (s *Screen) zoomKey() screen.Action {
	a := screen.ZoomAction(s.zoom, "z", groupMove, s.toggleZoom)
	if !s.roomy() {
		a.Why = "The window shows one pane at a time."
	}
	return a
}

func (s *Screen) toggleZoom() tea.Cmd {
	s.zoom = !s.zoom
	s.SetSize(s.width, s.height)
	return nil
}

func (s *Screen) uses(none string) []screen.Action {
	noCurl, noCampaign, empty := none, none, ""
	if c, ok := s.selected(); ok {
		if c.Local {
			noCurl = "This change was saved locally, without a request, so there is no curl command."
		}
		if c.Campaign == "" {
			noCampaign = "This call was not about a single campaign."
		}
	}
	if len(s.calls) == 0 {
		empty = "The list is already empty."
	}
	follow := "follow new calls"
	if s.follow {
		follow = "stop following new calls"
	}
	acts := []screen.Action{
		{Keys: []string{"y"}, Label: "copy curl", Help: "copy as a curl command, without credentials", Group: groupCall, Bar: 6, Why: noCurl, Run: s.copyCurl},
		{Keys: []string{"Y"}, Label: "copy", Help: "copy the text shown", Group: groupCall, Why: none, Run: s.copyShown},
		{Keys: []string{"b"}, Label: "campaign", Help: "open the campaign", Group: groupCall, Why: noCampaign, Run: s.toCampaign},
		{Keys: []string{"f"}, Label: "follow", Help: follow, Group: groupList, Bar: 5, Run: s.toggleFollow},
		{Keys: []string{"x"}, Label: "clear", Help: "clear the list of calls", Group: groupList, Bar: 2, Why: empty, Run: s.clear},
	}
	if s.limited() {
		acts = append(acts, screen.Action{Keys: []string{"u"}, Label: "limits", Help: "show how much of the service's rate limits is used", Group: groupList, Bar: 4, Run: s.showLimits})
	}
	return acts
}

func (s *Screen) toCall() tea.Cmd {
	s.focus = paneCall
	s.show()
	return nil
}

func (s *Screen) toTable() tea.Cmd {
	if s.focus == paneFilter {
		s.filter.Blur()
	}
	s.focus = paneTable
	s.SetSize(s.width, s.height)
	s.show()
	return nil
}

func (s *Screen) step(n int) tea.Cmd {
	s.move(func() { s.table.Move(n) })
	s.show()
	return nil
}

func (s *Screen) toFilter() tea.Cmd {
	s.focus = paneFilter
	s.filter.Focus()
	s.SetSize(s.width, s.height)
	return nil
}

func (s *Screen) keepFilter() tea.Cmd { return s.toTable() }

func (s *Screen) dropFilter() tea.Cmd {
	s.filter.SetValue("")
	s.toTable()
	s.refresh()
	return nil
}

func (s *Screen) toggleFollow() tea.Cmd {
	s.follow = !s.follow
	if s.follow {
		s.table.Home()
		s.show()
	}
	return nil
}

func (s *Screen) copyCurl() tea.Cmd {
	c, ok := s.selected()
	if !ok {
		return nil
	}
	return screen.Copy(c.Curl(), "the curl command")
}

func (s *Screen) copyShown() tea.Cmd {
	if s.reader.empty {
		return nil
	}
	return screen.Copy(s.reader.text, s.reader.what())
}

func (s *Screen) toCampaign() tea.Cmd {
	c, _ := s.selected()
	return screen.Open(screen.Route{Name: screen.Builder, ID: c.Campaign})
}

func (s *Screen) clear() tea.Cmd {
	return screen.Ask(screen.Question{
		Title: "Clear the list of calls?", Focus: 1,
		Body:    fmt.Sprintf("This removes %s from the list. Nothing else changes.", count(len(s.calls))),
		Buttons: []widget.Button{{Label: "Clear", Key: "y"}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			s.log.Clear()
			s.focus = paneTable
			s.refresh()
			return screen.Notify(widget.LevelSuccess, "Cleared the list of calls")
		},
	})
}
