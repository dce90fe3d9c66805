package campaigns

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/query"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// The headings in the help.
const (
	groupList     = "Campaigns"
	groupCampaign = "The selected campaign"
)

// Actions are what can be done now.
func (s *Screen) Actions() []screen.Action {
	switch {
	case s.over != nil:
		return s.over.actions()
	case s.bar.prompt.Focused():
		return s.searchActions()
	}
	acts := append(append(s.campaignActions(), s.listActions()...), s.markActions()...)
	return append(acts, s.viewKeys()...)
}

// searchActions are those while a search is typed.
func (s *Screen) searchActions() []screen.Action {
	const group = "The search"
	info := func(key, label, help string, bar int) screen.Action {
		return screen.Action{Keys: []string{key}, Label: label, Help: help, Group: group, Bar: bar, Typing: true, Info: true}
	}
	acts := []screen.Action{
		{Keys: []string{"enter"}, Label: "to the table", Help: "to the table; where one of the offered words is chosen, take it", Group: group, Bar: 9, Typing: true, Run: s.endSearch},
		{Keys: []string{"esc"}, Label: "clear", Help: "clear the search", Group: group, Bar: 8, Typing: true, Run: s.clear},
	}
	if len(s.bar.offers) > 0 {
		acts = append(acts, info("tab", "complete", "take the first word that is offered, or the chosen one; → does so at the end of the line", 7), info("down", "choose", "choose among the words that are offered", 6))
	}
	if len(s.bar.past) > 0 {
		acts = append(acts, info("up", "earlier", "earlier searches", 5))
	}
	if _, ok := s.culprit(); ok {
		acts = append(acts, screen.Action{Keys: []string{"ctrl+x"}, Label: "drop the word", Help: "drop the word that keeps everything out", Group: group, Bar: 10, Typing: true, Run: s.dropWord})
	}
	return acts
}

// campaignActions are those on the campaign under the cursor.
func (s *Screen) campaignActions() []screen.Action {
	sum, ok := s.selected()
	none := ""
	if !ok {
		none = "No campaign is selected: press n to start one."
		if s.source.index().Len() > 0 {
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
	if s.facets.focused {
		enter = screen.Action{Keys: []string{"enter", " "}, Label: "choose", Help: "show only these, or all again", Group: groupList, Bar: 20, Run: s.choose}
	}
	return []screen.Action{
		enter,
		{Keys: []string{"s"}, Label: "status", Help: "publish, stop, pause, resume, archive, restore", Group: groupCampaign, Bar: 17, Why: none, Run: s.statusOf(sum)},
		{Keys: []string{"p"}, Label: "preview", Help: "see the message as its recipient does", Group: groupCampaign, Why: none, Run: func() tea.Cmd {
			return screen.Open(screen.Route{Name: screen.Builder, ID: sum.ID, Preview: true})
		}},
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
	if s.query().Has(query.Is, query.IsAll) {
		archive = "hide the archived campaigns"
	}
	acts := []screen.Action{
		{Keys: []string{"n"}, Label: "new", Help: "start a draft", Group: groupList, Bar: 19, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.NewDraft}) }},
		{Keys: []string{"/"}, Label: "search", Help: "search as you type, by words and by status: tag: updated: and more", Group: groupList, Bar: 18, Run: s.startSearch},
		{Keys: []string{"w"}, Label: "views", Help: "saved views: show, save, rename, delete", Group: groupList, Bar: 14, Run: func() tea.Cmd { return s.lay(newViewPicker(s)) }},
		{Keys: []string{"W"}, Label: "save view", Help: "save the present search, order and columns as a view", Group: groupList, Run: s.saveView},
		{Keys: []string{"f"}, Label: "state", Help: "show one state after the other", Group: groupList, Bar: 9, Run: func() tea.Cmd { return s.next(query.Status) }},
		{Keys: []string{"F"}, Label: "channel", Help: "show one channel after the other", Group: groupList, Bar: 8, Run: func() tea.Cmd { return s.next(query.Channel) }},
		{Keys: []string{"o"}, Label: "sort", Help: "sort by a column", Group: groupList, Bar: 12, Run: s.chooseSort},
		{Keys: []string{"i"}, Label: "turn round", Help: "sort the other way round", Group: groupList, Run: s.turnRound},
		{Keys: []string{"C"}, Label: "columns", Help: "which columns are shown, and in what order", Group: groupList, Run: func() tea.Cmd { return s.lay(newChooser(s)) }},
		{Keys: []string{"tab", "shift+tab"}, Label: "counts", Help: "between the table and the counts that narrow it", Group: groupList, Bar: 10, Run: s.switchFocus},
		{Keys: []string{"A"}, Label: "archive", Help: archive, Group: groupList, Run: func() tea.Cmd { return s.toggle(query.Is, query.IsAll) }},
		{Keys: []string{"a"}, Label: "activity", Help: "the calls that were made, and how they went", Group: groupList, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Activity}) }},
		{Keys: []string{"O"}, Label: "outbox", Help: "the messages that test sends delivered", Group: groupList, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Outbox}) }},
		{Keys: []string{"m"}, Label: "workspace", Help: "users, segments, carriers, content, keys: what campaigns are made with", Group: groupList, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Workspace}) }},
		{Keys: []string{"r"}, Label: "reload", Help: "load the list again", Group: groupList, Run: s.load},
	}
	if _, ok := s.culprit(); ok {
		acts = append(acts, screen.Action{Keys: []string{"backspace", "ctrl+x"}, Label: "drop the word", Help: "drop the word that keeps everything out", Group: groupList, Bar: 21, Run: s.dropWord})
	}
	label := ""
	switch {
	case s.facets.focused:
		label = "back"
	case s.picked.len() > 0 || s.picked.taking:
		label = "select none"
	case s.bar.text() != "":
		label = "show all"
	}
	if label != "" {
		acts = append(acts, screen.Action{Name: "clear", Keys: []string{"esc"}, Label: label, Help: "give up the counts, the selection, then the search", Group: groupList, Bar: 11, Run: s.clear})
	}
	return acts
}

