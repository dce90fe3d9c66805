package campaigns

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

const (
	// tableWidth is the width, including the frame, that fits long names, the state, the channel and the last change.
	// Side panes get the rest.
	tableWidth      = 86
	facetsWidth     = 24
	minDetailsWidth = 28
	maxDetailsWidth = 48
	// Widths of the focused side panes, and the minimum width of the table beside them; in a narrower window they
	// replace it.
	focusedFacetsWidth  = 26
	focusedDetailsWidth = 42
	minTableWidth       = 30
)

// paneID is a pane that can be focused.
type paneID uint8

const (
	paneTable paneID = iota
	paneFacets
	paneDetails
	paneCount
)

// paneNames are the names of panes in hints.
var paneNames = [paneCount]string{"list", "filters", "details"}

// area is a rectangle of cells; its width is 0 if the pane is not shown.
type area struct{ x, y, w, h int }

func (a area) contains(x, y int) bool { return x >= a.x && x < a.x+a.w && y >= a.y && y < a.y+a.h }

// paneAreas has the areas of the panes.
type paneAreas struct{ table, facets, details area }

// frame divides the screen among the panes.
type frame struct {
	width, height int
	focus         paneID
	zoom          bool // the focused pane fills the screen
}

// after returns the pane n positions after the focused one.
func (f *frame) after(n int) paneID {
	return paneID((int(f.focus) + n + int(paneCount)) % int(paneCount))
}

// sideWidths returns the widths of the facets and the details beside the table; 0 if they do not fit.
func (f *frame) sideWidths() (facets, details int) {
	rest := f.width - tableWidth
	if rest >= facetsWidth+minDetailsWidth {
		facets = facetsWidth
		rest -= facets
	}
	if rest >= minDetailsWidth {
		details = min(rest, maxDetailsWidth)
	}
	return facets, details
}

// panes returns the areas. A pane that does not fit beside the table replaces it while it is focused.
func (f *frame) panes() paneAreas {
	whole := area{0, 0, f.width, f.height}
	facets, details := f.sideWidths()
	switch {
	case f.zoom:
		facets, details = 0, 0
	case f.focus == paneFacets && facets == 0:
		facets, details = focusedFacetsWidth, 0
	case f.focus == paneDetails && details == 0:
		details = focusedDetailsWidth
	}
	left := f.width - facets - details
	if f.zoom || left < minTableWidth {
		switch f.focus {
		case paneFacets:
			return paneAreas{facets: whole}
		case paneDetails:
			return paneAreas{details: whole}
		default:
			return paneAreas{table: whole}
		}
	}
	return paneAreas{area{facets, 0, left, f.height}, area{0, 0, facets, f.height}, area{f.width - details, 0, details, f.height}}
}

// facetBarMinHeight is the height from which the facet bar is shown.
const facetBarMinHeight = 14

// SetSize sets the size of the screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.onLayout()
	s.onDescribe()
}

// headerHeights returns the numbers of lines above the table: search, counts, and news.
func (s *Screen) headerHeights() (search, counts, work int) {
	work = len(s.news())
	if facets, _ := s.sideWidths(); facets == 0 && s.height >= facetBarMinHeight && s.source.index().Len() > 0 {
		counts = 2
	}
	return s.bar.lines(), counts, work
}

// news draws the progress of a bulk action, and why the cursor is on no campaign.
func (s *Screen) news() (lines []string) {
	w, _ := s.panel.Inner()
	if s.bulk.running() {
		lines = append(lines, s.bulk.run.line(s.theme, w))
	}
	if s.hidden() {
		lines = append(lines, widget.WrapStyled(s.theme.Tone(themes.ToneWarning), s.grid.missing, w)...)
	}
	return lines
}

