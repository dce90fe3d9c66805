package workspace

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/phrase"
	"bugle/ui/editor"
	"bugle/ui/list"
	"bugle/ui/screen"
)

// Read says the sections, the records of one, or a report.
func (s *List) Read() screen.Page {
	switch {
	case s.reading():
		lines := append([]string{s.report.summary}, strings.Split(s.report.detail, "\n")...)
		return screen.Page{Place: "Workspace, " + list.Spoken(s.report.title), Parts: []screen.Part{{Lines: lines}}}
	case s.panes.Focused() == paneSections:
		return screen.Page{Summary: list.Spoken(s.workspaceName()) + ".",
			Parts: []screen.Part{{Rows: s.sections.Rows(s.sectionTurned, nil)}}}
	}
	page := screen.Page{Place: "Workspace, " + s.section().Title, Cursor: s.rows.At(), Search: s.searchRecords,
		Summary: s.section().Help}
	if s.rows.Len() == 0 {
		page.Summary += " " + s.emptyText()
	} else if !s.section().Single {
		page.Summary = recordCount(s.rows.Len(), s.more[s.section().ID]) + ". " + page.Summary
	}
	moved := func() tea.Cmd { s.show(); return nil }
	page.Parts = []screen.Part{{Rows: s.rows.Rows(moved, nil)}}
	return page
}

// searchRecords shows the records that match words.
func (s *List) searchRecords(words string) tea.Cmd {
	s.rows.Search(words)
	if s.section().SearchOnly {
		return s.find()
	}
	s.filterRecords()
	return nil
}

// Read says the open form of the record, or what is beside it.
func (s *Record) Read() screen.Page {
	switch {
	case s.failed != nil:
		return screen.Page{Summary: phrase.Sentence(s.failed.Error())}
	case !s.form.IsOpen():
		return screen.Page{}
	case s.panes.Focused() == panePanel:
		return screen.Page{Place: s.breadcrumb() + ", " + s.side.Panel.Title(), Parts: []screen.Part{{Lines: s.readPanel()}}}
	}
	page := editor.Read(s.form.Editor, hands{s})
	page.At = s.form.Path().String() + page.Place
	if page.Place == "" {
		page.Place = s.breadcrumb()
	}
	if page.Form && len(s.form.Path()) == 0 {
		page.Done = func() tea.Cmd { return s.finishUpdate(s.saveAndLeave()) }
	}
	if lines := s.readPanel(); len(lines) > 0 && !page.Form {
		page.Parts = append(page.Parts, screen.Part{Name: s.side.Panel.Title(), Lines: lines})
	}
	return page
}

func (s *Record) breadcrumb() string {
	return list.Spoken(s.form.Breadcrumb(s.draft.title(), screen.Wide))
}

// readPanel says what is beside the form.
func (s *Record) readPanel() []string {
	if p, ok := s.side.Panel.(editor.SpokenPanel); ok {
		return p.Read()
	}
	return nil
}

// hands change the record for the rows of its editor.
type hands struct{ s *Record }

// Press passes a key to the editor.
func (h hands) Press(msg tea.KeyMsg) tea.Cmd {
	return h.s.finishUpdate(h.s.adopt(h.s.form.Update(msg), true))
}

// Adopt takes over what the editor has changed.
func (h hands) Adopt() tea.Cmd { return h.s.edited() }

// Read says how many users match, and who; or why the open one does.
func (s *Audience) Read() screen.Page {
	if s.panes.Focused() == paneWhy {
		s.draw()
		return screen.Page{Place: "Why", Parts: []screen.Part{{Lines: list.SpokenLines(s.pager.Text())}}}
	}
	page := screen.Page{Summary: phrase.Sentence(audience.Describe(s.filters, nil, audience.Env{})), Cursor: s.users.At()}
	if s.loaded && s.failed == nil && s.reader != nil {
		page.Summary += " " + list.Spoken(s.countText()) + "."
	}
	if s.users.Len() == 0 {
		page.Summary += " " + s.emptyText()
	}
	page.Search = func(words string) tea.Cmd {
		s.users.Search(words)
		return s.find()
	}
	page.Parts = []screen.Part{{Rows: s.users.Rows(s.explain, nil)}}
	return page
}
