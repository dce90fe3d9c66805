package campaigns

import tea "github.com/charmbracelet/bubbletea"

// markedAt reports whether the campaign in a row is selected.
func (s *Screen) markedAt(i int) bool {
	row, ok := s.grid.at(i)
	return ok && s.selection[row.ID]
}

// mark toggles the campaign under the cursor and moves to the next one.
func (s *Screen) mark() tea.Cmd {
	if row, ok := s.selected(); ok {
		if s.selection[row.ID] {
			delete(s.selection, row.ID)
		} else {
			s.selection[row.ID] = true
		}
		s.grid.Move(1)
		s.moved()
	}
	return s.updateOutlook()
}

// markAll selects everything found, or nothing if all is selected.
func (s *Screen) markAll() tea.Cmd {
	selected := len(s.selection)
	for i := range s.grid.Len() {
		s.selection[s.grid.result.ID(i)] = true
	}
	if len(s.selection) == selected {
		clear(s.selection)
	}
	return nil
}