// layoutPanes sets the sizes of the panes. It is called whenever one of them changes its size.
func (s *Screen) layoutPanes() {
	p := s.panes()
	s.facets.list.SetSize(max(p.facets.w-4, 0), max(p.facets.h-2, 0))
	s.details.pager.SetSize(max(p.details.w-4, 0), max(p.details.h-2, 0))
	if p.details.w != s.details.width {
		s.onDescribe()
	}
	s.panel.SetSize(p.table.w, p.table.h)
	w, h := s.panel.Inner()
	search, counts, work := s.headerHeights()
	s.grid.SetSize(w, max(h-search-counts-work, 0))
}

// View draws the screen.
func (s *Screen) View() string {
	s.onLayout()
	s.grid.Focused = s.focus == paneTable && s.overlay == nil
	s.facets.focused = s.focus == paneFacets
	s.facets.list.Focused = s.facets.focused
	s.grid.now = s.now()
	p := s.panes()
	var blocks []string
	if p.facets.w > 0 {
		blocks = append(blocks, s.facets.view(s.theme, p.facets.w, p.facets.h))
	}
	if p.table.w > 0 {
		blocks = append(blocks, s.tablePane())
	}
	if p.details.w > 0 {
		blocks = append(blocks, s.details.view(s.theme, p.details, s.focus == paneDetails))
	}
	out := joinPanes(blocks)
	w, _ := s.panel.Inner()
	if box, x := s.bar.dropdown(w, s.height-4); box != "" {
		search, _, work := s.headerHeights()
		out = widget.Dropdown(out, box, p.table.x+2+x, 1+work+search, s.width, s.height)
	}
	if s.overlay != nil {
		out = widget.Center(out, s.overlay.view(s.width, s.height), s.width, s.height)
	}
	return out
}

// focusNext focuses another pane.
func (s *Screen) focusNext(n int) tea.Cmd { return s.focusPane(s.after(n)) }

// focusPane focuses a pane.
func (s *Screen) focusPane(p paneID) tea.Cmd {
	s.focus = p
	s.bar.blur()
	s.onLayout()
	return nil
}

// zoomAction zooms the focused pane, or shows all panes again.
func (s *Screen) zoomAction() screen.Action {
	a := screen.ZoomAction(s.zoom, "z", groupList, func() tea.Cmd {
		s.zoom = !s.zoom
		s.onLayout()
		return nil
	})
	if !s.zoom && s.focus == paneTable && s.panes().table.w == s.width {
		a.DisabledReason = "The list already fills the window."
	}
	return a
}

// tablePane draws the table with the lines above it.
func (s *Screen) tablePane() string {
	s.panel.Focused = s.focus == paneTable && s.overlay == nil
	s.panel.Title, s.panel.Info, s.panel.Footer = s.title(), s.info(s.selection.len()), s.footer()
	if s.selection.ranging {
		s.panel.Footer = "V ends the range"
	}
	s.grid.Empty = s.empty(s.feed)
	s.grid.Marked = nil
	if s.selection.len() > 0 || s.selection.ranging {
		s.grid.Marked = s.selection.at
	}
	w, _ := s.panel.Inner()
	var lines []string
	search, counts, _ := s.headerHeights()
	lines = append(lines, s.news()...)
	if search > 0 {
		lines = append(lines, s.bar.view(w))
	}
	s.counts.spans = s.counts.spans[:0]
	if counts > 0 {
		lines = append(lines, s.counts.view(s.facets, w)...)
	}
	return s.panel.View(strings.Join(append(lines, s.grid.view(w)), "\n"))
}

// joinPanes joins blocks of the same height side by side.
func joinPanes(blocks []string) string {
	if len(blocks) == 1 {
		return blocks[0]
	}
	columns := make([][]string, len(blocks))
	for i, b := range blocks {
		columns[i] = strings.Split(b, "\n")
	}
	var out strings.Builder
	for y := range columns[0] {
		if y > 0 {
			out.WriteByte('\n')
		}
		for _, c := range columns {
			if y < len(c) {
				out.WriteString(c[y])
			}
		}
	}
	return out.String()
}
