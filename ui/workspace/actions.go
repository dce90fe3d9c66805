package workspace

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/workspace/settings"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Help headings.
const (
	groupMove      = "Move"
	groupRecord    = "Record"
	groupWorkspace = "Workspace"
)

// Typing reports whether the filter has the keyboard.
func (s *List) Typing() bool { return s.rows.Filtering() }

// Actions returns what the user can do in the focused pane.
func (s *List) Actions() []screen.Action {
	switch {
	case s.rows.Filtering():
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: groupMove, BarPriority: 9, WhileTyping: true, Run: s.focusRecords},
			{Keys: []string{"esc"}, Label: "show all", Help: "show all records", Group: groupMove, BarPriority: 8, WhileTyping: true, Run: s.clearFilter},
		}
	case s.reading():
		return []screen.Action{
			{Keys: []string{"esc", "enter", "q"}, Label: "close", Help: "close the report", Group: groupMove, BarPriority: 9, Run: s.closeReport},
			s.rows.On(screen.Action{Keys: []string{"t"}, Label: "test again", Help: "run the test again", Group: groupRecord, BarPriority: 7}, s.trialDisabledReason, s.try),
			{Keys: []string{"y"}, Label: "copy", Help: "copy the report", Group: groupRecord, BarPriority: 6, Run: func() tea.Cmd { return screen.Copy(s.report.text(), "the report") }},
		}
	}
	acts := s.recordActions()
	if s.panes.Focused() == paneSections {
		for i := range acts { // they need a record, which is hidden by the report
			if acts[i].Label != "new" && acts[i].Label != "import" {
				acts[i].BarPriority = 0
			}
		}
	}
	return append(s.moveActions(), acts...)
}

func (s *List) moveActions() []screen.Action {
	filter := screen.Action{Keys: []string{"/"}, Label: "filter", Help: "filter records by text; users by ID and attributes", Group: groupMove, BarPriority: 4, DisabledReason: s.unavailableReason(), Run: s.focusFilter}
	reload := screen.Action{Keys: []string{"r"}, Label: "reload", Help: "reload everything", Group: groupWorkspace, Run: s.load}
	if s.panes.Focused() == paneSections {
		return []screen.Action{
			{Keys: []string{"enter", "right", "l", "tab"}, Label: "records", Help: "go to the records of the section", Group: groupMove, BarPriority: 9, DisabledReason: s.unavailableReason(), Run: s.focusRecords},
			filter, reload,
		}
	}
	acts := []screen.Action{
		s.rows.On(screen.Action{Keys: []string{"enter"}, Label: "edit", Help: "edit the record", Group: groupRecord, BarPriority: 9, DisabledReason: s.unavailableReason()}, nil, s.open),
	}
	if s.Running(taskImport) {
		acts = append(acts, screen.Action{Keys: []string{"X"}, Label: "cancel", Help: "end the import; what is stored stays", Group: groupWorkspace, BarPriority: 10, Run: s.imports.cancel})
	}
	if s.rows.FilterText() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "show all", Help: "show all records", Group: groupMove, BarPriority: 5, Run: s.clearFilter})
	} else {
		acts = append(acts, screen.Action{Keys: []string{"esc", "left", "h", "tab", "shift+tab"}, Label: "sections", Help: "back to the sections", Group: groupMove, BarPriority: 1, Run: s.focusSections})
	}
	return append(acts, filter, reload)
}

