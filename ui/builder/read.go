package builder

import (
	"cmp"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/utm"
	"bugle/engine/phrase"
	"bugle/ui/editor"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Read says the sections, the open form, or what is beside it.
func (s *Screen) Read() screen.Page {
	page := screen.Page{Place: "Campaign"}
	switch {
	case s.failed != nil:
		page.Summary = "Can't read this campaign: " + phrase.Sentence(s.failed.Error())
		return page
	case !s.loaded:
		return page
	case s.Typing():
		page = editor.Read(s.form.Editor, s.Update)
		switch beside := s.consequences(); {
		case page.Form && len(s.form.Path()) == 1:
			page.After = beside
		case !page.Form && len(beside) > 0 && page.Place == "":
			page.Parts = append(page.Parts, screen.Part{Name: s.side.Panel.Title(), Lines: beside})
		}
		if why := s.edit.LockedAt(s.form.Path()); why != "" {
			page.Summary = strings.TrimSpace(why + " " + page.Summary)
		}
	case s.panes.Focused() == paneSide:
		page = s.readSide()
	default:
		page = s.readSections()
	}
	switch s.panes.Focused() {
	case paneSections:
		page.At = "sections"
	case paneSide:
		page.At = fmt.Sprint("beside ", s.side.shows())
	default:
		page.At = fmt.Sprint(s.form.Path(), page.Place)
	}
	place := "Campaign " + widget.Clean(s.Title())
	if s.panes.Focused() != paneSections {
		place += ", " + cmp.Or(page.Place, list.Spoken(s.form.Breadcrumb("", screen.Wide)))
	}
	page.Place = place
	return page
}

// consequences says what follows from a section, such as when the campaign sends.
func (s *Screen) consequences() []string {
	if _, isPreview := s.side.Panel.(*previewPanel); isPreview {
		return nil
	}
	if p, ok := s.side.Panel.(editor.SpokenPanel); ok {
		return p.Read()
	}
	return nil
}

// readSections says the sections and how far they are.
func (s *Screen) readSections() screen.Page {
	sum := engine.Summarize(s.edit.Campaign())
	out := []string{fmt.Sprintf("%s, %s, %s.", sum.Channel.Label(), strings.ToLower(sum.DeliveryType.Label()),
		strings.ToLower(sum.Status.Label()))}
	switch n := errorCount(s.edit); {
	case n > 0 && sum.Status == catalog.Draft:
		out = append(out, phrase.Count(n, "problem")+" before you can publish.")
	case n > 0:
		out = append(out, phrase.Count(n, "problem")+".")
	case sum.Status == catalog.Draft:
		out = append(out, "Nothing is missing.")
	}
	if why := s.edit.LockedAt(nil); why != "" {
		out = append(out, why)
	} else if s.edit.HasPending() {
		out = append(out, "There are changes that are not applied.")
	}
	page := screen.Page{Summary: strings.Join(out, " ")}
	var rows screen.RowSlice
	for i, sec := range s.sections.Shown() {
		row := screen.Row{Text: sec.title, State: sectionIcons[sec.state].word}
		if sec.problems > 0 {
			row.State += ", " + phrase.Count(sec.problems, "problem")
		}
		if sec.state == sectionNotApplicable {
			row.State, row.DisabledReason = "", sec.reason
		}
		row.Select = func() tea.Cmd {
			s.sections.SelectIndex(i)
			s.follow()
			return s.finish(nil)
		}
		rows = append(rows, row)
	}
	page.Cursor, page.Parts = s.sections.At(), []screen.Part{{Rows: rows}}
	return page
}

// readSide says what is beside the form.
func (s *Screen) readSide() screen.Page {
	shown := s.side.shown()
	if shown == nil {
		return screen.Page{}
	}
	page := screen.Page{Place: shown.Title()}
	switch p := shown.(type) {
	case *problemsPanel:
		page.Parts = []screen.Part{p.Read()}
	case editor.SpokenPanel:
		page.Parts = []screen.Part{{Lines: p.Read()}}
	}
	return page
}

// spokenPreview is the action of plain mode that reads the message.
func (s *Screen) spokenPreview() screen.Action {
	return screen.Action{Label: "preview", Help: "read the message", Group: groupCampaign, PlainOnly: true,
		WhileTyping: true, Run: func() tea.Cmd {
			switch {
			case !s.edit.Head().Channel.Writable():
				return screen.Notify(widget.LevelInfo, "There is no message.")
			case !s.inContent():
				s.show(contentPath)
			}
			return s.focusSide(sidePanel)
		}}
}

// Read says what the links of the messages become.
func (a *linksPanel) Read() []string {
	var out []string
	for _, l := range utm.Links(a.cfg.Head.Channel, a.root, maxLinks) {
		if l.Tagged != l.URL {
			out = append(out, fmt.Sprintf("The link %s becomes %s", l.URL, l.Tagged))
		}
	}
	return out
}

// Read reads the message on each platform.
func (a *previewPanel) Read() []string {
	var out []string
	for _, v := range a.views {
		shown := a.view
		shown.Show(v)
		out = append(out, shown.Read()...)
	}
	if len(out) == 0 {
		out = append(out, "There is no message yet.")
	}
	return out
}
