package campaigns

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

const (
	// tableWidth is what the table needs, its frame included, to show long names, the state, the channel and
	// the last change. What stands beside it gets the rest.
	tableWidth   = 86
	facetsWidth  = 24
	leastDetails = 28
	mostDetails  = 48
	// The widths that the facets and the details take from the table while they have the keyboard, and what is
	// left to it at least: in a narrower window they have all of it.
	focusedFacets  = 26
	focusedDetails = 42
	leastTable     = 30
)

// place is a pane that can have the keyboard.
type place uint8

const (
	inTable place = iota
	inFacets
	inDetails
	places
)

// placeNames are what the panes are called in keys.
var placeNames = [places]string{"list", "filters", "details"}

// area is a part of the screen, in cells; of no width where a pane is not shown.
type area struct{ x, y, w, h int }

func (a area) has(x, y int) bool { return x >= a.x && x < a.x+a.w && y >= a.y && y < a.y+a.h }

// panes is where the panes are.
type panes struct{ table, facets, details area }

// frame shares the screen out among the panes.
type frame struct {
	width, height int
	focus         place
	zoom          bool // the pane with the keyboard has the whole screen
}

// after returns the pane that is n further than the one with the keyboard.
func (f *frame) after(n int) place { return place((int(f.focus) + n + int(places)) % int(places)) }

// sides returns the widths that there are for the facets and the details beside the table; 0 where there is no room.
func (f *frame) sides() (facets, details int) {
	rest := f.width - tableWidth
	if rest >= facetsWidth+leastDetails {
		facets = facetsWidth
		rest -= facets
	}
	if rest >= leastDetails {
		details = min(rest, mostDetails)
	}
	return facets, details
}

// panes shares the screen out. A pane that has no room beside the table takes it while it has the keyboard.
func (f *frame) panes() panes {
	whole := area{0, 0, f.width, f.height}
	facets, details := f.sides()
	switch {
	case f.zoom:
		facets, details = 0, 0
	case f.focus == inFacets && facets == 0:
		facets, details = focusedFacets, 0
	case f.focus == inDetails && details == 0:
		details = focusedDetails
	}
	left := f.width - facets - details
	if f.zoom || left < leastTable {
		switch f.focus {
		case inFacets:
			return panes{facets: whole}
		case inDetails:
			return panes{details: whole}
		default:
			return panes{table: whole}
		}
	}
	return panes{area{facets, 0, left, f.height}, area{0, 0, facets, f.height}, area{f.width - details, 0, details, f.height}}
}

// countsFrom is the height from which counts stand above the table.
const countsFrom = 14

// SetSize tells the screen the cells that it may use.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.layout()
	s.describe()
}

// head is the number of lines between the frame and the table: the search, the counts, and the work that
// is going on.
func (s *Screen) head() (search, counts, work int) {
	if s.bulk.going() {
		work = 1
	}
	if facets, _ := s.sides(); facets == 0 && s.height >= countsFrom && s.source.index().Len() > 0 {
		counts = 2
	}
	return s.bar.lines(), counts, work
}

// divide returns the panes their sizes. It is called whenever what is drawn changes its size.
func (s *Screen) divide() {
	p := s.panes()
	s.facets.list.SetSize(max(p.facets.w-4, 0), max(p.facets.h-2, 0))
	s.details.pager.SetSize(max(p.details.w-4, 0), max(p.details.h-2, 0))
	if p.details.w != s.details.told {
		s.describe()
	}
	s.panel.SetSize(p.table.w, p.table.h)
	w, h := s.panel.Inner()
	search, counts, work := s.head()
	s.grid.SetSize(w, max(h-search-counts-work, 0))
}

// View draws the screen.
func (s *Screen) View() string {
	s.layout()
	s.grid.Focused = s.focus == inTable && s.over == nil
	s.facets.focused = s.focus == inFacets
	s.facets.list.Focused = s.facets.focused
	s.grid.now = s.now()
	p := s.panes()
	var blocks []string
	if p.facets.w > 0 {
		blocks = append(blocks, s.facets.view(s.theme, p.facets.w, p.facets.h))
	}
	if p.table.w > 0 {
		blocks = append(blocks, s.middle())
	}
	if p.details.w > 0 {
		blocks = append(blocks, s.details.view(s.theme, p.details, s.focus == inDetails))
	}
	out := beside(blocks)
	w, _ := s.panel.Inner()
	if box, x := s.bar.dropdown(w, s.height-4); box != "" {
		search, _, work := s.head()
		out = widget.Dropdown(out, box, p.table.x+2+x, 1+work+search, s.width, s.height)
	}
	if s.over != nil {
		out = widget.Center(out, s.over.view(s.width, s.height), s.width, s.height)
	}
	return out
}

// goOn moves the keyboard to another pane.
func (s *Screen) goOn(n int) tea.Cmd { return s.goTo(s.after(n)) }

// goTo moves the keyboard to a pane.
func (s *Screen) goTo(p place) tea.Cmd {
	s.focus = p
	s.bar.blur()
	s.settled()
	s.layout()
	return nil
}

// zoomKey is the action that zooms the focused pane, or shows the others again.
func (s *Screen) zoomKey() screen.Action {
	a := screen.ZoomAction(s.zoom, "z", groupList, func() tea.Cmd {
		s.zoom = !s.zoom
		s.layout()
		return nil
	})
	if !s.zoom && s.focus == inTable && s.panes().table.w == s.width {
		a.DisabledReason = "The list already fills the window."
	}
	return a
}

// middle draws the table with what stands above it.
func (s *Screen) middle() string {
	s.panel.Focused = s.focus == inTable && s.over == nil
	s.panel.Title, s.panel.Info, s.panel.Footer = s.title(), s.info(s.picked.len()), s.footer()
	if s.picked.taking {
		s.panel.Footer = "V ends the range"
	}
	s.grid.Empty = s.empty(s.feed)
	s.grid.Marked = nil
	if s.picked.len() > 0 || s.picked.taking {
		s.grid.Marked = s.picked.at
	}
	w, _ := s.panel.Inner()
	var lines []string
	search, counts, work := s.head()
	if work > 0 {
		lines = append(lines, s.bulk.run.line(s.theme, w))
	}
	if search > 0 {
		lines = append(lines, s.bar.view(w))
	}
	s.counts.spans = s.counts.spans[:0]
	if counts > 0 {
		lines = append(lines, s.counts.view(s.facets, w)...)
	}
	return s.panel.View(strings.Join(append(lines, s.grid.view(w)), "\n"))
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
