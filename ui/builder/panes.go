package builder

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// The panes.
const (
	paneSections = iota
	paneForm
	paneSide
	// paneCaller is the screen that opened this one: esc may return there, but it never has the focus.
	paneCaller = -1
)

// newPanes returns the panes. In a narrow window the sections are there only while they have the focus, and what is beside
// the form has the rows that the form does not need, or takes its place.
func newPanes(t *themes.Theme) panes.Panes {
	p := panes.New(t,
		panes.Pane{Name: "sections", From: 64, Share: 33, Min: 22, Max: 27, Focused: 22},
		panes.Pane{Name: "form", Min: 40},
		panes.Pane{Name: "panel", From: 112, Share: 40, Min: 34, Max: 66},
	)
	p.Focus(paneSections)
	return p
}

const (
	// spareRows is how many rows a form has beyond those that it needs at first, for what grows below the focused field.
	spareRows = 2
	// minPanelRows is the least height of the pane below the form, including its frame.
	minPanelRows = 8
)

// arrangement is what the sizes of the panes depend on.
type arrangement struct {
	editor               editor.Editor
	width, height, focus int
	zoomed, choosing     bool
}

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) {
	s.panes.SetSize(width, height)
	s.arranged = arrangement{}
	s.arrange()
}

// arrange sets the sizes of the panes.
func (s *Screen) arrange() {
	now := arrangement{
		editor: s.form.Editor, width: s.panes.Width(), height: s.panes.Height(), focus: s.panes.Focused(),
		zoomed: s.panes.Zoomed(), choosing: s.choosing && s.Covered(),
	}
	if now == s.arranged {
		return
	}
	s.arranged = now
	s.panes.SetRows(paneSide, s.panelRows(now))
	s.sections.SetSize(s.panes.Size(paneSections))
	s.form.SetSize(s.panes.Size(paneForm))
	s.side.setSize(s.panes.Size(paneSide))
	s.refresh()
}

// panelRows returns the height of the pane below the form.
func (s *Screen) panelRows(a arrangement) int {
	s.panes.SetRows(paneSide, 0)
	switch {
	case s.panes.Beside(paneSide) || a.zoomed || !s.form.IsOpen():
		return 0
	case a.choosing:
		return a.height * 2 / 5
	case a.focus == paneSide:
		return 0 // it takes the place of the form
	}
	if rows := a.height - 2 - spareRows - s.form.Lines(s.panes.Size(paneForm)); rows >= minPanelRows {
		return rows
	}
	return 0
}

// View draws the panes.
func (s *Screen) View() string {
	switch {
	case s.failed != nil:
		text := "Can't read this campaign.\n\n" + s.failed.Error() + "\n\nPress r to try again or esc to go back."
		return s.panes.Message("Campaign", text)
	case !s.loaded:
		return s.panes.Message("Campaign", "Loading…")
	}
	s.arrange()
	s.sections.Focused = s.panes.Focused() == paneSections
	return s.panes.View(func(pane int) panes.Content {
		switch pane {
		case paneSections:
			return panes.Content{Title: "Sections", Body: s.sections.View()}
		case paneSide:
			return s.side.content(s.panes.Focused() == paneSide)
		}
		return panes.Content{Title: s.form.Breadcrumb("", s.panes.Rect(paneForm).W-6), Body: s.formView()}
	})
}

// formView draws the form.
func (s *Screen) formView() string {
	if !s.form.IsOpen() {
		return ""
	}
	if p := s.sections.at(s.form.Path()); p.state == sectionNotApplicable {
		w, _ := s.panes.Size(paneForm)
		return strings.Join(widget.Wrap(s.deps.Theme.Muted.Render(phrase.Capitalize(widget.Clean(p.reason))), w), "\n")
	}
	return s.form.View(s.panes.Focused() == paneForm)
}

// place returns the path of the focused field, or else of the form.
func (s *Screen) place() doc.Path {
	if s.panes.Focused() == paneForm {
		return s.form.Place()
	}
	return s.form.Path()
}

// showChecked shows the problems of the current document.
func (s *Screen) showChecked() {
	s.sections.show(s.edit)
	s.form.ShowProblems()
	s.refresh()
}

// reload shows the current document in the open form.
func (s *Screen) reload() {
	s.form.Show()
	s.refresh()
}

// refresh updates the pane beside the form for the current place.
func (s *Screen) refresh() {
	if len(s.form.Path()) == 0 {
		return
	}
	s.showPanel(s.place())
	switch s.side.shows() {
	case sideProblems:
		s.side.showProblems()
	case sideJSON:
		s.side.showJSON(s.form.Path(), s.form.FocusedField())
	}
}

// adopt adopts what the form's last message changed. alone makes it an undo step of its own, for text that was
// not typed key by key.
func (s *Screen) adopt(cmd tea.Cmd, alone bool) tea.Cmd {
	if !s.form.IsOpen() {
		return cmd
	}
	root, field, changed := s.form.Edits()
	if !changed {
		s.refresh()
		return cmd
	}
	if alone {
		field = ""
	}
	cmd = tea.Batch(cmd, s.change(root, field))
	s.form.Reload(s.edit.Root()) // so that what follows counts as an edit even if it leads back to how it was
	return cmd
}

// message passes a message that the form has requested, such as the content of the clipboard, to the form and to the side
// panel.
func (s *Screen) message(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	if s.form.IsOpen() {
		cmds = append(cmds, s.adopt(s.form.Update(msg), true))
	}
	if s.side.Panel != nil {
		cmds = append(cmds, s.side.Panel.Update(msg))
	}
	return tea.Batch(cmds...)
}

// fulfill carries out the requests of the editor and the side panel.
func (s *Screen) fulfill() tea.Cmd {
	w := s.form.TakeRequests()
	var cmds []tea.Cmd
	if w.Notice != "" {
		cmds = append(cmds, screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, w.Notice))
	}
	if w.Open != nil {
		cmds = append(cmds, s.open(w.Open))
		s.form.TakeRequests()
	}
	return tea.Batch(append(cmds, s.side.TakeStarted())...)
}

// typing reports whether the form has the keyboard.
func (s *Screen) typing() bool { return s.panes.Focused() == paneForm && s.form.IsOpen() }
