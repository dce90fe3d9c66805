package campaigns

import (
	"fmt"
	"strings"

	"bugle/ui/widget"
)

const (
	// tableWidth is what the table needs, its frame included, to show long names, the state, the channel and
	// the last change. What stands beside it gets the rest.
	tableWidth   = 86
	facetsWidth  = 24
	leastPreview = 28
	mostPreview  = 48
	// drawerWidth is the width of the facets where they lie over the table.
	drawerWidth = 30
)

// countsFrom is the height from which counts stand above the table.
const countsFrom = 14

// SetSize tells the screen the cells that it may use.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.layout()
	s.describe()
}

// sides returns the widths of what stands beside the table; 0 where there is no room. The facets come before
// the preview while they have the keyboard.
func (s *Screen) sides() (facets, preview int) {
	rest := s.width - tableWidth
	if rest >= facetsWidth+leastPreview || s.facets.focused && rest >= facetsWidth {
		facets = facetsWidth
		rest -= facets
	}
	if rest >= leastPreview {
		preview = min(rest, mostPreview)
	}
	return facets, preview
}

// drawer is the width of the facets where they lie over the table; 0 where they do not.
func (s *Screen) drawer() int {
	if facets, _ := s.sides(); facets > 0 || !s.facets.focused {
		return 0
	}
	return min(drawerWidth, s.width)
}

// drawerTop is the line that the facets begin at: over the table they leave the search in sight.
func (s *Screen) drawerTop() int {
	if s.drawer() == 0 {
		return 0
	}
	search, _, work := s.head()
	if search+work == 0 {
		return 0
	}
	return 1 + search + work
}

// head is the number of lines between the frame and the table: the search, the counts, and the work that
// is going on.
func (s *Screen) head() (search, counts, work int) {
	if s.run != nil && s.run.going {
		work = 1
	}
	if facets, _ := s.sides(); facets == 0 && s.height >= countsFrom && s.source.index().Len() > 0 {
		counts = 2
	}
	return s.bar.lines(), counts, work
}

// layout shares out the cells. It is called whenever what is drawn changes its size.
func (s *Screen) layout() {
	facets, preview := s.sides()
	if d := s.drawer(); d > 0 {
		facets = d
	}
	s.facets.list.SetSize(max(facets-4, 0), max(s.height-s.drawerTop()-2, 0))
	s.preview.SetSize(max(preview-4, 0), max(s.height-2, 0))
	if s.drawer() > 0 {
		facets = 0
	}
	s.panel.SetSize(s.width-facets-preview, s.height)
	w, h := s.panel.Inner()
	search, counts, work := s.head()
	s.grid.SetSize(w, max(h-search-counts-work, 0))
}

// View draws the screen.
func (s *Screen) View() string {
	s.layout()
	s.grid.Focused, s.facets.list.Focused = !s.facets.focused && s.over == nil, s.facets.focused
	s.grid.clock = clock{s.deps.Now(), s.deps.Location}
	facets, preview := s.sides()
	var blocks []string
	if facets > 0 {
		blocks = append(blocks, s.facetsPanel(facets))
	}
	blocks = append(blocks, s.middle())
	if preview > 0 {
		p := widget.NewPanel(s.theme, "Selected")
		p.SetSize(preview, s.height)
		blocks = append(blocks, p.View(s.preview.View()))
	}
	out := beside(blocks)
	if d := s.drawer(); d > 0 {
		out = widget.Overlay(out, s.facetsPanel(d), 0, s.drawerTop(), s.width, s.height)
	}
	if box, x := s.bar.list(s.panelWidth(), s.height-4); box != "" {
		search, _, work := s.head()
		out = widget.Overlay(out, box, facets+2+x, 1+work+search, s.width, s.height)
	}
	if s.over != nil {
		out = widget.Center(out, s.over.view(s.width, s.height), s.width, s.height)
	}
	return out
}

func (s *Screen) panelWidth() int {
	w, _ := s.panel.Inner()
	return w
}

func (s *Screen) facetsPanel(width int) string {
	return s.facets.view(s.theme, width, s.height-s.drawerTop())
}

// middle draws the table with what stands above it.
func (s *Screen) middle() string {
	s.panel.Focused = !s.facets.focused && s.over == nil
	s.panel.Info, s.panel.Footer = s.info(), s.footer()
	s.grid.Empty = s.empty()
	s.grid.Marked = nil
	if s.picked.len() > 0 || s.picked.taking {
		s.grid.Marked = s.isMarked
	}
	w, _ := s.panel.Inner()
	var lines []string
	search, counts, work := s.head()
	if work > 0 {
		lines = append(lines, s.run.line(s.theme, w))
	}
	if search > 0 {
		lines = append(lines, s.bar.view(w))
	}
	s.counts.spans = s.counts.spans[:0]
	if counts > 0 {
		lines = append(lines, s.counts.view(&s.facets, w)...)
	}
	return s.panel.View(strings.Join(append(lines, s.grid.view(w)), "\n"))
}

func (s *Screen) isMarked(i int) bool {
	row, ok := s.grid.at(i)
	return ok && s.picked.has(row.ID)
}

// info counts what is shown and what is marked.
func (s *Screen) info() string {
	if s.answer == nil {
		return ""
	}
	text := fmt.Sprintf("%d of %d", s.answer.result.Len(), s.answer.base)
	if n := s.picked.len(); n > 0 {
		text = fmt.Sprintf("%d selected · %s", n, text)
	}
	return text
}

// footer says how the table is sorted.
func (s *Screen) footer() string {
	if s.picked.taking {
		return "V ends the range"
	}
	o := s.sorted()
	if o.Key == "" {
		return "best match first"
	}
	c, ok := columnOf(o.Key)
	if !ok {
		return ""
	}
	switch {
	case c.down && o.Desc:
		return "by " + strings.ToLower(c.head.Title) + ", newest first"
	case c.down:
		return "by " + strings.ToLower(c.head.Title) + ", oldest first"
	case o.Desc:
		return "by " + strings.ToLower(c.head.Title) + ", Z to A"
	}
	return "by " + strings.ToLower(c.head.Title)
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
