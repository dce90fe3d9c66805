package workspace

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/workspace/settings"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// The headings of the screens' keys in the help.
const (
	groupMove      = "Move"
	groupRecord    = "Record"
	groupWorkspace = "Workspace"
)

// Typing says that a filter is being typed.
func (s *List) Typing() bool { return s.focus == paneFilter }

// Actions are what can be done, by where the keyboard is.
func (s *List) Actions() []screen.Action {
	switch s.focus {
	case paneFilter:
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: groupMove, BarPriority: 9, WhileTyping: true, Run: s.keepFilter},
			{Keys: []string{"esc"}, Label: "show all", Help: "show all records", Group: groupMove, BarPriority: 8, WhileTyping: true, Run: s.dropFilter},
		}
	case paneReport:
		return []screen.Action{
			{Keys: []string{"esc", "enter", "q"}, Label: "close", Help: "close the report", Group: groupMove, BarPriority: 9, Run: s.closeReport},
			{Keys: []string{"t"}, Label: "test again", Help: "run the test again", Group: groupRecord, BarPriority: 7, DisabledReason: s.whyNoTrial(), Run: s.try},
			{Keys: []string{"y"}, Label: "copy", Help: "copy the report", Group: groupRecord, BarPriority: 6, Run: func() tea.Cmd { return screen.Copy(s.report.text(), "the report") }},
		}
	}
	acts := s.onRecord()
	if s.focus == paneSections {
		for i := range acts { // they work on a record that is not looked at
			if acts[i].Label != "new" && acts[i].Label != "import" {
				acts[i].BarPriority = 0
			}
		}
	}
	return append(s.moves(), acts...)
}

func (s *List) moves() []screen.Action {
	filter := screen.Action{Keys: []string{"/"}, Label: "filter", Help: "filter records by text; users by ID and attributes", Group: groupMove, BarPriority: 4, DisabledReason: s.lacks(), Run: s.toFilter}
	reload := screen.Action{Keys: []string{"r"}, Label: "reload", Help: "reload everything", Group: groupWorkspace, Run: s.load}
	if s.focus == paneSections {
		return []screen.Action{
			{Keys: []string{"enter", "right", "l", "tab"}, Label: "records", Help: "go to the records of the section", Group: groupMove, BarPriority: 9, DisabledReason: s.lacks(), Run: s.toRecords},
			filter, reload,
		}
	}
	acts := []screen.Action{
		{Keys: []string{"enter"}, Label: "edit", Help: "edit the record", Group: groupRecord, BarPriority: 9, DisabledReason: s.none(), Run: s.open},
	}
	if s.Running(taskImport) {
		acts = append(acts, screen.Action{Keys: []string{"X"}, Label: "cancel", Help: "end the import; what is stored stays", Group: groupWorkspace, BarPriority: 10, Run: s.imports.cancel})
	}
	if s.filter.Value() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "show all", Help: "show all records", Group: groupMove, BarPriority: 5, Run: s.dropFilter})
	} else {
		acts = append(acts, screen.Action{Keys: []string{"esc", "left", "h", "tab", "shift+tab"}, Label: "sections", Help: "back to the sections", Group: groupMove, BarPriority: 1, Run: s.toSections})
	}
	return append(acts, filter, reload)
}

func (s *List) onRecord() []screen.Action {
	none := s.none()
	sec := s.section()
	trial, rank := "try", 0
	if sec.Trial != "" {
		trial, rank = sec.Trial, 6
	}
	var acts []screen.Action
	if !sec.Single {
		acts = append(acts, screen.Action{Keys: []string{"n"}, Label: "new", Help: "add a record", Group: groupRecord, BarPriority: 8, DisabledReason: s.lacks(), Run: s.fresher})
	}
	if !sec.Single || sec.Trial != "" {
		acts = append(acts, screen.Action{Name: "try", Keys: []string{"t"}, Label: trial, Help: "send a test message, call the API, or see who matches", Group: groupRecord, BarPriority: rank, DisabledReason: s.whyNoTrial(), Run: s.try})
	}
	if !sec.Single {
		acts = append(acts, []screen.Action{
			{Keys: []string{"d", "x", "delete"}, Label: "delete", Help: "delete the record; shows what still uses it first", Group: groupRecord, BarPriority: 5, DisabledReason: none, Run: func() tea.Cmd { return s.removes.find(s.selectedName(), false) }},
			{Name: "duplicate", Keys: []string{"c"}, Label: "clone", Help: "copy the record into a new one", Group: groupRecord, BarPriority: 3, DisabledReason: none, Run: s.duplicate},
			{Keys: []string{"u"}, Label: "used in", Help: "show what uses the record", Group: groupRecord, DisabledReason: none, Run: func() tea.Cmd { return s.removes.find(s.selectedName(), true) }},
		}...)
	}
	acts = append(acts, []screen.Action{
		{Keys: []string{"y"}, Label: "copy", Help: "copy the record as JSON", Group: groupRecord, BarPriority: 2, DisabledReason: none, Run: s.copy},
		{Keys: []string{"w"}, Label: "who matches", Help: "see who is in a campaign's audience, and why", Group: groupWorkspace, DisabledReason: s.audiences.whyNot(), Run: s.audiences.ask},
	}...)
	if sec.SearchOnly {
		acts = append(acts, screen.Action{Keys: []string{"i"}, Label: "import", Help: "take users from a CSV or JSON lines file", Group: groupRecord, BarPriority: 7, DisabledReason: s.imports.whyNot(), Run: s.imports.ask})
	}
	return acts
}

