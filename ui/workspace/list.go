package workspace

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/workspace/settings"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// List is the screen with all sections, and the records of the selected one.
type List struct {
	screen.Base
	deps screen.Deps

	records  map[string]records // by section
	known    map[string]bool    // names in the section before a record was opened; nil at any other time
	sections *list.List[sectionRow]
	rows     *list.List[recordRow]
	panes    panes.Panes
	progress importProgress
}

// records are the records of a section, as far as they have been read.
type records struct {
	values []doc.Value
	more   bool // there are more than were read
	err    error
}

// sectionRow is a section in the list, or the heading of a group.
type sectionRow struct {
	*settings.Section
	group string
}

// The panes of the list.
const (
	paneSections = iota
	paneRecords
)

// Kinds of tasks.
const (
	taskLoad   = "load"
	taskFind   = "find"
	taskDelete = "delete"
	taskTry    = "try"
	taskImport = "import"
	taskSave   = "save"
)

const (
	sectionsWidth = 26
	// bothMinWidth is the width from which both panes are shown.
	bothMinWidth = 76
	// maxSearched is how many records are shown at once of a section that may have millions.
	maxSearched = 200
)

func newList(deps screen.Deps, section string) *List {
	s := &List{Base: screen.NewBase(), deps: deps}
	s.panes = panes.New(deps.Theme, panes.Pane{Name: "sections", From: bothMinWidth, Min: sectionsWidth, Max: sectionsWidth}, panes.Pane{Name: "records"})
	s.panes.Focus(paneSections)
	s.sections = list.Items(deps.Theme, "section", s.sectionItem)
	s.rows = list.Table(deps.Theme, "record", s.cells)
	s.rows.Same = s.sameRecord
	s.rows.Filter("text in a record", s.has)
	s.fill()
	s.sections.Select(func(row sectionRow) bool { return row.Section != nil && (section == "" || row.ID == section) })
	s.sectionChanged()
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *List) Title() string { return "Workspace" }

// Badge shows running work.
func (s *List) Badge() (string, themes.Tone) {
	switch {
	case s.Running(taskImport):
		return s.progress.String(), themes.ToneAccent
	case s.Running(taskTry):
		return "trying…", themes.ToneAccent
	case s.Running(taskLoad), s.Running(taskFind):
		return "loading…", themes.ToneMuted
	}
	return "", themes.ToneMuted
}

// Init reads all sections.
func (s *List) Init() tea.Cmd { return s.load() }

// Resume reads them again, because a record may have been saved.
func (s *List) Resume() tea.Cmd { return s.load() }

func (s *List) load() tea.Cmd {
	svc, section, words := s.deps.Service, s.section(), s.rows.FilterText()
	return screen.Go(&s.Base, taskLoad, func(ctx context.Context) (map[string]records, error) {
		out := map[string]records{}
		for _, sec := range settings.Sections() {
			if sec.Unavailable(svc) != "" {
				continue
			}
			searched := ""
			if sec == section {
				searched = words
			}
			out[sec.ID] = read(ctx, svc, sec, searched)
		}
		return out, ctx.Err()
	}, s.showLoaded)
}

// find searches for the filter's words in a section that is not read completely.
func (s *List) find() tea.Cmd {
	sec, svc, words := s.section(), s.deps.Service, s.rows.FilterText()
	work := screen.Settled(&s.Base, taskFind, func(ctx context.Context) (map[string]records, error) {
		return map[string]records{sec.ID: read(ctx, svc, sec, words)}, ctx.Err()
	})
	return screen.Go(&s.Base, taskFind, work, s.showLoaded)
}

// read reads the records of a section; if it may have millions, those that match the words.
func read(ctx context.Context, svc any, sec *settings.Section, words string) (out records) {
	if !sec.SearchOnly {
		out.values, out.err = sec.List(ctx, svc, "", 0)
		return out
	}
	out.values, out.err = sec.List(ctx, svc, words, maxSearched+1)
	if out.more = len(out.values) > maxSearched; out.more {
		out.values = out.values[:maxSearched]
	}
	return out
}

// showLoaded shows the records that were read; the cursor stays on its record, or moves to a new one.
func (s *List) showLoaded(got map[string]records, err error) tea.Cmd {
	if screen.Canceled(err) {
		return nil
	}
	for id, r := range got {
		if r.err != nil {
			r.values = s.records[id].values
		}
		if s.records == nil {
			s.records = map[string]records{}
		}
		s.records[id] = r
	}
	s.fill()
	s.showRecords()
	if s.known != nil {
		s.rows.Select(func(row recordRow) bool { return !s.known[s.section().NameOf(row.record)] })
		s.known = nil
	}
	return nil
}

// section returns the selected section.
func (s *List) section() *settings.Section {
	if row, ok := s.sections.Selected(); ok {
		return row.Section
	}
	return settings.Sections()[0]
}

// current returns the records of the selected section.
func (s *List) current() records { return s.records[s.section().ID] }

// unavailableReason returns why the selected section is not available.
func (s *List) unavailableReason() string { return s.section().Unavailable(s.deps.Service) }

// fill lists the sections with their counts.
func (s *List) fill() {
	var rows []sectionRow
	group := ""
	for _, sec := range settings.Sections() {
		if sec.Group != group {
			group = sec.Group
			rows = append(rows, sectionRow{group: group})
		}
		rows = append(rows, sectionRow{Section: sec})
	}
	s.sections.Set(rows)
}

