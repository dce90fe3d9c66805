// Package workspace is the screen for the data of a workspace, such as settings, users, providers, content
// blocks and API keys, with the forms of records and a view of the users that match filters.
package workspace

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/workspace/settings"
	"bugle/themes"
	"bugle/ui/filters"
	"bugle/ui/list"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// New returns the screen of the route. A route without a path is the list, at the section in its query; a path that begins
// with a section is a record of it, named by the query, at the rest of the path.
func New(deps screen.Deps, r screen.Route) screen.Screen {
	if len(r.Path) == 0 {
		s := newList(deps)
		s.selectSection(r.Query)
		return s
	}
	if r.Path[0].Name == filters.AudiencePath {
		return newAudience(deps, r)
	}
	if s, ok := settings.Find(r.Path[0].Name); ok {
		return newRecord(deps, s, r)
	}
	return newList(deps)
}

// recordRoute returns the route of a record, and of a place in it. An empty name creates a new record from
// start.
func recordRoute(s *settings.Section, name string, start doc.Value, at ...doc.Step) screen.Route {
	return screen.Route{Name: screen.Workspace, Path: doc.P(s.ID).Join(at...), Query: name, Doc: start}
}

// records holds the records of the sections, with the selected section, the filter and the selected record.
type records struct {
	service    engine.Service
	tasks      *screen.Base
	show       func()                 // shows the selected record
	all        map[string][]doc.Value // by section, as far as they have been read
	more       map[string]bool        // sections with more records than were read
	failed     map[string]error
	loaded     bool
	knownNames map[string]bool // names in the section before a record was opened

	sections *list.List[sectionRow]
	rows     *list.List[recordRow] // that match the filter
}

// List is the screen with all sections.
type List struct {
	screen.Base
	deps  screen.Deps
	theme *themes.Theme

	*records
	detail    widget.JSONView
	report    report
	panes     panes.Panes
	imports   userImport
	removes   remover
	trials    trials
	audiences campaignAudiences
}

// The panes of the list. The report of a trial or an import takes the place of the records.
const (
	paneSections = iota
	paneRecords
	paneDetail // the selected record below the table; it never has the focus
)

// Kinds of tasks.
const (
	taskLoad      = "load"
	taskFind      = "find"
	taskDelete    = "delete"
	taskTry       = "try"
	taskImport    = "import"
	taskCampaigns = "campaigns"
	taskSave      = "save"
	taskAudience  = "who"
	taskExplain   = "why"
)

// maxSearched is how many records are shown at once of a section that may have millions.
const maxSearched = 200

func newList(deps screen.Deps) *List {
	s := &List{Base: screen.NewBase(), deps: deps, theme: deps.Theme, detail: widget.NewJSONView(deps.Theme), report: newReport(deps.Theme)}
	s.panes = panes.New(deps.Theme, panes.Pane{Name: "sections", From: bothMinWidth, Min: sectionsWidth, Max: sectionsWidth}, panes.Pane{Name: "records"}, panes.Pane{Name: "record"})
	s.panes.Focus(paneSections)
	s.records = &records{
		service: deps.Service, tasks: &s.Base, show: s.updateDetail, all: map[string][]doc.Value{}, more: map[string]bool{}, failed: map[string]error{},
	}
	s.sections = list.Items(deps.Theme, "section", s.sectionItem)
	s.rows = list.Table(deps.Theme, "record", s.cells)
	s.rows.Filter("text in a record", nil)
	s.imports = userImport{service: deps.Service, tasks: &s.Base, report: s.showReport, load: s.load}
	s.removes = remover{deps.Service, &s.Base, s.section, s.showReport, s.load}
	s.trials = trials{deps.Service, &s.Base, deps.Author, s.showReport}
	s.audiences = campaignAudiences{deps.Service, &s.Base}
	s.fill()
	s.selectSection(settings.Sections()[0].ID)
	s.sectionChanged()
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *List) Title() string { return "Workspace" }

