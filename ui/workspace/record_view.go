package workspace

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// infoMinWidth is the width from which the info pane is beside the form.
const infoMinWidth = 100

func (s *Record) showsBoth() bool { return s.width >= infoMinWidth }

func (s *Record) formWidth() int {
	if s.showsBoth() {
		return s.width * 3 / 5
	}
	return s.width
}

// SetSize divides the screen.
func (s *Record) SetSize(width, height int) {
	s.width, s.height = width, height
	if s.layout(); s.form.editor != nil {
		s.info.describe(&s.form)
	}
}

func (s *Record) layout() {
	h := max(s.height-2, 1)
	s.form.setSize(max(s.formWidth()-4, 1), h)
	w := s.width
	if s.showsBoth() {
		w = s.width - s.formWidth()
	}
	s.info.setSize(max(w-4, 1), h)
}

// View draws the form and the pane beside it.
func (s *Record) View() string {
	switch {
	case s.width == 0 || s.height == 0:
		return ""
	case s.form.editor == nil:
		return s.loadingText()
	case s.showsBoth():
		return widget.JoinHorizontal(s.formPanel(), s.infoPanel(s.width-s.formWidth()))
	case s.form.active:
		return s.formPanel()
	}
	return s.infoPanel(s.width)
}

func (s *Record) loadingText() string {
	panel := widget.NewPanel(s.theme, s.Title())
	panel.SetSize(s.width, s.height)
	text := s.theme.Muted.Render("Reading…")
	if s.failed != nil {
		text = strings.Join(widget.Wrap(widget.Clean(phrase.Sentence(s.failed.Error())), max(s.width-4, 1)), "\n")
		text = s.theme.Danger.Render(text) + "\n" + s.theme.Muted.Render("Press r to try again.")
	}
	return panel.View(text)
}

func (s *Record) formPanel() string {
	panel := widget.NewPanel(s.theme, s.form.title())
	panel.Focused = s.form.active
	panel.SetSize(s.formWidth(), s.height)
	return panel.View(s.form.editor.View())
}

func (s *Record) infoPanel(width int) string {
	panel := widget.NewPanel(s.theme, s.info.title())
	panel.Focused = !s.form.active
	panel.SetSize(width, s.height)
	return panel.View(s.info.view())
}

func (s *Record) mouse(msg tea.MouseMsg) tea.Cmd {
	if s.showsBoth() && msg.X >= s.formWidth() || !s.showsBoth() && !s.form.active {
		if s.showsBoth() {
			msg.X -= s.formWidth()
		}
		return s.info.mouse(msg)
	}
	msg.X, msg.Y = msg.X-2, msg.Y-1
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
