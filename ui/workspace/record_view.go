package workspace

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// SetSize divides the screen.
func (s *Record) SetSize(width, height int) {
	s.panes.SetSize(width, height)
	s.form.setSize(s.panes.Size(paneForm))
	s.info.setSize(s.panes.Size(paneInfo))
	if s.form.editor != nil {
		s.info.describe(&s.form)
	}
}

// View draws the form and the pane beside it.
func (s *Record) View() string {
	switch {
	case s.failed != nil && s.form.editor == nil:
		return s.panes.Message(s.Title(), phrase.Sentence(s.failed.Error())+"\nPress r to try again.")
	case s.form.editor == nil:
		return s.panes.Message(s.Title(), "Reading…")
	}
	s.focusActive()
	return s.panes.View(func(pane int) panes.Content {
		if pane == paneForm {
			return panes.Content{Title: s.form.title(), Body: s.form.editor.View()}
		}
		return panes.Content{Title: s.info.title(), Body: s.info.view()}
	})
}

// focusActive focuses the form while it has the keyboard, otherwise the pane beside it.
func (s *Record) focusActive() {
	s.panes.Focus(paneInfo)
	if s.form.active {
		s.panes.Focus(paneForm)
	}
}

func (s *Record) mouse(msg tea.MouseMsg) tea.Cmd {
	s.focusActive()
	pane, msg := s.panes.Mouse(msg)
	if pane == paneInfo {
		return s.info.mouse(msg)
	}
	if !s.form.active && widget.Pressed(msg) {
		s.focusForm()
	}
	return s.form.update(msg, false)
}

// helpEntries describes keys that are handled in Update; the first ones are shown in the status bar, unless bar
// is 0.
func helpEntries(bindings []key.Binding, bar int) []screen.Action {
	var acts []screen.Action
	for i, b := range bindings {
		h := b.Help()
		if h.Key == "esc" {
			continue // the screen has an entry for it
		}
		a := screen.Action{Keys: []string{h.Key}, Label: h.Desc, Group: "Form", WhileTyping: true, HelpOnly: true}
		if i < 3 && bar > 0 {
			a.BarPriority = bar - i
		}
		acts = append(acts, a)
	}
	return acts
}
