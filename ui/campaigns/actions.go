package campaigns

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/screen"
	"bugle/ui/status"
)

// The headings in the help.
const (
	groupList     = "Campaigns"
	groupCampaign = "The selected campaign"
)

// Actions are what can be done now.
func (s *Screen) Actions() []screen.Action {
	if s.filter.Focused() {
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "to the table", Group: groupList, Bar: 9, Typing: true, Run: s.leaveFilter},
			{Keys: []string{"esc"}, Label: "clear", Help: "clear the filter", Group: groupList, Bar: 8, Typing: true, Run: s.clear},
		}
	}
	return append(append(s.campaignActions(), s.listActions()...), s.stateKeys()...)
}

// campaignActions are those on the campaign under the cursor.
func (s *Screen) campaignActions() []screen.Action {
	sum, ok := s.selected()
	none := ""
	if !ok {
		none = "No campaign is selected: press n to start one."
		if len(s.rows) > 0 {
			none = "No campaign is selected: press esc to see all of them."
		}
	}
	why := func(reason string) string {
		if none != "" {
			return none
		}
		return reason
	}
	route := func(name string) func() tea.Cmd {
		return func() tea.Cmd { return screen.Open(screen.Route{Name: name, ID: sum.ID}) }
	}
	enter := screen.Action{Keys: []string{"enter"}, Label: "open", Help: "open it in the builder", Group: groupCampaign, Bar: 20, Why: none, Run: route(screen.Builder)}
	if s.inList {
		enter = screen.Action{Keys: []string{"enter", " "}, Label: "choose", Help: "show only these, or all again", Group: groupList, Bar: 20, Run: s.choose}
	}
	return []screen.Action{
		enter,
		{Keys: []string{"s"}, Label: "status", Help: "publish, stop, pause, resume, archive, restore", Group: groupCampaign, Bar: 17, Why: none,
			Run: func() tea.Cmd { return status.Choose(s.deps, sum) }},
		{Keys: []string{"v"}, Label: "validate", Help: "see what is missing or wrong", Group: groupCampaign, Bar: 16, Why: why(whyNoCheck(sum)), Run: route(screen.Validate)},
		{Keys: []string{"t"}, Label: "test", Help: "send it to a few people", Group: groupCampaign, Bar: 15, Why: why(whyNoTest(sum)), Run: route(screen.TestSend)},
		{Keys: []string{"c"}, Label: "clone", Help: "start a draft with the same components", Group: groupCampaign, Bar: 11, Why: why(s.whyNoClone(sum)),
			Run: func() tea.Cmd { return s.clone(sum) }},
		{Keys: []string{"x"}, Label: "delete", Help: "delete a draft for good", Group: groupCampaign, Why: why(status.Why(s.deps, sum, catalog.Delete)),
			Run: func() tea.Cmd { return status.Ask(s.deps, sum, catalog.Delete) }},
		{Keys: []string{"y"}, Label: "copy id", Help: "copy its id", Group: groupCampaign, Why: none,
			Run: func() tea.Cmd {
				return screen.Send(screen.CopyMsg{Text: sum.ID, What: "the id of " + status.Name(sum)})
			}},
	}
}

