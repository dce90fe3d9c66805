package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/phrase"
	"bugle/engine/workspace/settings"
	"bugle/ui/filters"
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
	if s.rows.Filtering() {
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: groupMove, BarPriority: 9, WhileTyping: true, Run: s.focusRecords},
			{Keys: []string{"esc"}, Label: "show all", Help: "show all records", Group: groupMove, BarPriority: 8, WhileTyping: true, Run: s.clearFilter},
		}
	}
	acts := s.recordActions()
	if s.panes.Focused() == paneSections {
		for i := range acts { // the status bar has those that add a record
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
		acts = append(acts, screen.Action{Keys: []string{"X"}, Label: "cancel", Help: "end the import; what is stored stays", Group: groupWorkspace, BarPriority: 10, Run: func() tea.Cmd {
			s.Cancel(taskImport)
			return nil
		}})
	}
	if s.rows.FilterText() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "show all", Help: "show all records", Group: groupMove, BarPriority: 5, Run: s.clearFilter})
	} else {
		acts = append(acts, screen.Action{Keys: []string{"esc", "left", "h", "tab", "shift+tab"}, Label: "sections", Help: "back to the sections", Group: groupMove, BarPriority: 1, Run: s.focusSections})
	}
	return append(acts, filter, reload)
}

func (s *List) recordActions() []screen.Action {
	no, sec := s.unavailableReason(), s.section()
	copies := s.rows.On(screen.Action{Keys: []string{"y"}, Label: "copy", Help: "copy the record as JSON", Group: groupRecord, BarPriority: 2, DisabledReason: no}, nil, s.copy)
	trial := screen.Action{Name: "test", Keys: []string{"t"}, Label: "test", Help: "send a test message, call the API, or see who matches", Group: groupRecord, DisabledReason: no}
	if sec.Trial != "" {
		trial.Label, trial.BarPriority = sec.Trial, 6
	}
	trial = s.rows.On(trial, s.trialDisabledReason, s.try)
	switch {
	case sec.Single && sec.Trial == "":
		return []screen.Action{copies}
	case sec.Single:
		return []screen.Action{trial, copies}
	}
	acts := []screen.Action{
		{Keys: []string{"n"}, Label: "new", Help: "add a record", Group: groupRecord, BarPriority: 8, DisabledReason: no, Run: func() tea.Cmd { return s.openRecord("", sec.New()) }},
		trial,
		s.rows.On(screen.Action{Keys: []string{"x", "delete"}, Label: "delete", Help: "delete the record; shows what still uses it first", Group: groupRecord, BarPriority: 5, DisabledReason: no}, nil, s.findUses),
		s.rows.On(screen.Action{Keys: []string{"c"}, Label: "clone", Help: "copy the record into a new one", Group: groupRecord, BarPriority: 3, DisabledReason: no}, nil, func(row recordRow) tea.Cmd {
			return s.openRecord("", sec.Copy(row.record))
		}),
		copies,
	}
	if sec.SearchOnly {
		acts = append(acts, screen.Action{Keys: []string{"i"}, Label: "import", Help: "take users from a CSV or JSON lines file", Group: groupRecord, BarPriority: 7, DisabledReason: s.importDisabledReason(), Run: s.askImport})
	}
	return acts
}

func (s *List) focusRecords() tea.Cmd { return s.focus(paneRecords) }

func (s *List) focusSections() tea.Cmd { return s.focus(paneSections) }

func (s *List) focus(pane int) tea.Cmd {
	s.panes.Focus(pane)
	return s.rows.ApplyFilter()
}

func (s *List) focusFilter() tea.Cmd {
	s.panes.Focus(paneRecords)
	return s.rows.TypeFilter()
}

func (s *List) clearFilter() tea.Cmd {
	s.rows.ClearFilter()
	if s.section().SearchOnly {
		return s.find()
	}
	return nil
}

// open opens a record; a single record at the selected field.
func (s *List) open(row recordRow) tea.Cmd {
	if s.section().Single {
		return s.openRecord(s.section().Singular, doc.Value{}, row.field.Path...)
	}
	return s.openRecord(s.section().NameOf(row.record), doc.Value{})
}

// openRecord opens a record and remembers the existing names, so that a new record gets the cursor afterwards.
func (s *List) openRecord(name string, start doc.Value, at ...doc.Step) tea.Cmd {
	s.focusRecords()
	s.known = map[string]bool{}
	for _, v := range s.current().values {
		s.known[s.section().NameOf(v)] = true
	}
	return screen.Open(recordRoute(s.section(), name, start, at...))
}

func (s *List) copy(row recordRow) tea.Cmd {
	return screen.Copy(string(row.record.Indent()), "the "+s.section().Singular)
}

