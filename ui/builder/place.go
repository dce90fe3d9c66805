package builder

import (
	"bugle/engine/doc"
	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/widget"

	tea "github.com/charmbracelet/bubbletea"
)

// choose puts the cursor of the component list on a component.
func (s *Screen) choose(name string) {
	for i, p := range s.parts {
		if p.name == name {
			s.list.Choose(i)
		}
	}
}

// goTo shows the form that holds the place p, with the field at p focused.
func (s *Screen) goTo(p doc.Path) {
	if len(p) == 0 {
		return
	}
	at := s.formOf(p)
	s.show(at)
	if len(p) > len(at) {
		s.form.FocusPath(p)
		s.refreshInfo()
	}
}

// formOf returns the place whose form shows what is at p: p itself where it has a form of its own.
func (s *Screen) formOf(p doc.Path) doc.Path {
	for n := len(p); n > 1; n-- {
		if s.opens(p[:n]) {
			return p[:n]
		}
	}
	return p[:1]
}

// opens reports whether the place p has a form of its own: neither an editor around it nor the form
// around it shows what is there.
func (s *Screen) opens(p doc.Path) bool {
	st, ok := s.edit.Schema().Field(s.edit.Root(), p, s.edit.Env())
	return ok && !s.inEditor(p) && (forms.Opens(st) || st.Node.Flat && s.inEditor(p.Parent()))
}

// show shows the form of the object, list or map at p.
func (s *Screen) show(p doc.Path) {
	s.path = p
	if s.focus == paneForm && s.partOf(p).state == partForeign {
		s.focus = paneParts // it takes no keys
	}
	s.strip = s.stripFor(p)
	s.form = s.newEditor(p)
	s.form.SetProblems(s.edit.Problems())
	s.refreshInfo()
}

// place gives where the person is: the focused field, or the form.
func (s *Screen) place() doc.Path {
	if s.focus == paneForm && s.form != nil {
		if f, ok := s.form.Focused(); ok {
			return f.Path
		}
	}
	return s.path
}

// open shows the form of a place below the present one.
func (s *Screen) open(p doc.Path) tea.Cmd {
	s.focus = paneForm
	s.show(p)
	return nil
}

// up leaves the form for the one around it, and the outermost for the component list.
func (s *Screen) up() tea.Cmd {
	if len(s.path) <= 1 {
		return s.toParts()
	}
	from := s.path
	s.goTo(from.Parent())
	s.form.FocusPath(from)
	s.refreshInfo()
	return nil
}

// enter gives the form of the chosen component the keyboard.
func (s *Screen) enter() tea.Cmd {
	if s.form == nil {
		return nil
	}
	if p := s.partOf(s.path); p.state == partForeign {
		return screen.Notify(widget.LevelWarning, p.title+" is not used by this campaign: "+p.why)
	}
	s.focus, s.info.chosen = paneForm, false
	s.refreshInfo()
	return nil
}

// follow shows the form of the component under the cursor of the list.
func (s *Screen) follow() {
	i := s.list.Cursor
	if i < 0 || i >= len(s.parts) || len(s.path) > 0 && s.path[0].Name == s.parts[i].name && len(s.path) == 1 {
		return
	}
	s.goTo(doc.P(s.parts[i].name))
}

func (s *Screen) suggest(list string) []string {
	return s.offers.List(s.edit.Workspace(), s.edit.Root(), list)
}
