package campaigns

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/search/index"
)

// selection is the set of selected campaigns, independent of sorting and searching.
type selection struct {
	ids    map[string]bool
	anchor string // the ID that was selected last, at which a range begins
}

func (p *selection) len() int { return len(p.ids) }

func (p *selection) add(id string) {
	if p.ids == nil {
		p.ids = map[string]bool{}
	}
	p.ids[id] = true
	p.anchor = id
}

func (p *selection) toggle(id string) {
	if p.ids[id] {
		delete(p.ids, id)
		return
	}
	p.add(id)
}

// addRange selects what is between the anchor and a row; only that row if the anchor is not in the result.
func (p *selection) addRange(r *index.Result, to int) {
	from := r.Find(p.anchor)
	if from < 0 {
		from = to
	}
	for i := min(from, to); i <= max(from, to); i++ {
		p.add(r.ID(i))
	}
	p.anchor = r.ID(to)
}

// markedAt reports whether the campaign in a row is selected.
func (s *Screen) markedAt(i int) bool {
	row, ok := s.grid.at(i)
	return ok && s.selection.ids[row.ID]
}

// mark toggles the campaign under the cursor and moves to the next one.
func (s *Screen) mark() tea.Cmd {
	if row, ok := s.selected(); ok {
		s.selection.toggle(row.ID)
		s.grid.Move(1)
		s.moved()
	}
	return s.updateOutlook()
}

// markRange selects up to the campaign under the cursor.
func (s *Screen) markRange() tea.Cmd {
	if _, ok := s.selected(); ok {
		s.selection.addRange(s.grid.result, s.grid.Cursor)
	}
	return nil
}

// markAll selects everything found, or nothing if all is selected.
func (s *Screen) markAll() tea.Cmd {
	selected := s.selection.len()
	for i := range s.grid.Len() {
		s.selection.add(s.grid.result.ID(i))
	}
	if s.selection.len() == selected {
		s.selection = selection{}
	}
	return nil
}
