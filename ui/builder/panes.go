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
	"bugle/ui/viewas"
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
	tabs                 bool // there are tabs above the form
}

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) {
	s.panes.SetSize(width, height)
	s.arranged = arrangement{} // the theme may have changed
	s.arrange()
}

// arrange sets the sizes of the panes.
func (s *Screen) arrange() {
	now := arrangement{
		editor: s.form.Editor, width: s.panes.Width(), height: s.panes.Height(), focus: s.panes.Focused(),
		zoomed: s.panes.Zoomed(), tabs: s.tabs().View(s.deps.Theme, 1) != "",
	}
	_, now.choosing = s.viewBox.(*viewas.Chooser)
	now.choosing = now.choosing && s.Covered()
	if now == s.arranged {
		return
	}
	s.arranged = now
	s.panes.SetRows(paneSide, s.panelRows(now))
	s.sections.SetSize(s.panes.Size(paneSections))
	s.form.SetSize(s.formSize())
	s.side.setSize(s.panes.Size(paneSide))
}

// formSize returns the size of the form below its tabs.
func (s *Screen) formSize() (w, h int) {
	w, h = s.panes.Size(paneForm)
	if s.arranged.tabs {
		h -= tabLines
	}
	return w, h
}

// panelRows returns the height of the pane below the form.
func (s *Screen) panelRows(a arrangement) int {
	s.panes.SetRows(paneSide, 0)
	tabRows := 0
	if a.tabs {
		tabRows = tabLines
	}
	switch {
	case s.panes.Beside(paneSide) || a.zoomed || !s.loaded:
		return 0
	case a.choosing:
		return a.height * 2 / 5
	case a.focus == paneSide:
		return 0 // it takes the place of the form
	}
	if rows := a.height - 2 - spareRows - tabRows - s.form.Lines(s.formSize()); rows >= minPanelRows {
		return rows
	}
	return 0
}

// View draws the panes.
func (s *Screen) View() string {
	switch {
	case s.failed != nil:
		text := "Can't read this campaign.\n\n" + s.failed.Error() + "\n\nPress r to reload or esc to go back."
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
	if p := s.sections.at(s.form.Path()); p.state == sectionNotApplicable {
		w, _ := s.panes.Size(paneForm)
		return strings.Join(widget.Wrap(s.deps.Theme.Muted.Render(phrase.Capitalize(widget.Clean(p.reason))), w), "\n")
	}
	form := s.form.View(s.panes.Focused() == paneForm)
	if s.arranged.tabs {
		w, _ := s.panes.Size(paneForm)
		form = s.tabs().View(s.deps.Theme, w) + "\n\n" + form
	}
	return form
}

// place returns the path of the focused field, or else of the form.
func (s *Screen) place() doc.Path {
	if s.panes.Focused() == paneForm {
		return s.form.Place()
	}
	return s.form.Path()
}

// Typing reports whether the form has the keyboard. Letters then belong to the form, even if no text field is
// focused, so that typing never leaves it.
func (s *Screen) Typing() bool { return s.loaded && s.panes.Focused() == paneForm }

// TextFocused reports whether a text field of the form has the keyboard.
func (s *Screen) TextFocused() bool { return s.Typing() && s.form.Typing() }

// key passes a key to the focused pane.
func (s *Screen) key(msg tea.KeyMsg) tea.Cmd {
	switch s.panes.Focused() {
	case paneForm:
		if msg.String() == "?" && !s.form.Typing() && !s.form.Modal() {
			return screen.Send(screen.HelpMsg{})
		}
		return s.form.Update(msg)
	case paneSide:
		if shown := s.side.shown(); shown != nil {
			return shown.Update(msg)
		}
	default:
		s.sections.Key(msg)
		s.follow()
	}
	return nil
}

// mouse passes a mouse event to the pane under it; a click focuses that pane.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, msg := s.panes.Mouse(msg)
	press := widget.Pressed(msg)
	switch pane {
	case paneSections:
		if hit, _ := s.sections.Mouse(msg); hit && press {
			s.leave(paneSections)
			s.follow()
		}
	case paneSide:
		if press {
			s.focusSide(s.side.chosen)
		}
		if shown := s.side.shown(); shown != nil {
			return shown.Update(msg)
		}
	case paneForm:
		if s.sections.at(s.form.Path()).state == sectionNotApplicable {
			return nil
		}
		if press {
			s.leave(paneForm)
		}
		if s.arranged.tabs {
			msg.Y -= tabLines
		}
		if msg.Y >= 0 {
			return s.form.Update(msg)
		}
		if to := s.tabs().At(s.deps.Theme, msg.X); to != nil && press {
			return s.openSibling(to)
		}
	}
	return nil
}
