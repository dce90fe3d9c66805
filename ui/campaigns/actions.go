package campaigns

import (
	"cmp"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/query"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// Help headings.
const (
	groupList     = "Campaigns"
	groupCampaign = "Selected campaign"
)

// Actions returns what the user can do now.
func (s *Screen) Actions() []screen.Action {
	if s.bar.prompt.Focused() {
		return s.searchActions()
	}
	return slices.Concat(s.campaignActions(), s.listActions(), s.markActions(), s.viewActions())
}

// searchActions are the actions while a search is typed.
func (s *Screen) searchActions() []screen.Action {
	const group = "Search"
	info := func(key, label, help string, bar int) screen.Action {
		return screen.Action{Keys: []string{key}, Label: label, Help: help, Group: group, BarPriority: bar, WhileTyping: true, HelpOnly: true}
	}
	enter, help := "done", "keep the search and go to the list"
	if _, ok := s.bar.acceptIndex(); ok {
		enter, help = "use", "use the highlighted suggestion"
	}
	acts := []screen.Action{
		{Name: "done", Keys: []string{"enter"}, Label: enter, Help: help, Group: group, BarPriority: 9, WhileTyping: true, Run: s.endSearch},
		{Keys: []string{"esc"}, Label: "clear", Help: "clear the search", Group: group, BarPriority: 8, WhileTyping: true, Run: s.clear},
	}
	if len(s.bar.completions) > 0 {
		acts = append(acts, info("tab", "complete", "use the first or the highlighted suggestion; so does → at the end of the line", 7), info("down", "choose", "choose a suggestion", 6))
	}
	return acts
}

// campaignActions are the actions on the campaign under the cursor.
func (s *Screen) campaignActions() []screen.Action {
	sum, _ := s.selected()
	none := s.noneReason()
	route := func(name string) func() tea.Cmd {
		return func() tea.Cmd { return screen.Open(screen.Route{Name: name, ID: sum.ID}) }
	}
	enter := screen.Action{Keys: []string{"enter"}, Label: "open", Help: "edit the campaign in the builder", Group: groupCampaign, BarPriority: 20, DisabledReason: none, Run: route(screen.Builder)}
	if s.panes.Focused() == paneFacets {
		enter = screen.Action{Keys: []string{"enter", " "}, Label: "choose", Help: "turn the filter on or off", Group: groupList, BarPriority: 20, Run: s.choose}
	}
	return []screen.Action{
		enter,
		{Keys: []string{"s"}, Label: "status", Help: "publish, pause, resume, stop, archive, restore", Group: groupCampaign, BarPriority: 17, DisabledReason: none, Run: s.statusOf(sum)},
		{Keys: []string{"p"}, Label: "preview", Help: "see the message as recipients see it", Group: groupCampaign, DisabledReason: none, Run: func() tea.Cmd {
			return screen.Open(screen.Route{Name: screen.Builder, ID: sum.ID, Preview: true})
		}},
		{Keys: []string{"v"}, Label: "validate", Help: "check what is missing or wrong", Group: groupCampaign, BarPriority: 16, DisabledReason: cmp.Or(none, readOnlyReason(sum)), Run: route(screen.Validate)},
		{Keys: []string{"t"}, Label: "test", Help: "send a test to a few people", Group: groupCampaign, BarPriority: 15, DisabledReason: cmp.Or(none, testDisabledReason(sum)), Run: route(screen.TestSend)},
		{Keys: []string{"c"}, Label: "clone", Help: "start a draft as a copy of this campaign", Group: groupCampaign, BarPriority: 11, DisabledReason: cmp.Or(none, cloneDisabledReason(s.deps.Service, sum)),
			Run: func() tea.Cmd { return s.clone(sum) }},
		{Keys: []string{"x"}, Label: "delete", Help: "delete a draft; this cannot be undone", Group: groupCampaign, DisabledReason: cmp.Or(none, status.DisabledReason(s.deps, sum, catalog.Delete)),
			Run: func() tea.Cmd { return status.Ask(s.deps, sum, catalog.Delete) }},
		{Keys: []string{"y"}, Label: "copy ID", Help: "copy the campaign's ID", Group: groupCampaign, DisabledReason: none,
			Run: func() tea.Cmd { return screen.Copy(sum.ID, "the ID of "+status.Name(sum)) }},
	}
}

// noneReason returns why no campaign is under the cursor, and what to do; empty if one is.
func (s *Screen) noneReason() string {
	_, ok := s.selected()
	switch {
	case s.grid.missing != "":
		return s.grid.missing
	case ok:
		return ""
	case s.ix.Len() > 0:
		return "No campaign selected. Press esc to see all campaigns."
	}
	return "No campaign selected. Press n to start one."
}

// listActions are the actions on the whole list.
func (s *Screen) listActions() []screen.Action {
	paneBar := 10
	if s.panes.Focused() != paneTable {
		paneBar = 19
	}
	archived, archive := "show archived", "show archived campaigns too"
	if s.query().Has(query.Is, query.IsAll) {
		archived, archive = "hide archived", "hide archived campaigns"
	}
	acts := []screen.Action{
		s.panes.ZoomAction("z", groupList, s.layoutPanes),
		{Keys: []string{"n"}, Label: "new", Help: "start a draft", Group: groupList, BarPriority: 19, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.NewDraft}) }},
		{Keys: []string{"/"}, Label: "search", Help: "search as you type, by words or by status:, tag:, updated: and more", Group: groupList, BarPriority: 18, Run: s.startSearch},
		{Keys: []string{"w"}, Label: "views", Help: "show, save or delete views", Group: groupList, BarPriority: 14, Run: s.chooseView},
		{Label: "save view", Help: "save this search, sorting and columns as a view", Group: groupList, Run: s.saveView},
		{Name: "state", Keys: []string{"F"}, Label: "next state", Help: "show only the next state", Group: groupList, BarPriority: 9, Run: s.nextState},
		{Keys: []string{"B"}, Label: "sort", Help: "sort by a column; by the same one again to reverse", Group: groupList, BarPriority: 12, Run: s.chooseSort},
		{Keys: []string{"C"}, Label: "columns", Help: "choose and arrange columns", Group: groupList, Run: s.askColumns},
		{Name: "filters", Keys: []string{"tab"}, Label: s.panes.Name(s.after(1)), Help: "next pane: list, filters or details", Group: groupList, BarPriority: paneBar, Run: func() tea.Cmd { return s.focusPane(s.after(1)) }},
		{Name: "previous pane", Keys: []string{"shift+tab"}, Label: s.panes.Name(s.after(-1)), Help: "previous pane", Group: groupList, Run: func() tea.Cmd { return s.focusPane(s.after(-1)) }},
		{Name: "archive", Label: archived, Help: archive, Group: groupList, Run: func() tea.Cmd { return s.toggle(query.Is, query.IsAll) }},
		{Name: "activity", Label: "activity log", Help: "see calls to the service", Group: groupList, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Activity}) }},
		{Keys: []string{"O"}, Label: "outbox", Help: "read the messages of test sends", Group: groupList, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Outbox}) }},
		{Keys: []string{"M"}, Label: "workspace", Help: "edit users, segments, connectors, content and API keys", Group: groupList, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Workspace}) }},
		{Keys: []string{"r"}, Label: "reload", Help: "reload the list", Group: groupList, Run: s.load},
	}
	label, clearBar := "", paneBar+1
	switch {
	case s.panes.Focused() != paneTable:
		label = "back"
	case s.hidden():
		label, clearBar = "show it", 23
	case len(s.selection) > 0:
		label = "clear selection"
	case s.bar.text() != "":
		label = "show all"
	}
	if label != "" {
		acts = append(acts, screen.Action{Name: "clear", Keys: []string{"esc"}, Label: label, Help: "go back to the list, show a hidden campaign, then clear the selection, then the search", Group: groupList, BarPriority: clearBar, Run: s.clear})
	}
	return acts
}

