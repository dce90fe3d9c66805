package activity

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/engine/service/activity"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Help headings.
const (
	groupCall = "Call"
	groupList = "Calls"
)

// Typing reports whether the filter has the keyboard.
func (s *Screen) Typing() bool { return s.list.Filtering() }

// Actions returns what the user can do in the focused pane.
func (s *Screen) Actions() []screen.Action {
	more := s.callActions()
	if s.list.Reading() {
		more = append(more, screen.Action{Keys: []string{"left", "right"}, Help: "scroll long lines sideways", Group: groupCall, HelpOnly: true})
	}
	return s.list.Actions(more)
}

func (s *Screen) callActions() []screen.Action {
	empty := ""
	if s.list.Len() == 0 {
		empty = "The list is already empty."
	}
	follow := "follow new calls"
	if s.follow {
		follow = "stop following new calls"
	}
	acts := []screen.Action{
		s.list.On(screen.Action{Keys: []string{"y"}, Label: "copy curl", Help: "copy as a curl command, without credentials", Group: groupCall, BarPriority: 6}, noCurl, copyCurl),
		s.list.On(screen.Action{Keys: []string{"Y"}, Label: "copy", Help: "copy the text shown", Group: groupCall}, nil, s.copyShown),
		s.list.On(screen.Action{Keys: []string{"b"}, Label: "campaign", Help: "open the campaign", Group: groupCall}, noCampaign, toCampaign),
		{Keys: []string{"f"}, Label: "follow", Help: follow, Group: groupList, BarPriority: 5, Run: s.toggleFollow},
		{Keys: []string{"x"}, Label: "clear", Help: "clear the list of calls", Group: groupList, BarPriority: 2, DisabledReason: empty, Run: s.clear},
	}
	if s.hasLimits() {
		acts = append(acts, screen.Action{Keys: []string{"u"}, Label: "limits", Help: "show how much of the service's rate limits is used", Group: groupList, BarPriority: 4, Run: s.showLimits})
	}
	return acts
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

func (s *Screen) toggleFollow() tea.Cmd {
	s.follow = !s.follow
	if s.follow {
		s.list.Top()
	}
	return nil
}

func copyCurl(c activity.Call) tea.Cmd { return screen.Copy(c.Curl(), "the curl command") }

func (s *Screen) copyShown(activity.Call) tea.Cmd {
	if s.reader.Empty() {
		return nil
	}
	return screen.Copy(s.reader.text, s.reader.contentName())
}

func toCampaign(c activity.Call) tea.Cmd {
	return screen.Open(screen.Route{Name: screen.Builder, ID: c.Campaign})
}

func (s *Screen) clear() tea.Cmd {
	return screen.Ask(screen.Question{
		Title: "Clear the list of calls?", Focus: 1,
		Body:    fmt.Sprintf("This removes %s from the list. Nothing else changes.", phrase.Count(s.list.Len(), "call")),
		Buttons: []widget.Button{{Label: "Clear", Key: "y"}, {Label: "Keep", Key: "n"}},
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
