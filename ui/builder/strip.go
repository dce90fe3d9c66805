package builder

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/ui/editor"
	"bugle/ui/screen"
)

// stripFor makes the line above the form at p: that of the place around it.
func (s *Screen) stripFor(p doc.Path) editor.Strip {
	t, at, ok := s.toolAt(p)
	if !ok || t.strip == nil || len(at) == len(p) {
		return nil
	}
	return t.strip(s.config(at))
}

func (s *Screen) stripLine() string {
	if s.strip == nil {
		return ""
	}
	return s.strip.View(s.edit.Root(), s.path, s.layout.form.w)
}

// stripLines is how many lines the strip takes from the form.
func (s *Screen) stripLines() int {
	if s.stripLine() == "" {
		return 0
	}
	return 2
}

func (s *Screen) stripKeys() []screen.Action {
	if s.stripLine() == "" {
		return nil
	}
	return infoActions(s.strip.Bindings(), groupMove, 6)
}

// stripGo goes where a key of the strip leads.
func (s *Screen) stripGo(key string) (tea.Cmd, bool) {
	if s.strip == nil || s.form.Modal() {
		return nil, false
	}
	to, ok := s.strip.Go(s.edit.Root(), s.path, key)
	if !ok {
		return nil, false
	}
	return s.openLike(to), true
}

// openLike opens the form at to, with the field focused that is called as the present one.
func (s *Screen) openLike(to doc.Path) tea.Cmd {
	from, at := s.path, s.place()
	cmd := s.open(to)
	if at.HasPrefix(from) {
		s.form.FocusPath(to.Join(at[len(from):]...))
		s.refreshInfo()
	}
	return cmd
}

func (s *Screen) stripClick(x int, press bool) tea.Cmd {
	if s.strip == nil || !press {
		return nil
	}
	if to, ok := s.strip.Click(s.edit.Root(), s.path, x); ok {
		return s.openLike(to)
	}
	return nil
}