func (s *List) sectionItem(row sectionRow) widget.Item {
	if row.Section == nil {
		return widget.Item{Text: row.group, Heading: true}
	}
	item := widget.Item{Text: row.Title, InfoTone: themes.ToneMuted, Dim: row.Unavailable(s.deps.Service) != ""}
	searched := row.SearchOnly && row.Section == s.section() && s.rows.FilterText() != ""
	if r, read := s.records[row.ID]; read && r.err == nil && !row.Single && !searched {
		item.Info = recordCount(len(r.values), r.more)
	}
	return item
}

// sectionChanged shows the selected section from its start.
func (s *List) sectionChanged() tea.Cmd {
	var cmd tea.Cmd
	if s.rows.FilterText() != "" {
		s.rows.ClearFilter()
		cmd = s.load()
	}
	s.rows.SetColumns(columns(s.section())...)
	s.showRecords()
	s.rows.SelectIndex(0)
	return cmd
}

// showRecords lists the records of the selected section; of a single record, its fields.
func (s *List) showRecords() {
	var rows []recordRow
	for _, v := range s.current().values {
		if s.section().Single {
			rows = append(rows, fieldRows(s.deps, s.section(), v)...)
		} else {
			rows = append(rows, recordRow{record: v})
		}
	}
	s.rows.Set(rows)
}

// Update handles results, notifications, keys and mouse events.
func (s *List) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	case screen.ChangedMsg:
		if msg.ID == "" {
			return s.load()
		}
	case tea.KeyMsg:
		if s.panes.Focused() == paneSections {
			if s.sections.Key(msg) == list.Moved {
				return s.sectionChanged()
			}
		} else if s.rows.Key(msg) == list.Filtered && s.section().SearchOnly {
			return s.find()
		}
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	return nil
}

func (s *List) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, msg := s.panes.Mouse(msg)
	switch pane {
	case paneSections:
		before, alone := s.sections.Index(), s.panes.Alone()
		if hit, _ := s.sections.Mouse(msg); !hit {
			return nil
		}
		turned := s.sections.Index() != before
		switch {
		case widget.Pressed(msg) && alone && !turned:
			s.focusRecords()
		case widget.Pressed(msg):
			s.focusSections()
		}
		if turned {
			return s.sectionChanged()
		}
	case paneRecords:
		msg.Y -= len(s.header())
		hit, again := s.rows.Mouse(msg)
		if hit && widget.Pressed(msg) {
			s.focusRecords()
		}
		if row, ok := s.rows.Selected(); again && ok {
			return s.open(row)
		}
	}
	return nil
}

// SetSize divides the screen.
func (s *List) SetSize(width, height int) {
	s.panes.SetSize(width, height)
	s.layout()
}

func (s *List) layout() {
	s.sections.SetSize(s.panes.Size(paneSections))
	w, h := s.panes.Size(paneRecords)
	s.rows.SetSize(w, max(h-len(s.header()), 1))
	s.sections.Focused = s.panes.Focused() == paneSections
	s.rows.Focused = !s.sections.Focused
}

// header returns the lines above the table: the section's description, and the filter.
func (s *List) header() []string {
	w, _ := s.panes.Size(paneRecords)
	var out []string
	if s.panes.Height() >= 14 {
		help := s.section().Help
		if first, _, _ := strings.Cut(help, ". "); len(widget.Wrap(help, w)) > 2 {
			help = strings.TrimSuffix(first, ".") + "."
		}
		for _, l := range widget.WrapMax(help, w, 2) {
			out = append(out, s.deps.Theme.Muted.Render(l))
		}
		out = append(out, "")
	}
	return append(out, s.rows.FilterLines()...)
}

// View draws the sections and the records of the selected one, or one of both.
func (s *List) View() string {
	s.layout()
	return s.panes.View(func(pane int) panes.Content {
		if pane == paneSections {
			return panes.Content{Title: s.workspaceName(), Body: s.sections.View()}
		}
		c := panes.Content{Title: s.section().Title}
		if n := len(s.rows.Shown()); n > 0 && !s.section().Single {
			c.Info = fmt.Sprintf("%d of %s", s.rows.Index()+1, recordCount(n, s.current().more))
		}
		s.rows.Empty = s.emptyText()
		c.Body = strings.Join(append(s.header(), s.rows.View()), "\n")
		return c
	})
}

func (s *List) workspaceName() string {
	for _, general := range s.records["settings"].values {
		if name := general.Get("name").Text(); name != "" {
			return name
		}
	}
	return "Workspace"
}

func (s *List) emptyText() string {
	switch {
	case s.unavailableReason() != "":
		return s.unavailableReason()
	case s.current().err != nil:
		return "Cannot load this section: " + s.current().err.Error() + "\nPress r to reload."
	case s.records == nil:
		return "Reading…"
	case s.rows.FilterText() != "":
		return "No match. Press esc to clear the filter."
	}
	return s.section().Empty
}

// Read says the sections, or the records of one.
func (s *List) Read() screen.Page {
	if s.panes.Focused() == paneSections {
		return screen.Page{Summary: list.Spoken(s.workspaceName()) + ".", Parts: []screen.Part{{Rows: s.sections.Rows(s.sectionChanged, nil)}}}
	}
	page := screen.Page{Place: "Workspace, " + s.section().Title, Cursor: s.rows.At(), Summary: s.section().Help, Parts: []screen.Part{{Rows: s.rows.Rows(nil, nil)}}}
	if n := len(s.rows.Shown()); n == 0 {
		page.Summary += " " + s.emptyText()
	} else if !s.section().Single {
		page.Summary = recordCount(n, s.current().more) + ". " + page.Summary
	}
	page.Search = func(words string) tea.Cmd {
		s.rows.Search(words)
		if s.section().SearchOnly {
			return s.find()
		}
		return nil
	}
	return page
}
