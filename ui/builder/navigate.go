package builder

import (
	"slices"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/widget"

	tea "github.com/charmbracelet/bubbletea"
)

// goTo shows the form that contains the place p, and focuses its field.
func (s *Screen) goTo(p doc.Path) {
	if len(p) == 0 {
		return
	}
	s.show(s.form.FormOf(p))
	if len(p) > len(s.form.Path()) {
		s.form.FocusPath(p)
		s.refresh()
	}
}

// open shows the form of a place below the current one; for a field, the form that contains it.
func (s *Screen) open(p doc.Path) tea.Cmd {
	s.focusForm()
	if s.form.IsPage(p) {
		cmd := s.form.OpenPage(p, s.edited, s.setValue)
		s.refresh()
		return cmd
	}
	if n := s.edit.Schema().At(p); n != nil && len(n.Children) == 0 && n.Element == nil && n.Kind != schema.Any {
		s.goTo(p)
		return nil
	}
	s.show(p)
	return nil
}

// up leaves the form for the one around it, and the outermost one for the section list.
func (s *Screen) up() tea.Cmd {
	if len(s.form.Path()) <= 1 {
		return s.focusSections()
	}
	from := s.form.Path()
	s.goTo(from.Parent())
	s.form.FocusPath(from)
	s.refresh()
	return nil
}

// enter focuses the form of the selected section.
func (s *Screen) enter() tea.Cmd {
	if !s.form.IsOpen() {
		return nil
	}
	if p := s.sections.at(s.form.Path()); p.state == sectionNotApplicable {
		return screen.Notify(widget.LevelWarning, p.title+" is not used by this campaign: "+p.reason)
	}
	s.focusForm()
	s.refresh()
	return nil
}

// follow shows the form of the selected section.
func (s *Screen) follow() {
	if at := s.sections.chosen(); len(at) > 0 && !at.Equal(s.form.Path()) {
		s.goTo(at)
	}
}

// show shows the form of the object, list or map at p.
func (s *Screen) show(p doc.Path) {
	if s.panes.Focused() == paneForm && s.sections.at(p).state == sectionNotApplicable {
		s.panes.Focus(paneSections) // it has no fields to focus
	}
	s.messageAt = nil
	s.form.Open(p)
	s.refresh()
}

// openSibling opens the form at to and focuses the field with the same name as the current one.
func (s *Screen) openSibling(to doc.Path) tea.Cmd {
	from, at := s.form.Path(), s.place()
	cmd := s.open(to)
	if at.HasPrefix(from) {
		s.form.FocusPath(to.Join(at[len(from):]...))
		s.refresh()
	}
	return cmd
}

// toggleGrid switches between the grid and the form of the messages.
func (s *Screen) toggleGrid() tea.Cmd {
	at := s.place()
	s.places.toggleView(len(s.form.Path()) == 1 && s.places.gridOpen())
	s.show(at[:1])
	s.form.FocusPath(at)
	s.focusForm()
	s.refresh()
	return nil
}

// focusField shows the form of a place and focuses the field there.
func (s *Screen) focusField(p doc.Path) tea.Cmd {
	if len(p) == 0 {
		return nil
	}
	s.sections.choose(p)
	s.focusForm()
	s.goTo(p)
	return nil
}

// focusSide shows something in the pane beside the form, and focuses it.
func (s *Screen) focusSide(shows sideView) tea.Cmd {
	s.side.chosen = shows
	if s.panes.Focused() != paneSide {
		s.from = s.panes.Focused()
		s.panes.Focus(paneSide)
	}
	s.refresh()
	return nil
}

// leaveSide returns to where the user came from. The pane beside the form then shows again what the section is about.
func (s *Screen) leaveSide() tea.Cmd {
	if s.from == paneForm {
		return s.enter()
	}
	return s.focusSections()
}

// leave focuses another pane than the one beside the form, where the problems are no longer shown then.
func (s *Screen) leave(to int) {
	s.panes.Focus(to)
	if s.side.chosen == sideProblems {
		s.side.chosen = sidePanel
	}
}

func (s *Screen) focusForm() { s.leave(paneForm) }

func (s *Screen) focusSections() tea.Cmd {
	s.leave(paneSections)
	s.refresh()
	return nil
}

// openSelectedProblem goes to the field of the problem under the cursor.
func (s *Screen) openSelectedProblem() tea.Cmd {
	to, ok := s.side.selectedProblem()
	if !ok {
		return nil
	}
	return s.focusField(to)
}

// goToChange shows the form that contains the changes and focuses the changed field. If several sections
// changed, it goes to where the user was.
func (s *Screen) goToChange(changes []doc.Change, was doc.Path) {
	at := doc.CommonPath(changes)
	at = existingPath(s.edit, at)
	if len(at) == 0 {
		at = was
	}
	if len(at) == 0 {
		s.reload()
		return
	}
	holder := s.form.FormOf(at)
	if len(changes) == 1 && len(at) > 1 && !at.Equal(s.form.Path()) {
		holder = s.form.FormOf(at.Parent())
	}
	s.sections.choose(at)
	s.focusForm()
	switch {
	case s.form.ShowsAlso(at):
		s.reload()
		s.form.FocusPath(at)
		s.refresh()
		return
	case holder.Equal(s.form.Path()) && s.sections.at(at).state != sectionNotApplicable:
		s.reload()
	default:
		s.show(holder)
	}
	s.form.FocusNear(at)
	s.refresh()
}

// goToNextProblem goes to the problem after the current location, or to the first one from this section on.
func (s *Screen) goToNextProblem() tea.Cmd {
	todo := schema.Errors(s.sections.inOrder(s.edit.Problems()))
	if len(todo) == 0 {
		return nil
	}
	at := s.place()
	here := func(p schema.Problem) bool { return p.Path.Equal(at) || firstMissing(s.edit, p.Path).Equal(at) }
	next := 0
	if i := slices.IndexFunc(todo, here); i >= 0 && s.panes.Focused() == paneForm {
		next = (i + 1) % len(todo)
	} else if len(at) > 0 {
		section := s.sections.index(at)
		next = max(slices.IndexFunc(todo, func(p schema.Problem) bool { return s.sections.index(p.Path) >= section }), 0)
	}
	to := firstMissing(s.edit, todo[next].Path)
	if len(to) == 0 {
		return s.focusSide(sideProblems)
	}
	cmd := s.focusField(to)
	if n := len(todo); n == 1 && next == 0 && to.Equal(at) && s.panes.Focused() == paneForm {
		return tea.Batch(cmd, screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, "This is all that is left to do."))
	}
	return cmd
}
