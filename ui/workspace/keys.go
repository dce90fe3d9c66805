package workspace

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// key handles the keys that move, and text in the filter.
func (s *List) key(msg tea.KeyMsg) tea.Cmd {
	switch {
	case s.filtering:
		return s.filterKey(msg)
	case s.reading():
		s.report.pager.Update(msg)
	case s.panes.Focused() == paneRecords:
		s.table.Window.Update(msg)
		s.show()
	default:
		before := s.list.Cursor
		if s.list.Update(msg) && s.list.Cursor != before {
			return s.sectionTurned()
		}
	}
	return nil
}

// sectionTurned shows another section and clears the filter.
func (s *List) sectionTurned() tea.Cmd {
	var cmd tea.Cmd
	if s.filter.Value() != "" {
		s.filter.SetValue("")
		cmd = s.load()
	}
	s.report.close()
	s.sectionChanged()
	s.layout()
	return cmd
}

func (s *List) filterKey(msg tea.KeyMsg) tea.Cmd {
	if !s.filter.Update(msg) {
		if msg.Type != tea.KeyRunes {
			s.table.Window.Update(msg)
			s.show()
		}
		return nil
	}
	if s.section().SearchOnly {
		return s.find()
	}
	s.filterRecords()
	s.table.Home()
	s.show()
	return nil
}

// reading reports whether a report has the keyboard.
func (s *List) reading() bool { return s.report.open && s.panes.Focused() == paneRecords }

func (s *List) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, msg := s.panes.Mouse(msg)
	switch {
	case pane == paneSections:
		return s.sectionsMouse(msg)
	case pane == paneRecords && s.report.open:
		s.report.pager.Mouse(msg)
	case pane == paneRecords:
		return s.recordsMouse(msg)
	case pane == paneDetail:
		s.detail.Mouse(msg)
	}
	return nil
}

func (s *List) sectionsMouse(msg tea.MouseMsg) tea.Cmd {
	before, alone := s.list.Cursor, s.panes.Alone()
	if !s.list.Mouse(msg, msg.Y) {
		return nil
	}
	var cmd tea.Cmd
	turned := s.list.Cursor != before
	if turned {
		cmd = s.sectionTurned()
	}
	switch {
	case widget.Pressed(msg) && alone && !turned:
		s.focusRecords()
	case widget.Pressed(msg):
		s.focusSections()
	}
	return cmd
}

func (s *List) recordsMouse(msg tea.MouseMsg) tea.Cmd {
	y := msg.Y - len(s.header())
	i, ok := s.table.RowAt(y)
	again := ok && i == s.table.Cursor && s.panes.Focused() == paneRecords && !s.filtering
	if !s.table.Mouse(msg, y) || !widget.Pressed(msg) {
		s.show()
		return nil
	}
	s.focusRecords()
	if again {
		return s.open()
	}
	return nil
}
