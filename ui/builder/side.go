package builder

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/phrase"
	"bugle/ui/editor"
	"bugle/ui/editpane"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// sideView is what the pane beside the form shows.
type sideView uint8

const (
	sidePanel    sideView = iota // what the section is about: the message, the audience, the next sends, the links
	sideProblems                 // all problems and warnings
	sideJSON                     // the section as the service gets it
)

// side is the pane beside the form.
type side struct {
	editpane.Side // with the panel of the section

	chosen   sideView
	problems *problemsPanel
	json     *jsonPanel
}

func newSide(s *Screen) side {
	return side{
		problems: &problemsPanel{problems.New(s.deps.Theme, s.visit), s.edit, s.warnings},
		json:     &jsonPanel{pagerPanel{widget.NewPager(s.deps.Theme)}},
	}
}

// setSize sets the size of all that can be shown.
func (s *side) setSize(width, height int) {
	s.json.SetSize(width, height)
	s.problems.SetSize(width, height)
	s.Side.SetSize(width, height)
}

// shows returns what is shown: while there is no message yet, the problems in place of an empty preview.
func (s *side) shows() sideView {
	if p, ok := s.Panel.(*previewPanel); ok && s.chosen == sidePanel && p.empty() && errorCount(s.problems.edit) > 0 {
		return sideProblems
	}
	return s.chosen
}

// shown returns the panel that is shown; nil if the section has none.
func (s *side) shown() editor.SidePanel {
	switch s.shows() {
	case sideProblems:
		return s.problems
	case sideJSON:
		return s.json
	}
	return s.Panel
}

// inPanel reports whether the panel of the section is shown.
func (s *side) inPanel() bool { return s.shows() == sidePanel && s.Panel != nil }

// content draws what is shown.
func (s *side) content(focused bool) panes.Content {
	s.problems.Focused = focused
	p := s.shown()
	if p == nil {
		return panes.Content{}
	}
	c := panes.Content{Title: p.Title(), Body: p.View()}
	if n, ok := p.(interface{ Note() string }); ok {
		c.Info = n.Note()
	}
	return c
}

// showPanel shows beside the form the panel of a place around p, or else of what its section is about; of a section
// that does not apply, the messages.
func (s *Screen) showPanel(p doc.Path) {
	about := catalog.CampaignContent
	asSomebody := len(s.messageAt) > 0 && s.form.Path().Equal(s.messageAt) && !s.inContent()
	tool, owner, place, ok := editpane.Tool{}, doc.Path(nil), p, false
	if section := s.sections.at(p); section.state != sectionNotApplicable && !asSomebody {
		about = catalog.Concerns(catalog.Component(section.name))
		tool, owner, ok = s.form.ToolAt(p)
	}
	if !ok || tool.Panel == nil {
		tool, owner, ok = s.form.PanelOf(string(about))
		place = owner
	}
	if ok {
		s.side.Show(&s.form, tool, owner, place, owner[0].Name)
	} else {
		s.side.Clear()
	}
	if shown := s.side.shown(); shown != s.side.Panel {
		shown.Show(s.edit.Root(), p)
	}
}

type problemList = problems.View

// problemsPanel lists the problems and warnings of the document.
type problemsPanel struct {
	*problemList
	edit     *edit.Session
	warnings *warner
}

func (p *problemsPanel) Title() string { return "Problems" }

// Note returns how many warnings there are.
func (p *problemsPanel) Note() string {
	if n := p.warnings.count(); n > 0 {
		return phrase.Count(n, "warning")
	}
	return ""
}

func (p *problemsPanel) Show(doc.Value, doc.Path) tea.Cmd {
	p.Empty = "No problems."
	if p.edit.Head().Status == catalog.Draft {
		p.Empty += "\nPress v to validate, t to send a test."
	}
	p.Set(p.edit.Head().Channel, p.edit.Problems())
	p.SetWarnings(p.warnings.result)
	return nil
}

func (p *problemsPanel) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		p.Key(msg)
	case tea.MouseMsg:
		if hit, _ := p.Mouse(msg); hit && widget.Pressed(msg) {
			return p.Open()
		}
	}
	return nil
}

func (p *problemsPanel) Bindings() []key.Binding { return nil }

// pagerPanel is a panel with a text.
type pagerPanel struct{ widget.Pager }

func (p *pagerPanel) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		p.Pager.Update(msg)
	case tea.MouseMsg:
		p.Mouse(msg)
	}
	return nil
}

func (p *pagerPanel) Bindings() []key.Binding {
	return []key.Binding{key.NewBinding(key.WithKeys("up", "down"), key.WithHelp("↑/↓", "scroll"))}
}

// jsonPanel shows a section as the service gets it.
type jsonPanel struct{ pagerPanel }

func (p *jsonPanel) Title() string { return "JSON" }

func (p *jsonPanel) Show(root doc.Value, at doc.Path) tea.Cmd {
	text := "{}"
	if section := root.Lookup(at[:1]); section.Exists() {
		text = string(section.Indent())
	}
	p.SetJSON(text)
	return nil
}

// Read returns the lines.
func (p *jsonPanel) Read() []string { return strings.Split(p.Text(), "\n") }

// sideActions are the actions of the pane beside the form while it has the focus.
func (s *Screen) sideActions() []screen.Action {
	var acts []screen.Action
	switch {
	case s.side.shows() == sideProblems:
		acts = append(acts, screen.Action{
			Keys: []string{"enter"}, Label: "go to field", Group: groupMove, BarPriority: 9,
			DisabledReason: s.side.problems.None(), Run: s.side.problems.Open,
		})
	case s.side.inPanel():
		acts = editpane.BindingHelp(s.side.Panel.Bindings(), "Beside the form", 9)
	}
	back := screen.Action{
		Name: "back", Keys: []string{"esc", "tab"}, Label: "sections", Help: "back to the sections, or to the form", Group: groupMove, BarPriority: 8,
		Run: s.leaveSide,
	}
	switch s.from {
	case paneForm:
		back.Label = "form"
	case paneCaller: // esc is then handled by the program, which returns to that screen
		back.Keys, back.Help = []string{"tab"}, "go to the sections"
	}
	return append(acts, back)
}