// markActions are those that mark campaigns, and what is done to the marked ones.
func (s *Screen) markActions() []screen.Action {
	const group = "Several campaigns"
	none := ""
	if s.grid.Len() == 0 {
		none = "There is no campaign here to select."
	}
	bulk := s.bulkAction(group)
	if s.facets.focused {
		return bulk
	}
	label := "select range"
	if s.picked.taking {
		label = "end range"
	}
	return append([]screen.Action{
		{Keys: []string{" "}, Label: "select", Help: "select it, or no longer, and go on to the next", Group: group, Bar: 13, Why: none, Run: s.mark},
		{Name: "select range", Keys: []string{"V"}, Label: label, Help: "select from here to where the cursor goes; again to end it", Group: group, Why: none, Run: s.markRange},
		{Keys: []string{"shift+down"}, Label: "select down", Help: "select this one and the next", Group: group, Why: none, Run: s.markOn(s.grid.Down)},
		{Keys: []string{"shift+up"}, Label: "select up", Help: "select this one and the one above", Group: group, Why: none, Run: s.markOn(s.grid.Up)},
		{Keys: []string{"*", "ctrl+a"}, Label: "select all", Help: "select all that the search finds; again to select none", Group: group, Why: none, Run: s.markAll},
	}, bulk...)
}

// statusOf offers what can be done to one campaign; while some are marked, to them.
func (s *Screen) statusOf(sum engine.Summary) func() tea.Cmd {
	return func() tea.Cmd {
		if s.picked.len() > 0 {
			return s.offerBulk()
		}
		return status.Choose(s.deps, sum)
	}
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

func (s *Screen) switchFocus() tea.Cmd {
	s.facets.focused = !s.facets.focused
	s.layout()
	return nil
}

// chooseSort offers the columns to sort by.
func (s *Screen) chooseSort() tea.Cmd {
	now := s.sorted()
	options := []widget.Option{{Label: "The usual", Help: "the best match first while words are searched for, else the last change", Icon: sign(s.settings.Sort.Key == "" && !hasSort(s.query()))}}
	var by []column
	for _, c := range columns {
		if c.sort == "" {
			continue
		}
		by = append(by, c)
		o := widget.Option{Label: c.head.Title, Icon: sign(now.Key == c.sort)}
		if now.Key == c.sort {
			o.Help = "the other way round"
		}
		options = append(options, o)
	}
	return screen.Send(screen.ChooseMsg{Title: "Sort by", Options: options, Then: func(a widget.Answer) tea.Cmd {
		if a.Index == 0 {
			return s.setSort(order{})
		}
		return s.sortBy(by[a.Index-1])
	}})
}

func sign(on bool) string {
	if on {
		return "›"
	}
	return " "
}

// turnRound sorts the other way round.
func (s *Screen) turnRound() tea.Cmd {
	if c, ok := columnOf(s.sorted().Key); ok {
		return s.sortBy(c)
	}
	return screen.Notify(widget.LevelInfo, "The best match is first. Press o to sort by a column.")
}