// listActions are those on the list as a whole.
func (s *Screen) listActions() []screen.Action {
	archive := "show the archived campaigns too"
	if s.query.archived {
		archive = "hide the archived campaigns"
	}
	tab := screen.Action{Keys: []string{"tab", "shift+tab"}, Label: "counts", Help: "between the table and the counts beside it", Group: groupList, Run: s.switchFocus}
	if facets, _ := s.sides(); facets == 0 {
		tab.Why = fmt.Sprintf("The counts stand beside the table in windows of %d columns and more; f and F go through them here.", facetsFrom)
	}
	acts := []screen.Action{
		{Keys: []string{"n"}, Label: "new", Help: "start a draft", Group: groupList, Bar: 19, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.NewDraft}) }},
		{Keys: []string{"/"}, Label: "filter", Help: "filter by name, tag, team or creator, as you type", Group: groupList, Bar: 18, Run: s.startFilter},
		{Keys: []string{"f"}, Label: "state", Help: "show one state after the other", Group: groupList, Bar: 14, Run: s.nextState},
		{Keys: []string{"F"}, Label: "channel", Help: "show one channel after the other", Group: groupList, Bar: 13, Run: s.nextChannel},
		{Keys: []string{"o"}, Label: "sort", Help: "sort by change, name, state or start", Group: groupList, Bar: 12, Run: s.sort},
		tab,
		{Keys: []string{"A"}, Label: "archive", Help: archive, Group: groupList, Run: s.toggleArchive},
		{Keys: []string{"a"}, Label: "activity", Help: "the calls that were made, and how they went", Group: groupList, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Activity}) }},
		{Keys: []string{"O"}, Label: "outbox", Help: "the messages that test sends delivered", Group: groupList, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Outbox}) }},
		{Keys: []string{"r"}, Label: "reload", Help: "load the list again", Group: groupList, Run: s.load},
	}
	if s.inList || s.query.narrowed() {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "show all", Help: "back to all campaigns", Group: groupList, Bar: 10, Run: s.clear})
	}
	return acts
}

// stateKeys are the digits that show one state each.
func (s *Screen) stateKeys() []screen.Action {
	states := s.states()
	acts := []screen.Action{{
		Keys: []string{"0"}, Label: "all states", Help: fmt.Sprintf("all states; 1 to %d show one each", len(states)), Group: groupList,
		Run: func() tea.Cmd { s.query.state = ""; return s.refine(true) },
	}}
	for i, st := range states {
		acts = append(acts, screen.Action{
			Keys: []string{fmt.Sprint(i + 1)}, Label: "only " + strings.ToLower(st.Label()),
			Run: func() tea.Cmd { return s.narrowTo(choice{state: st}) },
		})
	}
	return acts
}

func whyNoCheck(sum engine.Summary) string {
	if !sum.Channel.Writable() {
		return sum.Channel.Label() + " campaigns can be read here, not checked."
	}
	return ""
}

func whyNoTest(sum engine.Summary) string {
	switch {
	case !sum.Channel.Writable():
		return sum.Channel.Label() + " campaigns can be read here, not test-sent."
	case sum.Status != catalog.Draft:
		return "Only drafts can be test-sent, and this campaign is " + strings.ToLower(sum.Status.Label()) + ": press c to clone it, and test the copy."
	}
	return ""
}

func (s *Screen) whyNoClone(sum engine.Summary) string {
	if !sum.Channel.Writable() {
		return sum.Channel.Label() + " campaigns can be read here, not created."
	}
	if _, ok := s.deps.Service.(engine.Curator); !ok {
		return "This service cannot clone campaigns."
	}
	return ""
}

func (s *Screen) startFilter() tea.Cmd {
	s.inList = false
	s.filter.Focus()
	s.layout()
	return nil
}

func (s *Screen) leaveFilter() tea.Cmd {
	s.filter.Blur()
	s.layout()
	return nil
}

// clear gives up one thing after the other: the keyboard in the counts, the filter, the rest of
// what narrows the list.
func (s *Screen) clear() tea.Cmd {
	switch {
	case s.inList:
		s.inList = false
		return nil
	case s.filter.Focused() || s.query.text != "":
		s.filter.Blur()
		s.filter.SetValue("")
		s.query.text = ""
	default:
		s.query.state, s.query.channel = "", ""
	}
	return s.refine(true)
}

func (s *Screen) choose() tea.Cmd {
	if at := s.facets.Cursor; at < len(s.choices) {
		return s.narrowTo(s.choices[at])
	}
	return nil
}

func (s *Screen) switchFocus() tea.Cmd {
	s.inList = !s.inList
	return nil
}

func (s *Screen) sort() tea.Cmd {
	s.query.order = (s.query.order + 1) % orders
	return s.refine(false)
}

func (s *Screen) toggleArchive() tea.Cmd {
	s.query.archived = !s.query.archived
	if s.query.state == catalog.Archived {
		s.query.state = ""
	}
	return s.load()
}