// Badge shows running work.
func (s *List) Badge() (string, themes.Tone) {
	switch {
	case s.Running(taskImport):
		return "importing…", themes.ToneAccent
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

// loadedRecords are the records of the sections.
type loadedRecords struct {
	records map[string][]doc.Value
	more    map[string]bool
	failed  map[string]error
}

func (r *records) load() tea.Cmd {
	svc, text, section := r.service, r.rows.FilterText(), r.section()
	return screen.Go(r.tasks, taskLoad, func(ctx context.Context) (loadedRecords, error) {
		out := loadedRecords{map[string][]doc.Value{}, map[string]bool{}, map[string]error{}}
		for _, sec := range settings.Sections() {
			if sec.Unavailable(svc) != "" {
				continue
			}
			words := ""
			if sec == section {
				words = text
			}
			vs, more, err := listRecords(ctx, svc, sec, words)
			if ctx.Err() != nil {
				return loadedRecords{}, ctx.Err()
			}
			out.records[sec.ID], out.more[sec.ID] = vs, more
			if err != nil {
				out.failed[sec.ID] = err
			}
		}
		return out, nil
	}, func(got loadedRecords, err error) tea.Cmd {
		r.loaded = r.loaded || !screen.Canceled(err)
		r.showLoaded(got, err)
		return nil
	})
}

// listRecords reads the records of a section; if it may have millions, those that match the words.
func listRecords(ctx context.Context, svc any, sec *settings.Section, words string) ([]doc.Value, bool, error) {
	if !sec.SearchOnly {
		vs, err := sec.List(ctx, svc, "", 0)
		return vs, false, err
	}
	vs, err := sec.List(ctx, svc, words, maxSearched+1)
	if len(vs) > maxSearched {
		return vs[:maxSearched], true, err
	}
	return vs, false, err
}

// find searches for the filter's words in a section that is not read completely.
func (r *records) find() tea.Cmd {
	sec, svc, words := r.section(), r.service, r.rows.FilterText()
	work := screen.Settled(r.tasks, taskFind, func(ctx context.Context) (loadedRecords, error) {
		vs, more, err := listRecords(ctx, svc, sec, words)
		return loadedRecords{map[string][]doc.Value{sec.ID: vs}, map[string]bool{sec.ID: more}, nil}, err
	})
	return screen.Go(r.tasks, taskFind, work, func(got loadedRecords, err error) tea.Cmd {
		r.showLoaded(got, err)
		return nil
	})
}

// sectionRow is a section in the list, or the heading of a group.
type sectionRow struct {
	*settings.Section
	group string
}

// section returns the selected section.
func (r *records) section() *settings.Section {
	if row, ok := r.sections.Selected(); ok {
		return row.Section
	}
	return settings.Sections()[0]
}

// selectSection moves the cursor to the section with that ID, if there is one.
func (r *records) selectSection(id string) {
	if r.sections.Select(func(row sectionRow) bool { return row.Section != nil && row.ID == id }) {
		r.sectionChanged()
	}
}

// unavailableReason returns why the selected section is not available.
func (r *records) unavailableReason() string { return r.section().Unavailable(r.service) }

// fill lists the sections with their counts.
func (r *records) fill() {
	var rows []sectionRow
	group := ""
	for _, sec := range settings.Sections() {
		if sec.Group != group {
			group = sec.Group
			rows = append(rows, sectionRow{group: group})
		}
		rows = append(rows, sectionRow{Section: sec})
	}
	r.sections.Set(rows)
}

func (r *records) sectionItem(row sectionRow) widget.Item {
	if row.Section == nil {
		return widget.Item{Text: row.group, Heading: true}
	}
	return widget.Item{Text: row.Title, Info: r.count(row.Section), InfoTone: themes.ToneMuted, Dim: row.Unavailable(r.service) != ""}
}

func (r *records) count(sec *settings.Section) string {
	n, read := len(r.all[sec.ID]), r.loaded
	switch {
	case !read || sec.Single || r.failed[sec.ID] != nil || sec.Unavailable(r.service) != "":
		return ""
	case sec.SearchOnly && r.rows.FilterText() != "" && sec == r.section():
		return ""
	}
	return recordCount(n, r.more[sec.ID])
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
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	return nil
}

// showLoaded shows the records that were read; the cursor stays on its record, or moves to a new one.
func (s *records) showLoaded(got loadedRecords, err error) {
	if screen.Canceled(err) {
		return
	}
	name := s.selectedName()
	if err != nil {
		s.failed[s.section().ID] = err
	} else {
		for id, vs := range got.records {
			s.all[id], s.more[id] = vs, got.more[id]
			delete(s.failed, id)
		}
		for id, err := range got.failed {
			s.failed[id] = err
		}
	}
	s.fill()
	s.filterRecords()
	if fresh := s.newRecordName(); fresh != "" {
		name = fresh
	}
	s.selectName(name)
}

// newRecordName returns the name of the record that was added, if there is one.
func (r *records) newRecordName() string {
	if r.knownNames == nil {
		return ""
	}
	known := r.knownNames
	r.knownNames = nil
	for _, v := range r.current() {
		if name := r.section().NameOf(v); !known[name] {
			return name
		}
	}
	return ""
}

// current returns the records of the selected section.
func (r *records) current() []doc.Value { return r.all[r.section().ID] }

// sectionChanged shows the selected section from its start.
func (r *records) sectionChanged() {
	r.rows.SetColumns(columns(r.section())...)
	r.filterRecords()
	r.rows.SelectIndex(0)
	r.show()
}

// filterRecords lists the records that contain every word of the filter; of a single record, its fields.
func (r *records) filterRecords() {
	words := strings.Fields(strings.ToLower(r.rows.FilterText()))
	var rows []recordRow
	for _, v := range r.current() {
		switch {
		case r.section().Single:
			rows = append(rows, r.fieldRows(v, words)...)
		case r.section().SearchOnly || containsAll(v, words):
			rows = append(rows, recordRow{record: v})
		}
	}
	r.rows.Set(rows)
	r.show()
}

func containsAll(v doc.Value, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(string(v.Encode()))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

func (r *records) selectedName() string {
	if row, ok := r.rows.Selected(); ok {
		return r.section().NameOf(row.record)
	}
	return ""
}

func (r *records) selectName(name string) {
	if !r.section().Single {
		r.rows.Select(func(row recordRow) bool { return r.section().NameOf(row.record) == name })
	}
	r.show()
}

// updateDetail shows the selected record in the detail view.
func (s *List) updateDetail() {
	s.sections.Focused = s.panes.Focused() == paneSections
	s.rows.Focused = !s.sections.Focused
	text := ""
	if row, ok := s.rows.Selected(); ok && !s.section().Single {
		text = string(row.record.Indent())
	}
	s.detail.SetText(text)
}