func (s *List) recordActions() []screen.Action {
	no := s.unavailableReason()
	sec := s.section()
	trial, rank := "try", 0
	if sec.Trial != "" {
		trial, rank = sec.Trial, 6
	}
	var acts []screen.Action
	if !sec.Single {
		acts = append(acts, screen.Action{Keys: []string{"n"}, Label: "new", Help: "add a record", Group: groupRecord, BarPriority: 8, DisabledReason: s.unavailableReason(), Run: s.refresh})
	}
	if !sec.Single || sec.Trial != "" {
		acts = append(acts, s.rows.On(screen.Action{Name: "try", Keys: []string{"t"}, Label: trial, Help: "send a test message, call the API, or see who matches", Group: groupRecord, BarPriority: rank, DisabledReason: no}, s.trialDisabledReason, s.try))
	}
	if !sec.Single {
		acts = append(acts, []screen.Action{
			s.rows.On(screen.Action{Keys: []string{"d", "x", "delete"}, Label: "delete", Help: "delete the record; shows what still uses it first", Group: groupRecord, BarPriority: 5, DisabledReason: no}, nil, s.remove),
			s.rows.On(screen.Action{Name: "duplicate", Keys: []string{"c"}, Label: "clone", Help: "copy the record into a new one", Group: groupRecord, BarPriority: 3, DisabledReason: no}, nil, s.duplicate),
			s.rows.On(screen.Action{Keys: []string{"u"}, Label: "used in", Help: "show what uses the record", Group: groupRecord, DisabledReason: no}, nil, s.showUses),
		}...)
	}
	acts = append(acts, []screen.Action{
		s.rows.On(screen.Action{Keys: []string{"y"}, Label: "copy", Help: "copy the record as JSON", Group: groupRecord, BarPriority: 2, DisabledReason: no}, nil, s.copy),
		{Keys: []string{"w"}, Label: "who matches", Help: "see who is in a campaign's audience, and why", Group: groupWorkspace, DisabledReason: s.audiences.disabledReason(), Run: s.audiences.ask},
	}...)
	if sec.SearchOnly {
		acts = append(acts, screen.Action{Keys: []string{"i"}, Label: "import", Help: "take users from a CSV or JSON lines file", Group: groupRecord, BarPriority: 7, DisabledReason: s.imports.disabledReason(), Run: s.imports.ask})
	}
	return acts
}

func (s *List) trialDisabledReason(recordRow) string {
	switch {
	case s.section().Trial == "":
		return s.section().Title + " cannot be tested."
	case s.Running(taskTry):
		return "A test is already running."
	}
	return ""
}

// try runs a trial of a record.
func (s *List) try(row recordRow) tea.Cmd { return s.trials.try(s.section(), row.record) }

func (s *List) remove(row recordRow) tea.Cmd {
	return s.removes.find(s.section().NameOf(row.record), false)
}

func (s *List) showUses(row recordRow) tea.Cmd {
	return s.removes.find(s.section().NameOf(row.record), true)
}

func (s *List) focusRecords() tea.Cmd { return s.focusPane(paneRecords) }

func (s *List) focusSections() tea.Cmd { return s.focusPane(paneSections) }

func (s *List) focusPane(pane int) tea.Cmd {
	s.rows.ApplyFilter()
	s.panes.Focus(pane)
	s.show()
	return nil
}

func (s *List) focusFilter() tea.Cmd {
	s.panes.Focus(paneRecords)
	s.rows.TypeFilter()
	s.show()
	return nil
}

func (s *List) clearFilter() tea.Cmd {
	s.rows.ClearFilter()
	var cmd tea.Cmd
	if s.section().SearchOnly {
		cmd = s.find()
	}
	s.filterRecords()
	return tea.Batch(s.focusRecords(), cmd)
}

func (s *List) closeReport() tea.Cmd {
	s.report.close()
	return s.focusRecords()
}

// openRecord opens a record and remembers the existing names, so that a new record gets the cursor afterwards.
func (s *List) openRecord(r screen.Route) tea.Cmd {
	s.focusRecords()
	s.knownNames = map[string]bool{}
	for _, v := range s.current() {
		s.knownNames[s.section().NameOf(v)] = true
	}
	return screen.Open(r)
}

// open opens a record; a single record at the selected field.
func (s *List) open(row recordRow) tea.Cmd {
	sec := s.section()
	if !sec.Single {
		return s.openRecord(recordRoute(sec, sec.NameOf(row.record), doc.Value{}))
	}
	return s.openRecord(recordRoute(sec, sec.Singular, doc.Value{}, row.field.Path...))
}

func (s *List) refresh() tea.Cmd {
	return s.openRecord(recordRoute(s.section(), "", s.section().New()))
}

func (s *List) duplicate(row recordRow) tea.Cmd {
	return s.openRecord(recordRoute(s.section(), "", s.section().Copy(row.record)))
}

func (s *List) copy(row recordRow) tea.Cmd {
	return screen.Copy(string(row.record.Indent()), "the "+s.section().Singular)
}

// errorNotice shows an error.
func errorNotice(err error) tea.Cmd {
	return screen.Notify(widget.LevelError, phrase.Sentence(err.Error()))
}

// recordName describes a record: the team Growth.
func recordName(sec *settings.Section, name string) string {
	switch {
	case sec.Single:
		return "the " + sec.Singular
	case name == "":
		return "the new " + sec.Singular
	}
	return "the " + sec.Singular + " " + name
}