// markActions are the actions that mark campaigns, and the bulk actions.
func (s *Screen) markActions() []screen.Action {
	const group = "Several campaigns"
	none, empty := s.noneReason(), ""
	bulk := screen.Action{Keys: []string{"b"}, Label: "change selected", Help: "tag, pause, resume, stop or archive selected campaigns", Group: group, DisabledReason: none, Run: s.offerBulk}
	switch {
	case s.running != nil:
		bulk = screen.Action{Keys: []string{"X"}, Label: "cancel", Help: "cancel; campaigns that are not done stay selected", Group: group, BarPriority: 22, Run: s.cancelBulk}
	case len(s.selection) > 0:
		bulk.BarPriority, bulk.DisabledReason = 21, ""
	}
	if s.panes.Focused() != paneTable {
		return []screen.Action{bulk}
	}
	if s.grid.Len() == 0 {
		empty = "There are no campaigns to select."
	}
	return []screen.Action{
		{Keys: []string{" "}, Label: "select", Help: "select or deselect, and go to the next", Group: group, BarPriority: 13, DisabledReason: none, Run: s.mark},
		{Keys: []string{"*"}, Label: "select all", Help: "select all campaigns found; again to select none", Group: group, DisabledReason: empty, Run: s.markAll},
		bulk,
	}
}

// statusOf shows the actions for one campaign or, if some are marked, the bulk actions.
func (s *Screen) statusOf(sum engine.Summary) func() tea.Cmd {
	return func() tea.Cmd {
		if len(s.selection) > 0 {
			return s.offerBulk()
		}
		return status.Choose(s.deps, sum)
	}
}

// readOnlyReason returns why a campaign can only be read here; empty if it can be changed.
func readOnlyReason(sum engine.Summary) string {
	if sum.Channel.Writable() {
		return ""
	}
	return sum.Channel.Label() + " campaigns are read-only here."
}

func testDisabledReason(sum engine.Summary) string {
	if why := readOnlyReason(sum); why != "" || sum.Status == catalog.Draft {
		return why
	}
	return "You can only test drafts. Press c to clone this campaign and test the copy."
}

func cloneDisabledReason(service engine.Service, sum engine.Summary) string {
	if _, ok := service.(engine.CampaignManager); !ok && sum.Channel.Writable() {
		return "This service can't clone campaigns."
	}
	return readOnlyReason(sum)
}

// chooseSort asks for the column to sort by.
func (s *Screen) chooseSort() tea.Cmd {
	now := s.sorted()
	usual := s.settings.Sort.Key == "" && !hasSort(s.query())
	options := []widget.Option{{Label: "Default", Help: "best match first for a search, otherwise last updated first", Icon: sortIcon(usual)}}
	var by []column
	for _, c := range columns {
		if c.sort == "" {
			continue
		}
		by = append(by, c)
		o := widget.Option{Label: c.head.Title, Icon: sortIcon(now.Key == c.sort && !usual)}
		if now.Key == c.sort {
			o.Help = "reverse"
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

func sortIcon(on bool) string {
	if on {
		return "✓"
	}
	return " "
}
