package builder

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/resolve"
	"bugle/ui/screen"
	"bugle/ui/viewas"
	"bugle/ui/widget"
)

func (s *Screen) viewSource() viewas.Source {
	return viewas.Source{Channel: s.edit.Head().Channel, Workspace: s.edit.Workspace(), Document: s.edit.Root()}
}

// preview returns the preview beside the form; false if another panel is there.
func (s *Screen) preview() (*previewPanel, bool) {
	p, ok := s.side.Panel.(*previewPanel)
	return p, ok
}

// chooseViewer opens the chooser, with the preview visible if the place has one.
func (s *Screen) chooseViewer() tea.Cmd {
	s.messageAt = s.form.Path()
	s.side.chosen = sidePanel
	c := viewas.NewChooser(s.viewing, s.deps.Theme, viewas.ChooserHost{
		Title: "View as", Group: groupViewAs, Preview: true, Choice: s.chosenViewer, Source: s.viewSource, Choose: s.viewAs,
	})
	s.viewBox = c
	return s.viewing.Tasks.Show(c, c.Open())
}

// chosenViewer returns the current choice, and the user if it is one that is known.
func (s *Screen) chosenViewer() (viewas.Choice, *engine.User) {
	viewer, _ := s.resolver.Viewer()
	return s.resolver.Choice(), viewer.User
}

// viewer returns whose data fills the messages in the browser, which never shows them as written: that of nobody unless
// somebody was chosen and found.
func (s *Screen) viewer() resolve.Viewer {
	if found, ok := s.resolver.Viewer(); ok {
		return found
	}
	return resolve.Viewer{Person: resolve.Person{Kind: resolve.Nobody}}
}

// viewAs changes whose data fills the messages.
func (s *Screen) viewAs(c viewas.Choice, u *engine.User) tea.Cmd {
	return s.finish(s.resolver.Choose(c, u))
}

// openSurvey surveys the audience.
func (s *Screen) openSurvey() tea.Cmd {
	survey := viewas.NewSurvey(s.viewing, s.deps.Theme, s.viewSource, s.visit)
	s.viewBox = survey
	return s.viewing.Tasks.Show(survey, survey.Start())
}

// groupViewAs is the heading of its keys in the help.
const groupViewAs = "View as"

// viewAsActions are the actions on the person that the preview shows the messages as.
func (s *Screen) viewAsActions() []screen.Action {
	if !s.edit.Head().Channel.Writable() {
		return nil
	}
	p, shown := s.preview()
	inPreview := shown && s.panes.Focused() == paneSide && s.side.inPanel()
	choose := screen.Action{Keys: []string{"u", "alt+u"}, Label: "view as", Help: "see the message as one of your users gets it", Group: groupViewAs, WhileTyping: true, Run: s.chooseViewer}
	survey := screen.Action{Keys: []string{"S", "alt+S"}, Label: "survey", Help: "resolve the message for everyone in the audience", Group: groupViewAs, WhileTyping: true, Run: s.openSurvey}
	if _, ok := s.viewing.Audience(); !ok {
		survey.DisabledReason = "This service does not show its users, so that nobody can say who is in the audience."
	}
	if !inPreview {
		if s.inContent() && !s.Typing() {
			choose.BarPriority = 4
		}
		return []screen.Action{choose, survey}
	}
	choose.BarPriority, survey.BarPriority = 10, 4
	acts := []screen.Action{choose, survey}
	if !p.resolves() {
		return acts
	}
	acts = append(acts, screen.Action{Keys: []string{"r"}, Label: "reload", Help: "resolve the message again and call its content APIs", Group: groupViewAs, BarPriority: 3, Run: s.resolver.Refresh})
	if m, ok := p.caption().Named(); ok {
		acts = append(acts,
			screen.Action{Keys: []string{"enter"}, Label: "go to field", Help: "go to the field of the missing value", Group: groupViewAs, BarPriority: 9, Run: func() tea.Cmd { return s.goToMissing(m) }},
			screen.Action{Keys: []string{"."}, Label: "next missing", Help: "name the next missing value", Group: groupViewAs, BarPriority: 3, Run: s.nameNext},
		)
	}
	return acts
}

// goToMissing goes to the field of a missing value. The next time it is the next one.
func (s *Screen) goToMissing(m resolve.Missing) tea.Cmd {
	s.nameNext()
	if m.Block != "" {
		return tea.Batch(s.goTo(m.Path), screen.Notify(widget.LevelInfo, "The expression is in the content block "+strings.TrimSpace(m.Block)+"."))
	}
	return s.goTo(m.Path)
}

// nameNext makes the caption name the next missing value.
func (s *Screen) nameNext() tea.Cmd {
	s.resolver.NameNext()
	return nil
}
