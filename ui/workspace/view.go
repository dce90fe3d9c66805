package workspace

import (
	"fmt"
	"strings"

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
	s.width, s.height = width, height
	if s.layout(); s.report.open {
		s.report.fill(s.theme)
	}
}

// frame divides the screen between the sections and the records.
type frame struct{ width, height int }

func (f *frame) showsBoth() bool { return f.width >= bothMinWidth }

func (f *frame) listWidth() int {
	if f.showsBoth() {
		return sectionsWidth
	}
	return f.width
}

func (f *frame) recordsWidth() int {
	if f.showsBoth() {
		return f.width - sectionsWidth
	}
	return f.width
}

// detailLines returns the height of the record below the table; 0 if it is hidden.
func (s *List) detailLines() int {
	if s.height < detailMinHeight || s.section().Single || len(s.shown) == 0 {
		return 0
	}
	return s.height * 2 / 5
}

func (s *List) recordsHeight() int { return s.height - s.detailLines() }

// layout sets the sizes of all parts.
func (s *List) layout() {
	s.list.SetSize(max(s.listWidth()-4, 1), max(s.height-2, 1))
	w := max(s.recordsWidth()-4, 1)
	s.filter.SetSize(w, 1)
	s.table.SetSize(w, max(s.recordsHeight()-2-len(s.header()), 1))
	s.report.pager.SetSize(w, max(s.height-2, 1))
	s.detail.SetSize(w, max(s.detailLines()-2, 1))
}

// header returns the lines above the table: the section's description, the filter, the progress of an import.
func (s *List) header() []string {
	w := max(s.recordsWidth()-4, 1)
	var out []string
	if s.height >= 14 {
		for _, l := range summaryLines(s.section().Help, w) {
			out = append(out, s.theme.Muted.Render(l))
		}
		out = append(out, "")
	}
	if s.focus == paneFilter || s.filter.Value() != "" {
		out = append(out, s.filter.View())
	}
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

// tableTop returns the line of the table's header.
func (s *List) tableTop() int { return 1 + len(s.header()) }

// View draws the sections and the records of the selected one, or one of both.
func (s *List) View() string {
	if s.width == 0 || s.height == 0 {
		return ""
	}
	s.layout()
	switch {
	case s.showsBoth():
		return widget.JoinHorizontal(s.sectionsView(), s.recordsView())
	case s.focus == paneSections:
		return s.sectionsView()
	}
	return s.recordsView()
}

func (s *List) sectionsView() string {
	panel := widget.NewPanel(s.theme, s.workspaceName())
	panel.Focused = s.focus == paneSections
	panel.SetSize(s.listWidth(), s.height)
	return panel.View(s.list.View())
}

func (r *records) workspaceName() string {
	if general := r.all["general"]; len(general) > 0 {
		if name := general[0].Get("name").Text(); name != "" {
			return name
		}
	}
	return "Workspace"
}

func (s *List) recordsView() string {
	if s.report.open {
		return s.report.view(s.theme, s.recordsWidth(), s.height, s.focus == paneReport)
	}
	panel := widget.NewPanel(s.theme, s.section().Title)
	panel.Focused = s.focus == paneRecords || s.focus == paneFilter
	if n := len(s.shown); n > 0 && !s.section().Single {
		panel.Info = fmt.Sprintf("%d of %s", s.table.Cursor+1, recordCount(n, s.more[s.section().ID]))
	}
	panel.SetSize(s.recordsWidth(), s.recordsHeight())
	s.table.Empty = s.emptyText()
	out := panel.View(strings.Join(append(s.header(), s.table.View()), "\n"))
	if s.detailLines() == 0 {
		return out
	}
	below := widget.NewPanel(s.theme, s.selectedName())
	below.SetSize(s.recordsWidth(), s.detailLines())
	return out + "\n" + below.View(s.detail.View())
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
	case r.filter.Value() != "":
		return "No match. Press esc to clear the filter."
	}
	return sec.Empty
}
