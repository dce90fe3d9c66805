package workspace

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// key handles the keys that move, and text in the filter.
func (s *List) key(msg tea.KeyMsg) tea.Cmd {
	switch s.focus {
	case paneFilter:
		return s.filterKey(msg)
	case paneReport:
		s.report.pager.Update(msg)
	case paneRecords:
		s.table.Window.Update(msg)
		s.show()
	case paneSections:
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

func (s *List) mouse(msg tea.MouseMsg) tea.Cmd {
	press := widget.Pressed(msg)
	left := s.listWidth()
	if s.showsBoth() && msg.X < left || !s.showsBoth() && s.focus == paneSections {
		before := s.list.Cursor
		if !s.list.Mouse(msg, msg.Y-1) {
			return nil
		}
		if press {
			s.focus = paneSections
		}
		if s.list.Cursor != before {
			return s.sectionTurned()
		}
		if press && !s.showsBoth() {
			s.focus = paneRecords
		}
		s.show()
		return nil
	}
	if s.report.open {
		s.report.pager.Mouse(msg)
		return nil
	}
	again := false
	if i, ok := s.table.RowAt(msg.Y - s.tableTop()); ok && press {
		again = i == s.table.Cursor && s.focus == paneRecords
	}
	if s.table.Mouse(msg, msg.Y-s.tableTop()) && press {
		s.focus = paneRecords
		s.filter.Blur()
		if again {
			s.show()
			return s.open()
		}
	}
	s.show()
	return nil
}
