package builder

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// key passes a key to the focused pane.
func (s *Screen) key(msg tea.KeyMsg) tea.Cmd {
	switch s.panes.Focused() {
	case paneForm:
		if s.host.editor == nil {
			return nil
		}
		if to, ok := s.host.tabBarTarget(msg.String()); ok {
			return s.openSibling(to)
		}
		if msg.String() == "?" && !s.host.editor.Typing() && !s.host.editor.Modal() {
			return screen.Send(screen.HelpMsg{})
		}
		return s.formKey(msg)
	case paneSide:
		return s.side.key(msg)
	default:
		if s.sections.list.Update(msg) {
			s.follow()
		}
	}
	return nil
}

// formKey passes a key to the form. A place that the form opens is opened before the next key, which may have
// been typed already and belongs there.
func (s *Screen) formKey(msg tea.KeyMsg) tea.Cmd {
	cmd := s.host.editor.Update(msg)
	if msg.Paste {
		return s.adopt(cmd, true)
	}
	if _, plain := s.host.editor.(*forms.Form); !plain || cmd == nil || msg.String() == pasteKey {
		return s.adopt(cmd, false) // other editors open places through their host, and their commands may be slow
	}
	from := s.host.editor
	changed := s.adopt(nil, false)
	switch m := cmd().(type) {
	case forms.OpenMsg:
		if s.host.editor != from { // the change is already shown
			return changed
		}
		return tea.Batch(changed, s.open(m.Path))
	case forms.OpenEditorMsg:
		return tea.Batch(changed, s.editText(m))
	default:
		return tea.Batch(changed, screen.Send(m))
	}
}

// pasteKey makes the form read the clipboard, which may be slow.
const pasteKey = "ctrl+v"

// mouse passes a mouse event to the pane under it; a click focuses that pane.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, msg := s.panes.Mouse(msg)
	press := widget.Pressed(msg)
	switch {
	case pane == paneSections:
		if s.sections.list.Mouse(msg, msg.Y) && press {
			s.leave(paneSections)
			s.follow()
		}
	case pane == paneSide:
		return s.sideMouse(msg, press)
	case pane == paneForm && s.host.editor != nil:
		return s.formMouse(msg, press)
	}
	return nil
}

// formMouse handles a mouse event on the form or its tab bar.
func (s *Screen) formMouse(msg tea.MouseMsg, press bool) tea.Cmd {
	if s.sections.at(s.host.path).state == sectionNotApplicable {
		return nil
	}
	if press {
		s.focusForm()
	}
	msg.Y -= s.host.tabBarHeight()
	if msg.Y < 0 {
		if s.host.tabBar != nil && press {
			if to, ok := s.host.tabBar.ClickTarget(s.edit.Root(), s.host.path, msg.X); ok {
				return s.openSibling(to)
			}
		}
		return nil
	}
	return s.adopt(s.host.editor.Update(msg), false)
}

// sideMouse handles a mouse event on the pane beside the form.
func (s *Screen) sideMouse(msg tea.MouseMsg, press bool) tea.Cmd {
	cmd, hit := s.side.mouse(msg)
	switch {
	case hit && press:
		return s.openSelectedProblem()
	case press:
		s.focusSide(s.side.shows)
	}
	return cmd
}
