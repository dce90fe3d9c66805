package builder

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// show shows the form that contains the place p, with the cursor on its field. The focus stays where it is.
func (s *Screen) show(p doc.Path) {
	s.messageAt = nil
	s.form.GoTo(p)
	s.chooseSection()
}

// chooseSection chooses the section of the form, and focuses the sections if it has no fields to focus.
func (s *Screen) chooseSection() {
	s.sections.choose(s.form.Path())
	if s.panes.Focused() == paneForm && s.sections.at(s.form.Path()).state == sectionNotApplicable {
		s.panes.Focus(paneSections)
	}
}

// goTo shows the form that contains the place p, and focuses its field.
func (s *Screen) goTo(p doc.Path) tea.Cmd {
	if len(p) > 0 {
		s.leave(paneForm)
		s.show(p)
	}
	return nil
}

// visit is [Screen.goTo] for what is not part of the screen.
func (s *Screen) visit(p doc.Path) tea.Cmd { return s.finish(s.goTo(p)) }

// open opens what has a form or a page of its own; for a field, the form that contains it.
func (s *Screen) open(p doc.Path) {
	s.leave(paneForm)
	s.messageAt = nil
	s.form.Visit(p)
	s.chooseSection()
}

// openSibling opens the form at to and focuses the field with the same name as the current one.
func (s *Screen) openSibling(to doc.Path) tea.Cmd {
	from, at := s.form.Path(), s.place()
	s.open(to)
	if at.HasPrefix(from) {
		s.form.FocusPath(to.Join(at[len(from):]...))
	}
	return nil
}

// GoTo opens the form of a place and focuses the field there. Other screens use it to link here; before the
// campaign has been read, the place is remembered.
func (s *Screen) GoTo(r screen.Route) tea.Cmd {
	if !s.loaded {
		s.route = r
		return nil
	}
	if s.viewBox != nil {
		s.viewBox.Close()
	}
	return s.finish(tea.Batch(s.replace(r), s.goTo(r.Path)))
}

// setAndShow writes a value and shows it.
func (s *Screen) setAndShow(p doc.Path, v doc.Value) tea.Cmd {
	cmd := s.setValue(p, v)
	s.show(p)
	return cmd
}

// up leaves the form for the one around it, and the outermost one for the section list.
func (s *Screen) up() tea.Cmd {
	if len(s.form.Path()) <= 1 {
		s.leave(paneSections)
	} else {
		s.form.Up()
	}
	return nil
}

// enter focuses the form of the selected section.
func (s *Screen) enter() tea.Cmd {
	if p := s.sections.at(s.form.Path()); p.state == sectionNotApplicable {
		return screen.Notify(widget.LevelWarning, p.title+" is not used by this campaign: "+p.reason)
	}
	s.leave(paneForm)
	return nil
}

// follow shows the form of the selected section.
func (s *Screen) follow() {
	if at := s.sections.chosen(); len(at) > 0 && !at.Equal(s.form.Path()) {
		s.show(at)
	}
}

// focusSide shows something in the pane beside the form, and focuses it.
func (s *Screen) focusSide(shows sideView) tea.Cmd {
	s.side.chosen = shows
	if s.panes.Focused() != paneSide {
		s.from = s.panes.Focused()
		s.panes.Focus(paneSide)
	}
	return nil
}

// leaveSide returns to where the user came from. The pane beside the form then shows again what the section is about.
func (s *Screen) leaveSide() tea.Cmd {
	if s.from == paneForm {
		return s.enter()
	}
	s.leave(paneSections)
	return nil
}

// leave focuses another pane than the one beside the form, where the problems are no longer shown then.
func (s *Screen) leave(to int) {
	s.panes.Focus(to)
	if s.side.chosen == sideProblems {
		s.side.chosen = sidePanel
	}
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
	if i := slices.IndexFunc(todo, here); i >= 0 && s.Typing() {
		next = (i + 1) % len(todo)
	} else {
		section := s.sections.index(at)
		next = max(slices.IndexFunc(todo, func(p schema.Problem) bool { return s.sections.index(p.Path) >= section }), 0)
	}
	to := firstMissing(s.edit, todo[next].Path)
	switch {
	case len(to) == 0:
		return s.focusSide(sideProblems)
	case len(todo) == 1 && to.Equal(at) && s.Typing():
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, "This is all that is left to do.")
	}
	return s.goTo(to)
}

// firstMissing returns the first field that would be missing in the object at p, if p is an object that does
// not exist yet.
func firstMissing(e *edit.Session, p doc.Path) doc.Path {
	root := e.Root()
	for {
		n := e.Schema().At(p)
		if n == nil || n.Kind != schema.Object || !root.Lookup(p).Empty() {
			return p
		}
		with, err := root.Set(p, doc.NewObject())
		if err != nil {
			return p
		}
		inner, found := missingIn(e, with, p)
		if !found {
			return p
		}
		root, p = with, inner
	}
}

// missingIn returns the first place in the empty object at p of root that is required, has a problem, or has its fields in
// the same form.
func missingIn(e *edit.Session, root doc.Value, p doc.Path) (doc.Path, bool) {
	st, _ := e.Schema().Object(root, p, e.Env())
	problems := schema.Errors(e.Schema().Validate(root, e.Env()))
	for _, is := range []func(schema.FieldState) bool{
		func(f schema.FieldState) bool { return f.Required },
		func(f schema.FieldState) bool {
			return slices.ContainsFunc(problems, func(q schema.Problem) bool { return q.Path.HasPrefix(f.Path) })
		},
		func(f schema.FieldState) bool { return f.Node.Flat },
	} {
		for _, f := range st.Fields {
			if f.Shown && is(f) {
				return f.Path, true
			}
		}
	}
	return nil, false
}
