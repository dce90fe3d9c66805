package workspace

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/list"
	"bugle/ui/widget"
)

// key handles the keys that move, and text in the filter.
func (s *List) key(msg tea.KeyMsg) tea.Cmd {
	switch {
	case s.reading():
		s.report.pager.Update(msg)
	case s.panes.Focused() == paneRecords:
		return s.recordsKey(msg)
	default:
		if s.sections.Key(msg) == list.Moved {
			return s.sectionTurned()
		}
	}
	return nil
}

// sectionTurned shows another section and clears the filter.
func (s *List) sectionTurned() tea.Cmd {
	var cmd tea.Cmd
	if s.rows.FilterText() != "" {
		s.rows.ClearFilter()
		cmd = s.load()
	}
	s.report.close()
	s.sectionChanged()
	s.layout()
	return cmd
}

func (s *List) recordsKey(msg tea.KeyMsg) tea.Cmd {
	change := s.rows.Key(msg)
	if change == list.Filtered && s.section().SearchOnly {
		return s.find()
	}
	if change == list.Filtered {
		s.filterRecords()
		s.rows.SelectIndex(0)
	}
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
	before, alone := s.sections.Index(), s.panes.Alone()
	if hit, _ := s.sections.Mouse(msg); !hit {
		return nil
	}
	var cmd tea.Cmd
	turned := s.sections.Index() != before
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
	msg.Y -= len(s.header())
	hit, again := s.rows.Mouse(msg)
	if hit && widget.Pressed(msg) {
		s.focusRecords()
	}
	s.show()
	if row, ok := s.rows.Selected(); again && ok {
		return s.open(row)
	}
	return nil
}
