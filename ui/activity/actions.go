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
			{Keys: []string{"enter"}, Label: "keep", Help: "keep the filter", Group: groupList, Bar: 9, Typing: true, Run: s.keepFilter},
			{Keys: []string{"esc"}, Label: "no filter", Help: "show all calls", Group: groupList, Bar: 8, Typing: true, Run: s.dropFilter},
		}
	}
	none := ""
	if _, ok := s.selected(); !ok {
		none = "There is no call here."
	}
	return append(s.moves(none), s.uses(none)...)
}

func (s *Screen) moves(none string) []screen.Action {
	if s.focus == paneCall {
		return []screen.Action{
			{Keys: []string{"esc"}, Label: "calls", Help: "back to the calls", Group: groupMove, Bar: 9, Run: s.toTable},
			{Keys: []string{"tab", "]"}, Label: "next view", Help: "request, response, or all else", Group: groupMove, Bar: 8, Run: func() tea.Cmd { s.reader.turn(1); return nil }},
			{Keys: []string{"shift+tab", "["}, Label: "view before", Group: groupMove, Run: func() tea.Cmd { s.reader.turn(-1); return nil }},
			{Keys: []string{"n"}, Label: "older call", Group: groupMove, Bar: 3, Run: func() tea.Cmd { return s.step(1) }},
			{Keys: []string{"p"}, Label: "newer call", Group: groupMove, Run: func() tea.Cmd { return s.step(-1) }},
			{Keys: []string{"left", "right"}, Help: "move long lines sideways", Group: groupMove, Info: true},
		}
	}
	acts := []screen.Action{
		{Keys: []string{"enter", "tab"}, Label: "read", Help: "read what was said", Group: groupMove, Bar: 9, Why: none, Run: s.toCall},
		{Keys: []string{"/"}, Label: "filter", Help: "show the calls that hold some words, or a status such as 4xx", Group: groupList, Bar: 7, Run: s.toFilter},
	}
	if s.filter.Value() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "no filter", Help: "show all calls", Group: groupList, Bar: 8, Run: s.dropFilter})
	}
	return acts
}

func (s *Screen) uses(none string) []screen.Action {
	noCurl, noCampaign, empty := none, none, ""
	if c, ok := s.selected(); ok {
		if c.Local {
			noCurl = "A save is no request: there is no curl to copy."
		}
		if c.Campaign == "" {
			noCampaign = "This call was not about one campaign."
		}
	}
	if len(s.calls) == 0 {
		empty = "There is no call to forget."
	}
	follow := "keep the cursor on the newest call"
	if s.follow {
		follow = "stay where you are when something is called"
	}
	acts := []screen.Action{
		{Keys: []string{"y"}, Label: "copy curl", Help: "copy it as a curl command, without credentials", Group: groupCall, Bar: 6, Why: noCurl, Run: s.copyCurl},
		{Keys: []string{"Y"}, Label: "copy", Help: "copy what is shown of it", Group: groupCall, Why: none, Run: s.copyShown},
		{Keys: []string{"b"}, Label: "campaign", Help: "open the campaign that it was about", Group: groupCall, Why: noCampaign, Run: s.toCampaign},
		{Keys: []string{"f"}, Label: "follow", Help: follow, Group: groupList, Bar: 5, Run: s.toggleFollow},
		{Keys: []string{"x"}, Label: "clear", Help: "forget all calls", Group: groupList, Bar: 2, Why: empty, Run: s.clear},
	}
	if s.limited() {
		acts = append(acts, screen.Action{Keys: []string{"u"}, Label: "limits", Help: "what is used of the service's limits", Group: groupList, Bar: 4, Run: s.showLimits})
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
		Title: "Forget the calls?", Focus: 1,
		Body:    fmt.Sprintf("%s will be forgotten here. What they did is not changed.", count(len(s.calls))),
		Buttons: []widget.Button{{Label: "Forget", Key: "y"}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			s.log.Clear()
			s.focus = paneTable
			s.refresh()
			return screen.Notify(widget.LevelSuccess, "The calls are forgotten")
		},
	})
}
