package builder

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/edit/grid"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// copyFrom returns the action that fills the open message from another one: a platform from the other
// platforms, or the same platform of other variations and locales.
func (s *Screen) copyFrom() []screen.Action {
	open, places := s.form.Path(), &s.places
	if s.panes.Focused() != paneForm || !places.inContent(open) || places.gridOpen() && len(open) == 1 {
		return nil
	}
	to, from, ok := grid.New(s.edit.Head().Channel, s.edit.Root()).Sources(s.place())
	if !ok || len(from) == 0 {
		return nil
	}
	act := screen.Action{
		Name: "copy-from", Keys: []string{"alt+c"}, Label: "copy from " + widget.Clean(from[0].Name), Help: "fill this message from another, as far as the fields fit",
		Group: groupEdit, WhileTyping: true, DisabledReason: s.edit.LockedAt(to),
		Run: func() tea.Cmd { return s.copyMessage(from[0], to) },
	}
	switch {
	case s.form.Modal():
	case s.edit.Root().Lookup(to).Empty():
		act.BarPriority = 7
	default:
		act.BarPriority = 6
	}
	if len(from) > 1 {
		act.Label = "copy from…"
		act.Run = func() tea.Cmd { return s.chooseSource(from, to) }
	}
	return []screen.Action{act}
}

// chooseSource asks which message to copy.
func (s *Screen) chooseSource(from []grid.Source, to doc.Path) tea.Cmd {
	options := make([]widget.Option, len(from))
	for i, f := range from {
		options[i] = widget.Option{Label: widget.Clean(f.Name)}
	}
	return screen.Send(screen.ChooseMsg{
		Title: "Copy from", Body: "Only what has a place in this message of " + s.name() + " is copied.", Options: options,
		Then: func(a widget.Answer) tea.Cmd { return s.copyMessage(from[a.Index], to) },
	})
}

// maxNamedFields is how many fields the notice of a copy names.
const maxNamedFields = 3

// copyMessage copies what fits, as one undo step.
func (s *Screen) copyMessage(from grid.Source, to doc.Path) tea.Cmd {
	root, copied := grid.CopyMatching(s.edit.Schema(), s.edit.Env(), s.edit.Root(), from.Path, to)
	name := widget.Clean(from.Name)
	if len(copied) == 0 {
		return screen.Notify(widget.LevelInfo, "Nothing to copy: this message already has all that fits of "+name+".")
	}
	var words []string
	for i, p := range copied {
		if i == maxNamedFields {
			words = append(words, fmt.Sprintf("%d more", len(copied)-i))
			break
		}
		words = append(words, strings.ToLower(edit.PlaceLabel(p, s.edit.Schema().At(p))))
	}
	what := strings.Join(words, ", ")
	if copied[0].Equal(to) {
		what = "everything"
	}
	cmd := s.change(root, "")
	s.reload()
	return tea.Batch(cmd, screen.Notify(widget.LevelSuccess, "Copied "+what+" from "+name+"."))
}
