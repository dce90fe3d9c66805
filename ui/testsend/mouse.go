package testsend

import (
	tea "github.com/charmbracelet/bubbletea"
)

// mouse hands the mouse to what is shown.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if !s.ready() {
		return nil
	}
	if pressed(msg) && msg.Y == 0 && s.stage != stageForm && msg.X <= 2+s.way {
		return s.up()
	}
	switch s.stage {
	case stageRefused:
		if s.refusal.list.Mouse(msg, msg.Y-2-len(s.refusalHead())) {
			return s.toProblem()
		}
		return nil
	case stageSending, stageDone:
		return s.runMouse(msg)
	case stageGroups:
		return s.pageMouse(&s.groups.list, msg, func() tea.Cmd {
			if g, ok := s.group(); ok {
				return s.useGroup(g, false)
			}
			return nil
		})
	case stageEarlier:
		return s.pageMouse(&s.past.list, msg, s.fillPast)
	}
	return s.formMouse(msg)
}

func (s *Screen) formMouse(msg tea.MouseMsg) tea.Cmd {
	aside := s.onSide(msg.X, msg.Y)
	switch by := wheel(msg); {
	case by != 0 && aside:
		s.gridTop = max(s.gridTop+by, 0)
	case by != 0 && !s.beside():
		s.move(by)
	case aside && pressed(msg):
		s.focus(spot{onGrid, 0})
	case pressed(msg):
		return s.press(msg)
	}
	return nil
}

// wheel returns the lines by which the wheel was turned.
func wheel(msg tea.MouseMsg) int {
	return map[tea.MouseButton]int{tea.MouseButtonWheelUp: -1, tea.MouseButtonWheelDown: 1}[msg.Button]
}

func pressed(msg tea.MouseMsg) bool {
	return msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
}

// promptX is the column of the prompt, behind the frame and the sign of the cursor.
const promptX = 5

// press does what the row under the mouse is for.
func (s *Screen) press(msg tea.MouseMsg) tea.Cmd {
	at, line, ok := s.spotAt(msg.Y - 1)
	if !ok {
		return nil
	}
	if at.place == onPrompt && s.offering() {
		if i, ok := s.form.list.RowAt(line - s.form.promptLines); ok && s.form.list.Highlight(i) {
			s.accept()
			return s.refresh()
		}
	}
	s.focus(at)
	switch at.place {
	case onPrompt:
		s.form.prompt.Press(msg.X - promptX)
	case onSend:
		return s.send()
	case onIdentifier, onNarrowing:
		return s.choose()
	}
	return nil
}
