package campaigns

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/widget"
)

// The panes, from left to right.
const (
	paneFacets = iota
	paneTable
	paneDetails
)

// tabOrder is the order in which tab focuses the panes.
var tabOrder = []int{paneTable, paneFacets, paneDetails}

const (
	// tableWidth is the width, including the frame, that fits long names, the state, the channel and the last change.
	// Side panes get the rest.
	tableWidth      = 86
	facetsWidth     = 24
	minDetailsWidth = 28
)

func newPanes(t *themes.Theme) panes.Panes {
	return panes.New(t,
		panes.Pane{Name: "filters", From: tableWidth + facetsWidth + minDetailsWidth, Min: facetsWidth, Max: facetsWidth, Focused: 26},
		panes.Pane{Name: "list", Min: tableWidth},
		panes.Pane{Name: "details", From: tableWidth + minDetailsWidth, Share: 100, Min: minDetailsWidth, Max: 48, Focused: 42},
	)
}

// after returns the pane n positions after the focused one.
func (s *Screen) after(n int) int {
	at := slices.Index(tabOrder, s.panes.Focused())
	return tabOrder[(at+n+len(tabOrder))%len(tabOrder)]
}

// stateBarMinHeight is the height from which the states are shown above the table.
const stateBarMinHeight = 14

// SetSize sets the size of the screen.
func (s *Screen) SetSize(width, height int) {
	s.panes.SetSize(width, height)
	s.layoutPanes()
}

// headerHeights returns the numbers of lines above the table: why the cursor is on no campaign, the search, and the states.
func (s *Screen) headerHeights() (why, search, states int) {
	if !s.panes.Shown(paneFacets) && s.panes.Height() >= stateBarMinHeight && s.ix.Len() > 0 {
		states = 1
	}
	return len(s.whyNoCursor()), s.bar.lines(), states
}

// whyNoCursor says why the cursor is on no campaign, if the user can show it.
func (s *Screen) whyNoCursor() []string {
	if !s.hidden() {
		return nil
	}
	w, _ := s.panes.Size(paneTable)
	return widget.WrapStyled(s.theme.Tone(themes.ToneWarning), s.grid.missing, w)
}

// layoutPanes sets the sizes of what the panes show. It is called whenever one of them changes its size.
func (s *Screen) layoutPanes() {
	s.facets.SetSize(s.panes.Size(paneFacets))
	w, h := s.panes.Size(paneTable)
	why, search, states := s.headerHeights()
	s.grid.SetSize(w, max(h-why-search-states, 0))
}

// View draws the screen.
func (s *Screen) View() string {
	s.layoutPanes()
	s.describe()
	s.panes.Blurred = s.Covered()
	s.grid.Focused = s.panes.Focused() == paneTable && !s.Covered()
	s.facets.Focused = s.panes.Focused() == paneFacets
	s.grid.now = s.now()
	width, height := s.panes.Width(), s.panes.Height()
	out := s.panes.View(func(pane int) panes.Content {
		switch pane {
		case paneFacets:
			return panes.Content{Title: "Filters", Footer: "tab", Body: s.facets.View()}
		case paneDetails:
			return panes.Content{Title: "Selected", Body: s.details.View()}
		}
		return s.tableContent()
	})
	w, _ := s.panes.Size(paneTable)
	if box, x := s.bar.dropdown(w, height-4); box != "" {
		why, search, _ := s.headerHeights()
		out = widget.Cover(out, box, s.panes.Rect(paneTable).X+2+x, 1+why+search, width, height)
	}
	return out
}

// focusPane focuses a pane.
func (s *Screen) focusPane(pane int) tea.Cmd {
	s.panes.Focus(pane)
	s.bar.blur()
	s.layoutPanes()
	return nil
}

// tableContent draws the table with the lines above it.
func (s *Screen) tableContent() panes.Content {
	c := panes.Content{Title: "Campaigns", Info: s.info(len(s.selection))}
	if s.sorted().Key == "" {
		c.Footer = "best match first"
	}
	s.grid.Empty = s.empty()
	s.grid.Marked = nil
	if len(s.selection) > 0 {
		s.grid.Marked = s.markedAt
	}
	w, _ := s.panes.Size(paneTable)
	lines := s.whyNoCursor()
	_, search, states := s.headerHeights()
	if search > 0 {
		lines = append(lines, s.bar.view(w))
	}
	if states > 0 {
		lines = append(lines, s.states.view(s.theme, w))
	}
	s.grid.NoCursor = s.grid.missing != ""
	c.Body = strings.Join(append(lines, s.grid.View()), "\n")
	return c
}
