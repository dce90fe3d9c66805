package campaigns

import (
	"fmt"
	"strings"

	"bugle/ui/widget"
)

// From these widths on, there is room beside the table.
const (
	facetsFrom  = 110
	previewFrom = 100
	facetsWidth = 24
)

// countsFrom is the height from which counts stand above the table.
const countsFrom = 14

// SetSize tells the screen the cells that it may use.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.layout()
	s.describe()
}

// sides gives the widths of what stands beside the table; 0 where there is no room.
func (s *Screen) sides() (facets, preview int) {
	if s.width >= facetsFrom {
		facets = facetsWidth
	}
	if s.width >= previewFrom {
		preview = min(max(s.width*28/100, 32), 48)
	}
	return facets, preview
}

// head is the number of lines between the frame and the table: the filter, and the counts.
func (s *Screen) head() (filter, counts int) {
	if s.filter.Focused() || s.query.text != "" {
		filter = 1
	}
	if facets, _ := s.sides(); facets == 0 && s.height >= countsFrom && len(s.rows) > 0 {
		counts = 2
	}
	return filter, counts
}

// layout shares out the cells. It is called whenever what is drawn changes its size.
func (s *Screen) layout() {
	facets, preview := s.sides()
	if facets == 0 {
		s.inList = false
	}
	s.facets.SetSize(max(facets-4, 0), max(s.height-2, 0))
	s.preview.SetSize(max(preview-4, 0), max(s.height-2, 0))
	s.panel.SetSize(s.width-facets-preview, s.height)
	w, h := s.panel.Inner()
	s.filter.SetSize(w, 1)
	filter, counts := s.head()
	s.table.SetSize(w, h-filter-counts)
}

// View draws the screen.
func (s *Screen) View() string {
	s.layout()
	s.table.Focused, s.facets.Focused = !s.inList, s.inList
	facets, preview := s.sides()
	var blocks []string
	if facets > 0 {
		p := widget.NewPanel(s.theme, "Show")
		p.Focused, p.Footer = s.inList, "tab"
		p.SetSize(facets, s.height)
		blocks = append(blocks, p.View(s.facets.View()))
	}
	blocks = append(blocks, s.middle())
	if preview > 0 {
		p := widget.NewPanel(s.theme, "Selected")
		p.SetSize(preview, s.height)
		blocks = append(blocks, p.View(s.preview.View()))
	}
	return beside(blocks)
}

// middle draws the table with what stands above it.
func (s *Screen) middle() string {
	s.panel.Focused = !s.inList
	s.panel.Info = fmt.Sprintf("%d of %d", len(s.view.shown), len(s.view.rows))
	s.panel.Footer = s.footer()
	s.table.Empty = s.empty()
	w, _ := s.panel.Inner()
	var lines []string
	filter, counts := s.head()
	if filter > 0 {
		lines = append(lines, s.filter.View())
	}
	s.spans = s.spans[:0]
	if counts > 0 {
		lines = append(lines, s.lines(w)...)
	}
	return s.panel.View(strings.Join(append(lines, s.table.View()), "\n"))
}

// footer says what the table leaves out, and how it is sorted.
func (s *Screen) footer() string {
	var parts []string
	if s.query.state != "" {
		parts = append(parts, "only "+strings.ToLower(s.query.state.Label()))
	}
	if s.query.channel != "" {
		parts = append(parts, "only "+s.query.channel.Label())
	}
	if s.query.archived {
		parts = append(parts, "with the archive")
	}
	return strings.Join(append(parts, s.query.order.String()), " · ")
}

// beside puts blocks of the same height side by side.
func beside(blocks []string) string {
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
