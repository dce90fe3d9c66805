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
		if !s.form.IsOpen() {
			return nil
		}
		if to, ok := s.form.Sibling(msg.String()); ok {
			return s.openSibling(to)
		}
		if msg.String() == "?" && !s.form.Typing() && !s.form.Modal() {
			return screen.Send(screen.HelpMsg{})
		}
		return s.formKey(msg)
	case paneSide:
		return s.side.key(msg)
	default:
		s.sections.Key(msg)
		s.follow()
	}
	return nil
}

// formKey passes a key to the form. A place that the form opens is opened before the next key, which may have
// been typed already and belongs there.
func (s *Screen) formKey(msg tea.KeyMsg) tea.Cmd {
	cmd := s.form.Update(msg)
	if msg.Paste {
		return s.adopt(cmd, true)
	}
	if _, plain := s.form.Editor.(*forms.Form); !plain || cmd == nil || msg.String() == pasteKey {
		return s.adopt(cmd, false) // other editors open places through their host, and their commands may be slow
	}
	from := s.form.Editor
	changed := s.adopt(nil, false)
	switch m := cmd().(type) {
	case forms.OpenMsg:
		if s.form.Editor != from { // the change is already shown
			return changed
		}
		return tea.Batch(changed, s.open(m.Path))
	case forms.OpenEditorMsg:
		return tea.Batch(changed, s.form.EditOutside(m, s.edited, s.setValue))
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
		if hit, _ := s.sections.Mouse(msg); hit && press {
			s.leave(paneSections)
			s.follow()
		}
	case pane == paneSide:
		return s.sideMouse(msg, press)
	case pane == paneForm && s.form.IsOpen():
		return s.formMouse(msg, press)
	}
	return nil
}

// formMouse handles a mouse event on the form or its tab bar.
func (s *Screen) formMouse(msg tea.MouseMsg, press bool) tea.Cmd {
	if s.sections.at(s.form.Path()).state == sectionNotApplicable {
		return nil
	}
	if press {
		s.focusForm()
	}
	cmd, to := s.form.Mouse(msg)
	if to != nil {
		return s.openSibling(to)
	}
	return s.adopt(cmd, false)
}

// sideMouse handles a mouse event on the pane beside the form.
func (s *Screen) sideMouse(msg tea.MouseMsg, press bool) tea.Cmd {
	cmd, hit := s.side.mouse(msg)
	switch {
	case hit && press:
		return s.openSelectedProblem()
	case press:
		s.focusSide(s.side.chosen)
	}
	return cmd
}
