package builder

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// key passes a key to the focused pane.
func (ps *panes) key(msg tea.KeyMsg) tea.Cmd {
	switch ps.focus {
	case paneForm:
		if ps.host.editor == nil {
			return nil
		}
		if to, ok := ps.host.tabBarTarget(msg.String()); ok {
			return ps.openSibling(to)
		}
		if msg.String() == "?" && !ps.host.editor.Typing() && !ps.host.editor.Modal() {
			return screen.Send(screen.HelpMsg{})
		}
		return ps.formKey(msg)
	case paneInfo:
		return ps.info.key(msg)
	default:
		if ps.sections.list.Update(msg) {
			ps.follow()
		}
	}
	return nil
}

// formKey passes a key to the form. A place that the form opens is opened before the next key, which may have
// been typed already and belongs there.
func (ps *panes) formKey(msg tea.KeyMsg) tea.Cmd {
	cmd := ps.host.editor.Update(msg)
	if msg.Paste {
		return ps.adopt(cmd, true)
	}
	if _, plain := ps.host.editor.(*forms.Form); !plain || cmd == nil || msg.String() == pasteKey {
		return ps.adopt(cmd, false) // other editors open places through their host, and their commands may be slow
	}
	from := ps.host.editor
	changed := ps.adopt(nil, false)
	switch m := cmd().(type) {
	case forms.OpenMsg:
		if ps.host.editor != from { // the change is already shown
			return changed
		}
		return tea.Batch(changed, ps.open(m.Path))
	case forms.OpenEditorMsg:
		return tea.Batch(changed, ps.editText(m))
	default:
		return tea.Batch(changed, screen.Send(m))
	}
}

// pasteKey makes the form read the clipboard, which may be slow.
const pasteKey = "ctrl+v"

// mouse passes a mouse event to the pane under it; a click focuses that pane.
func (ps *panes) mouse(msg tea.MouseMsg) tea.Cmd {
	l := ps.layout
	press := widget.Pressed(msg)
	inSide := l.wide && msg.X >= l.sections.w+l.main.w || !l.wide && msg.Y >= l.main.h
	switch {
	case msg.X < l.sections.w:
		if ps.sections.list.Mouse(msg, msg.Y-1) && press {
			ps.focus = paneSections
			ps.follow()
		}
	case inSide:
		return ps.sideMouse(msg, press)
	case ps.host.editor != nil:
		return ps.formMouse(msg, press)
	}
	return nil
}

// formMouse handles a mouse event on the form or its tab bar.
func (ps *panes) formMouse(msg tea.MouseMsg, press bool) tea.Cmd {
	if ps.sections.at(ps.host.path).state == sectionNotApplicable {
		return nil
	}
	if press {
		ps.focus = paneForm
	}
	msg.X, msg.Y = msg.X-ps.layout.sections.w-2, msg.Y-1-ps.host.tabBarHeight()
	if msg.Y < 0 {
		if ps.host.tabBar != nil && press {
			if to, ok := ps.host.tabBar.ClickTarget(ps.edit.Root(), ps.host.path, msg.X); ok {
				return ps.openSibling(to)
			}
		}
		return nil
	}
	return ps.adopt(ps.host.editor.Update(msg), false)
}

// sideMouse handles a mouse event on the tabs or the side panel below them.
func (ps *panes) sideMouse(msg tea.MouseMsg, press bool) tea.Cmd {
	msg.X, msg.Y = msg.X-ps.layout.sideX(), msg.Y-1
	if !ps.layout.wide {
		msg.Y -= ps.layout.main.h
	}
	if press {
		ps.focusInfo()
		ps.info.press(msg.X, msg.Y)
		ps.refresh() // its cursor shows that it is focused
	}
	if press && msg.Y < 0 {
		return nil
	}
	cmd, hit := ps.info.mouse(msg)
	if hit && press {
		return ps.openSelectedProblem()
	}
	return cmd
}