// none says why there is no record to do something with.
func (r *records) none() string {
	if why := r.lacks(); why != "" {
		return why
	}
	if _, ok := r.selected(); !ok {
		return "No record is selected."
	}
	return ""
}

func (s *List) whyNoTrial() string {
	switch {
	case s.none() != "":
		return s.none()
	case s.section().Trial == "":
		return s.section().Title + " cannot be tested."
	case s.Running(taskTry):
		return "A test is already running."
	}
	return ""
}

// try tries the record under the cursor.
func (s *List) try() tea.Cmd {
	v, ok := s.selected()
	if !ok {
		return nil
	}
	return s.trials.try(s.section(), v)
}

func (s *List) toRecords() tea.Cmd {
	s.focus = paneRecords
	s.show()
	return nil
}

func (s *List) toSections() tea.Cmd {
	s.focus = paneSections
	s.show()
	return nil
}

func (s *List) toFilter() tea.Cmd {
	s.focus = paneFilter
	s.filter.Focus()
	s.show()
	return nil
}

func (s *List) keepFilter() tea.Cmd {
	s.filter.Blur()
	return s.toRecords()
}

func (s *List) dropFilter() tea.Cmd {
	s.filter.SetValue("")
	var cmd tea.Cmd
	if s.section().SearchOnly {
		cmd = s.find()
	}
	s.narrow()
	return tea.Batch(s.keepFilter(), cmd)
}

func (s *List) closeReport() tea.Cmd {
	s.report.close()
	return s.toRecords()
}

// leaveFor opens a record, and remembers the names that there are: what is new when it is left gets the
// cursor.
func (s *List) leaveFor(r screen.Route) tea.Cmd {
	s.focus = paneRecords
	s.show()
	s.known = map[string]bool{}
	for _, v := range s.current() {
		s.known[s.section().NameOf(v)] = true
	}
	return screen.Open(r)
}

// open opens the record under the cursor; a single one at the field under it.
func (s *List) open() tea.Cmd {
	sec := s.section()
	if !sec.Single {
		return s.leaveFor(recordRoute(sec, s.selectedName(), doc.Value{}))
	}
	fields := s.fields()
	if s.table.Cursor >= len(fields) {
		return s.leaveFor(recordRoute(sec, sec.Singular, doc.Value{}))
	}
	return s.leaveFor(recordRoute(sec, sec.Singular, doc.Value{}, fields[s.table.Cursor].Path...))
}

func (s *List) fresher() tea.Cmd {
	return s.leaveFor(recordRoute(s.section(), "", s.section().New()))
}

func (s *List) duplicate() tea.Cmd {
	v, ok := s.selected()
	if !ok {
		return nil
	}
	return s.leaveFor(recordRoute(s.section(), "", s.section().Copy(v)))
}

func (s *List) copy() tea.Cmd {
	v, ok := s.selected()
	if !ok {
		return nil
	}
	return screen.Copy(string(v.Indent()), "the "+s.section().Singular)
}

// notice tells of an error.
func notice(err error) tea.Cmd {
	return screen.Notify(widget.LevelError, sentence(err.Error()))
}

// named puts a record into words: the team Growth.
func named(sec *settings.Section, name string) string {
	if sec.Single {
		return "the " + sec.Singular
	}
	return "the " + sec.Singular + " " + name
}
