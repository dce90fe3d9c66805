package builder

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// key hands a key to the pane that has the keyboard.
func (s *Screen) key(msg tea.KeyMsg) tea.Cmd {
	if !s.loaded {
		return nil
	}
	switch s.focus {
	case paneForm:
		if s.form == nil {
			return nil
		}
		if to, ok := s.stripGo(msg.String()); ok {
			return to
		}
		if msg.String() == "?" && !s.form.Typing() && !s.form.Modal() {
			return screen.Send(screen.HelpMsg{})
		}
		return s.formKey(msg)
	case paneInfo:
		return s.infoKey(msg)
	default:
		if s.list.Update(msg) {
			s.follow()
		}
	}
	return nil
}

// formKey hands a key to the form. What the form asks to be opened is opened before the next key
// is looked at: it may be there already, and is meant for what is opened.
func (s *Screen) formKey(msg tea.KeyMsg) tea.Cmd {
	cmd := s.form.Update(msg)
	if msg.Paste {
		return s.fromPaste(cmd)
	}
	if _, plain := s.form.(*forms.Form); !plain || cmd == nil || msg.String() == pasteKey {
		return s.fromForm(cmd) // another editor opens by its host, and its commands may take their time
	}
	from := s.form
	changed := s.fromForm(nil)
	switch m := cmd().(type) {
	case forms.OpenMsg:
		if s.form != from { // what was changed is shown otherwise
			return changed
		}
		return tea.Batch(changed, s.open(m.Path))
	case forms.EditMsg:
		return tea.Batch(changed, s.editText(m))
	default:
		return tea.Batch(changed, screen.Send(m))
	}
}

// pasteKey makes the form read the clipboard, which may take its time.
const pasteKey = "ctrl+v"

func (s *Screen) infoKey(msg tea.KeyMsg) tea.Cmd {
	switch s.info.tab {
	case tabProblems:
		s.info.list.Update(msg)
	case tabJSON:
		s.info.json.Update(msg)
	case tabAside:
		return s.info.aside.Update(msg)
	default:
		s.info.pager.Update(msg)
	}
	return nil
}

// mouse hands the mouse to the pane under it, and a press gives that pane the keyboard.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if !s.loaded {
		return nil
	}
	l := s.layout
	press := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	inSide := l.wide && msg.X >= l.parts.w+l.main.w || !l.wide && msg.Y >= l.main.h
	switch {
	case msg.X < l.parts.w:
		if s.list.Mouse(msg, msg.Y-1) && press {
			s.focus = paneParts
			s.follow()
		}
	case inSide:
		return s.sideMouse(msg, press)
	case s.form != nil:
		return s.formMouse(msg, press)
	}
	return nil
}

// sideMouse is the mouse beside the form: on the tabs, or on the view that stands below them.
func (s *Screen) sideMouse(msg tea.MouseMsg, press bool) tea.Cmd {
	y := msg.Y - 1
	if !s.layout.wide {
		y -= s.layout.main.h
	}
	tabs, _ := s.sides()
	below := s.info.split && y >= tabs.h-1
	switch {
	case press && below:
		s.info.top, s.info.tab, s.info.chosen = s.info.upper(), tabAside, true
	case press && s.info.split:
		s.info.tab = s.info.upper()
	}
	if press {
		s.toInfo()
		s.info.chosen = true
		s.refreshInfo() // its cursor shows that it has the keyboard
	}
	if press && y < 0 {
		s.pressTab(msg.X - s.sideX())
		return nil
	}
	if below {
		msg.X, msg.Y = msg.X-s.sideX()-2, y-tabs.h
		return s.info.aside.Update(msg)
	}
	switch s.info.tab {
	case tabProblems:
		if s.info.list.Mouse(msg, y) && press {
			return s.toProblem()
		}
	case tabJSON:
		s.info.json.Mouse(msg)
	case tabAside:
		msg.X, msg.Y = msg.X-s.sideX()-2, y
		return s.info.aside.Update(msg)
	default:
		s.info.pager.Mouse(msg)
	}
	return nil
}

// pressTab turns to the view whose name stands at a column of the side pane's frame.
func (s *Screen) pressTab(x int) {
	at := widget.Width("╭─ ")
	for _, t := range s.info.tabs() {
		w := widget.Width(s.tabName(t))
		if x >= at && x < at+w {
			s.info.tab, s.info.chosen = t, true
			s.refreshInfo()
			return
		}
		at += w + 1
	}
}

// formMouse is the mouse on the form, or on the line above it.
func (s *Screen) formMouse(msg tea.MouseMsg, press bool) tea.Cmd {
	if s.partOf(s.path).state == partForeign {
		return nil
	}
	if press {
		s.focus = paneForm
	}
	msg.X, msg.Y = msg.X-s.layout.parts.w-2, msg.Y-1-s.stripLines()
	if msg.Y < 0 {
		return s.stripClick(msg.X, press)
	}
	return s.fromForm(s.form.Update(msg))
}
