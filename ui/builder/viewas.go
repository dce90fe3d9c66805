package builder

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/edit"
	"bugle/engine/message/resolve"
	"bugle/themes"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/viewas"
	"bugle/ui/widget"
)

// viewAs shows the messages as one person gets them: it has the resolver that the preview reads, and the boxes over the
// panes in which that person is chosen and the audience surveyed.
type viewAs struct {
	cfg      viewas.Config
	edit     *edit.Session
	panes    *panes
	theme    *themes.Theme
	resolver *viewas.Resolver
	box      interface{ Close() tea.Cmd } // the box that was opened last; nil if none was
}

func newViewAs(s *Screen) viewAs {
	cfg := viewas.Config{Service: s.deps.Service, Campaign: s.edit.ID(), Prefs: s.deps.Prefs.Within(s.deps.Workspace), Tasks: &s.Base}
	v := viewAs{cfg: cfg, edit: s.edit, panes: s.panes, theme: s.deps.Theme, resolver: viewas.NewResolver(cfg)}
	s.panes.host.viewAs = v.resolver
	return v
}

// close closes the open box and ends its tasks.
func (v *viewAs) close() {
	if v.box != nil {
		v.box.Close()
	}
}

func (v *viewAs) source() viewas.Source {
	return viewas.Source{Channel: v.edit.Head().Channel, Workspace: v.edit.Workspace(), Document: v.edit.Root()}
}

// preview returns the preview beside the form; false if another panel is there.
func (v *viewAs) preview() (*previewPanel, bool) {
	p, ok := v.panes.info.sidePanel.(*previewPanel)
	return p, ok
}

// redraw draws the preview again.
func (v *viewAs) redraw() {
	if p, ok := v.preview(); ok {
		p.showResolved()
	}
}

// choose opens the chooser, with the preview visible if the place has one.
func (v *viewAs) choose() tea.Cmd {
	if _, ok := v.preview(); ok && !v.panes.info.split && v.panes.info.tab != tabSidePanel {
		v.panes.info.focusSidePanel()
		v.panes.refresh()
	}
	c := viewas.NewChooser(v.cfg, v.theme, viewas.ChooserHost{
		Title: "View as", Preview: true, Choice: v.chosen, Source: v.source, Choose: v.take, Room: v.panes.formSpan,
		Back: backAction("close the chooser"),
	})
	v.box = c
	return v.cfg.Tasks.Show(c, c.Open())
}

// chosen returns the current choice, and the user if it is one that is known.
func (v *viewAs) chosen() (viewas.Choice, *engine.User) {
	viewer, _ := v.resolver.Viewer()
	return v.resolver.Choice(), viewer.User
}

// viewer returns whose data fills the messages in the browser, which never shows them as written: that of nobody unless
// somebody was chosen and found.
func (v *viewAs) viewer() resolve.Viewer {
	if found, ok := v.resolver.Viewer(); ok {
		return found
	}
	return resolve.Viewer{Person: resolve.Person{Kind: resolve.Nobody}}
}

// take changes whose data fills the messages.
func (v *viewAs) take(c viewas.Choice, u *engine.User) tea.Cmd {
	cmd := v.resolver.Choose(c, u)
	if p, ok := v.preview(); ok {
		cmd = tea.Batch(v.resolver.Resolve(p.source(), p.at), cmd)
	}
	v.redraw()
	return cmd
}

// openSurvey surveys the audience.
func (v *viewAs) openSurvey() tea.Cmd {
	survey := viewas.NewSurvey(v.cfg, v.theme, viewas.SurveyHost{Source: v.source, GoTo: v.panes.focusField, Back: backAction("close the survey")})
	v.box = survey
	return v.cfg.Tasks.Show(survey, survey.Start())
}

// follow shows in the preview what a task may have resolved.
func (v *viewAs) follow() tea.Cmd {
	p, ok := v.preview()
	if !ok || !p.root.Exists() || !p.resolves() {
		return nil
	}
	p.showResolved()
	return v.resolver.Resolve(p.source(), p.at)
}

// backAction returns the action that closes a box.
func backAction(help string) screen.Action {
	return screen.Action{Name: "close", Keys: []string{"esc"}, Label: "close", Help: help, Group: groupViewAs, BarPriority: 7, WhileTyping: true}
}

// actions are the actions on the person that the preview shows the messages as.
func (v *viewAs) actions() []screen.Action {
	if _, ok := v.panes.sections.messages(v.edit.Schema()); !ok || !v.edit.Head().Channel.Writable() {
		return nil
	}
	p, shown := v.preview()
	inPreview := shown && v.panes.focus == paneInfo && v.panes.info.tab == tabSidePanel
	choose := screen.Action{Keys: []string{"u", "alt+u"}, Label: "view as", Help: "see the message as one of your users gets it", Group: groupViewAs, WhileTyping: true, Run: v.choose}
	switch {
	case inPreview:
		choose.BarPriority = 10
	case v.panes.focus == paneForm:
		choose.Keys = choose.Keys[1:]
	case v.panes.host.places.inContent(v.panes.host.path):
		choose.BarPriority = 4
	}
	acts := []screen.Action{choose}
	if v.panes.focus == paneForm {
		return acts
	}
	unknown := ""
	if _, ok := v.cfg.Audience(); !ok {
		unknown = "This service does not show its users, so that nobody can say who is in the audience."
	}
	survey := screen.Action{Keys: []string{"S"}, Label: "survey", Help: "resolve the message for everyone in the audience", Group: groupViewAs, DisabledReason: unknown, Run: v.openSurvey}
	if inPreview {
		survey.BarPriority = 4
	}
	acts = append(acts, survey)
	if inPreview && p.resolves() {
		acts = append(acts, screen.Action{Keys: []string{"r"}, Label: "refresh", Help: "resolve the message again and call its content APIs", Group: groupViewAs, BarPriority: 3, Run: v.resolver.Refresh})
		if _, ok := v.caption(p).Named(); ok {
			acts = append(acts,
				screen.Action{Keys: []string{"enter"}, Label: "go to field", Help: "go to the field of the missing value", Group: groupViewAs, BarPriority: 9, Run: v.goToMissing},
				screen.Action{Keys: []string{"x"}, Label: "next missing", Help: "name the next missing value", Group: groupViewAs, BarPriority: 3, Run: v.nameNext},
			)
		}
	}
	return acts
}

// groupViewAs is the heading of its keys in the help.
const groupViewAs = "View as"

func (v *viewAs) caption(p *previewPanel) preview.Caption {
	shown, _ := p.shown()
	return v.resolver.Caption(shown.TestKey)
}

// goToMissing goes to the field of the missing value that the caption names. The next time it is the next one.
func (v *viewAs) goToMissing() tea.Cmd {
	p, ok := v.preview()
	if !ok {
		return nil
	}
	m, ok := v.caption(p).Named()
	if !ok {
		return nil
	}
	v.nameNext()
	if m.Block != "" {
		return tea.Batch(v.panes.focusField(m.Path), screen.Notify(widget.LevelInfo, "The expression is in the content block "+strings.TrimSpace(m.Block)+"."))
	}
	return v.panes.focusField(m.Path)
}

// nameNext makes the caption name the next missing value.
func (v *viewAs) nameNext() tea.Cmd {
	v.resolver.NameNext()
	v.redraw()
	return nil
}
