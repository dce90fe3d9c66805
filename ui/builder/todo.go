package builder

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// todoKey is the action that leads to what has to be filled in or corrected next, in whatever section
// that is.
func (s *Screen) todoKey(bar int) screen.Action {
	act := screen.Action{
		Keys: []string{"alt+n"}, Label: "next to do", Help: "go to the next field that is missing or wrong", Group: groupMove, Bar: bar, Typing: true,
		Run: s.toNext,
	}
	if s.errors() == 0 {
		act.Bar, act.Why = 0, "Nothing is missing. Press v in the sections to validate."
	}
	return act
}

// toNext goes to the problem after the one that the person is at, or to the first from this section on.
func (s *Screen) toNext() tea.Cmd {
	todo := schema.Errors(s.inOrder())
	if len(todo) == 0 {
		return nil
	}
	at := s.place()
	here := func(p schema.Problem) bool { return p.Path.Equal(at) || s.firstMissing(p.Path).Equal(at) }
	next := 0
	if i := slices.IndexFunc(todo, here); i >= 0 && s.focus == paneForm {
		next = (i + 1) % len(todo)
	} else if len(at) > 0 {
		section := slices.IndexFunc(s.parts, func(p part) bool { return p.name == at[0].Name })
		next = max(slices.IndexFunc(todo, func(p schema.Problem) bool { return s.sectionOf(p.Path) >= section }), 0)
	}
	to := s.firstMissing(todo[next].Path)
	if len(to) == 0 {
		return s.toProblems()
	}
	cmd := s.GoTo(screen.Route{ID: s.edit.ID(), Path: to})
	if n := len(todo); n == 1 && next == 0 && to.Equal(at) && s.focus == paneForm {
		return tea.Batch(cmd, screen.NotifyAbout(screen.AboutEdit, widget.LevelInfo, "This is all that is left to do."))
	}
	return cmd
}

// sectionOf returns the place in the list of sections of the one that p is in, or -1.
func (s *Screen) sectionOf(p doc.Path) int {
	return slices.IndexFunc(s.parts, func(pt part) bool { return len(p) > 0 && pt.name == p[0].Name })
}

// firstMissing returns the first field that has to be filled in where p is an object that is not there
// yet: what would be missing in it, were it there.
func (s *Screen) firstMissing(p doc.Path) doc.Path {
	root := s.edit.Root()
	for {
		n := s.edit.Schema().At(p)
		if n == nil || n.Kind != schema.Object || !root.Lookup(p).Empty() {
			return p
		}
		with, err := root.Set(p, doc.NewObject())
		if err != nil {
			return p
		}
		inner, found := s.missingIn(with, p)
		if !found {
			return p
		}
		root, p = with, inner
	}
}

// missingIn returns the first place in the empty object at p of root that has to hold something.
func (s *Screen) missingIn(root doc.Value, p doc.Path) (doc.Path, bool) {
	st, _ := s.edit.Schema().Object(root, p, s.edit.Env())
	for _, f := range st.Fields {
		if f.Shown && f.Required {
			return f.Path, true
		}
	}
	for _, q := range schema.Errors(s.edit.Schema().Validate(root, s.edit.Env())) {
		if len(q.Path) > len(p) && q.Path.HasPrefix(p) {
			return q.Path, true
		}
	}
	for _, f := range st.Fields {
		if f.Shown && f.Node.Flat { // its fields are on the same form
			return f.Path, true
		}
	}
	return nil, false
}