// findUses finds what still uses a record, and then asks whether to delete it.
func (s *List) findUses(row recordRow) tea.Cmd {
	sec, svc, name := s.section(), s.deps.Service, s.section().NameOf(row.record)
	find := func(ctx context.Context) ([]engine.ContentUse, error) { return sec.Uses(ctx, svc, name) }
	return screen.Go(&s.Base, taskDelete, find, screen.OrNotify(func(uses []engine.ContentUse) tea.Cmd { return s.askDelete(name, uses) }))
}

// maxUses is how many uses a question lists.
const maxUses = 8

// askDelete asks whether to delete a record.
func (s *List) askDelete(name string, uses []engine.ContentUse) tea.Cmd {
	sec, svc := s.section(), s.deps.Service
	body := "This cannot be undone."
	if len(uses) > 0 {
		body = fmt.Sprintf("It is still used in %s:\n%s\n\nThese will have a broken reference. This cannot be undone.", phrase.Count(len(uses), "place"), useLines(uses))
	}
	remove := func(ctx context.Context) (struct{}, error) {
		return struct{}{}, sec.Delete(ctx, svc, name, len(uses) > 0)
	}
	return screen.Ask(screen.Question{
		Title: "Delete " + recordName(sec, name) + "?", Body: body, Danger: true, Focus: 1,
		Buttons: []widget.Option{{Label: "Delete", Key: "y"}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return screen.Write(&s.Base, taskDelete, remove, func(_ struct{}, err error) tea.Cmd {
				var inUse *settings.InUse
				if errors.As(err, &inUse) { // it has been used meanwhile
					return s.askDelete(name, inUse.Uses)
				}
				return screen.OrNotify(func(struct{}) tea.Cmd {
					return tea.Batch(screen.Notify(widget.LevelSuccess, "Deleted "+recordName(sec, name)+"."), s.load(), screen.Changed(""))
				})(struct{}{}, err)
			})
		},
	})
}

// useLines lists the uses, one per line.
func useLines(uses []engine.ContentUse) string {
	var out []string
	for i, u := range uses {
		if i == maxUses {
			out = append(out, fmt.Sprintf("… and %d more", len(uses)-i))
			break
		}
		out = append(out, "· "+widget.Clean(settings.DescribeUse(u)))
	}
	return strings.Join(out, "\n")
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

// try runs a trial of a record after asking for its inputs.
func (s *List) try(row recordRow) tea.Cmd {
	sec := s.section()
	name := sec.NameOf(row.record)
	if sec.ID == "segments" {
		return screen.Open(filters.AudienceRoute(name, audience.SegmentFilters(name)))
	}
	return s.askInput(sec, name, sec.TrialInputs(row.record), nil)
}

// askInput asks for the remaining inputs one after the other, and then runs the trial.
func (s *List) askInput(sec *settings.Section, name string, left []settings.Input, inputs []string) tea.Cmd {
	if len(left) == 0 {
		return s.runTrial(sec, name, inputs)
	}
	in := left[0]
	ask := screen.InputMsg{Title: name + ": " + in.Name, Placeholder: in.Example, Then: func(text string) tea.Cmd {
		return s.askInput(sec, name, left[1:], append(inputs[:len(inputs):len(inputs)], text))
	}}
	if in.Optional {
		ask.Title = "Send a test message through " + name
		ask.Placeholder += "; leave empty to only check the settings"
	} else if ask.Placeholder == "" {
		ask.Placeholder = in.Help
	}
	if sec.ID == "connectors" {
		ask.Value = s.deps.Author
	}
	return screen.Send(ask)
}

func (s *List) runTrial(sec *settings.Section, name string, inputs []string) tea.Cmd {
	svc, from := s.deps.Service, s.deps.Author
	return screen.Stream(&s.Base, taskTry, func(ctx context.Context, emit func(string)) (settings.TrialResult, error) {
		return sec.Try(delivery.WithProgress(ctx, emit), svc, name, from, inputs)
	}, func(sentence string) tea.Cmd {
		return screen.Notify(widget.LevelInfo, sentence)
	}, screen.OrNotify(func(out settings.TrialResult) tea.Cmd {
		return report(name, out.Text, out.Detail, out.Failed)
	}))
}

// report shows the result of a trial or an import in a text that can be copied.
func report(title, text, detail string, failed bool) tea.Cmd {
	mark := "✓ "
	if failed {
		mark = "✗ "
	}
	if detail != "" {
		text += "\n\n" + detail
	}
	return screen.Ask(screen.Question{
		Title: title, Body: mark + text, Danger: failed, Buttons: []widget.Option{{Label: "Close"}, {Label: "Copy", Key: "y"}},
		Then: func(a widget.Answer) tea.Cmd {
			if a.Index == 1 {
				return screen.Copy(mark+text, "the report")
			}
			return nil
		},
	})
}
