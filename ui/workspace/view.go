package workspace

import (
	"fmt"
	"strings"

	"bugle/ui/panes"
	"bugle/ui/widget"
)

const (
	sectionsWidth = 26
	// bothMinWidth is the width from which both panes are shown.
	bothMinWidth = 76
	// detailMinHeight is the height from which the selected record is shown below the table.
	detailMinHeight = 30
)

// SetSize divides the screen.
func (s *List) SetSize(width, height int) {
	s.panes.SetSize(width, height)
	if s.layout(); s.report.open {
		s.report.fill(s.theme)
	}
}

// layout divides the screen for what is shown.
func (s *List) layout() {
	detail := 0
	if height := s.panes.Height(); height >= detailMinHeight && !s.report.open && !s.section().Single && s.rows.Len() > 0 {
		detail = height * 2 / 5
	}
	s.panes.SetRows(paneDetail, detail)
	s.sections.SetSize(s.panes.Size(paneSections))
	w, h := s.panes.Size(paneRecords)
	s.rows.SetSize(w, max(h-len(s.header()), 1))
	s.report.pager.SetSize(w, h)
	s.detail.SetSize(s.panes.Size(paneDetail))
}

// header returns the lines above the table: the section's description, the filter, the progress of an import.
func (s *List) header() []string {
	w, _ := s.panes.Size(paneRecords)
	var out []string
	if s.panes.Height() >= 14 {
		for _, l := range summaryLines(s.section().Help, w) {
			out = append(out, s.theme.Muted.Render(l))
		}
		out = append(out, "")
	}
	out = append(out, s.rows.FilterLines()...)
	if s.Running(taskImport) {
		out = append(out, s.imports.line(s.theme, w))
	}
	return out
}

// summaryLines wraps a text into two lines, only its first sentence if not all of it fits.
func summaryLines(text string, w int) []string {
	lines := widget.Wrap(text, w)
	if len(lines) > 2 {
		first, _, _ := strings.Cut(text, ". ")
		lines = widget.Wrap(strings.TrimSuffix(first, ".")+".", w)
	}
	if len(lines) > 2 {
		lines = lines[:2]
		lines[1] = widget.Truncate(lines[1]+" …", w)
	}
	return lines
}

// View draws the sections and the records of the selected one, or one of both.
func (s *List) View() string {
	s.layout()
	return s.panes.View(func(pane int) panes.Content {
		switch {
		case pane == paneSections:
			return panes.Content{Title: s.workspaceName(), Body: s.sections.View()}
		case pane == paneDetail:
			return panes.Content{Title: s.selectedName(), Body: s.detail.View()}
		case s.report.open:
			return panes.Content{Title: s.report.title, Danger: s.report.failed, Footer: "esc close", Body: s.report.pager.View()}
		}
		return s.recordsContent()
	})
}

func (r *records) workspaceName() string {
	if general := r.all["settings"]; len(general) > 0 {
		if name := general[0].Get("name").Text(); name != "" {
			return name
		}
	}
	return "Workspace"
}

func (s *List) recordsContent() panes.Content {
	c := panes.Content{Title: s.section().Title}
	if n := s.rows.Len(); n > 0 && !s.section().Single {
		c.Info = fmt.Sprintf("%d of %s", s.rows.Index()+1, recordCount(n, s.more[s.section().ID]))
	}
	s.rows.Empty = s.emptyText()
	c.Body = strings.Join(append(s.header(), s.rows.View()), "\n")
	return c
}

func (r *records) emptyText() string {
	sec := r.section()
	switch {
	case r.unavailableReason() != "":
		return r.unavailableReason()
	case r.failed[sec.ID] != nil:
		return "Cannot load this section: " + r.failed[sec.ID].Error() + "\nPress r to try again."
	case !r.loaded:
		return "Reading…"
	case r.rows.FilterText() != "":
		return "No match. Press esc to clear the filter."
	}
	return sec.Empty
}
