package builder

import (
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms"

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
	object, field := s.formOf(p)
	s.path = object
	s.form = forms.New(forms.Config{
		Schema: s.schema, Root: s.root, Path: object, Env: s.env(), Theme: s.theme, Focus: field, Suggest: s.suggest,
		Width: s.layout.form.w, Height: s.layout.form.h,
	})
	s.form.SetProblems(s.problems)
	s.form.Init()
	s.refreshInfo()
}

// formOf gives the object, list or map whose form shows the place p, and the member of it to
// focus.
func (s *Screen) formOf(p doc.Path) (object doc.Path, field string) {
	for len(p) > 1 {
		n := s.schema.At(p)
		if n != nil && opensForm(n, s.root.Lookup(p)) {
			return p, field
		}
		field = ""
		if !p.Last().IsIndex {
			field = p.Last().Name
		}
		p = p.Parent()
	}
	return p, field
}

// opensForm reports whether a place has a form of its own.
func opensForm(n *schema.Node, v doc.Value) bool {
	switch n.Kind {
	case schema.Object, schema.Map:
		return v.Kind() == doc.Object || !v.Exists()
	case schema.List:
		return forms.OwnForm(n)
	}
	return false
}

// open shows the form of a place below the present one.
func (s *Screen) open(p doc.Path) tea.Cmd {
	s.focus = paneForm
	s.goTo(p)
	return nil
}

// up leaves the form for the one around it, and the outermost for the component list.
func (s *Screen) up() tea.Cmd {
	if len(s.path) <= 1 {
		s.focus = paneParts
		return nil
	}
	from := s.path
	s.goTo(from.Parent())
	if len(s.path) > 0 && s.form != nil {
		s.form.Focus(from[len(s.path)])
	}
	return nil
}

// enter gives the form of the chosen component the keyboard.
func (s *Screen) enter() tea.Cmd {
	if s.form == nil {
		return nil
	}
	s.focus = paneForm
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
	names, _ := s.workspace.Lists(list)
	return names
}
