package testsend

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	model "bugle/engine/testsend"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// narrowingAt returns the narrowing under the cursor.
func (s *Screen) narrowingAt() (model.Narrowing, bool) {
	all, at := s.draft.Narrowings(), s.form.at
	if at.place != onNarrowing || at.i >= len(all) {
		return model.Narrowing{}, false
	}
	return all[at.i], true
}

// turnChoice takes the next value of the choice under the cursor, or the one before.
func (s *Screen) turnChoice(by int) tea.Cmd {
	if n, ok := s.narrowingAt(); ok {
		return s.narrowTo(n, next(n.Choices(), n.Of(s.form.filter), by))
	}
	if s.form.at.place == onIdentifier {
		var values []string
		for _, o := range s.draft.Fields.Identifier.Options {
			values = append(values, o.Value)
		}
		return s.identify(next(values, s.form.identifier, by))
	}
	return nil
}

// narrowTo sends only what has the value.
func (s *Screen) narrowTo(n model.Narrowing, value string) tea.Cmd {
	if value == n.Of(s.form.filter) {
		return nil
	}
	s.record(s.chosen(), n.Node.Label(), s.form.at)
	s.form.filter = n.With(s.form.filter, value)
	s.setOverrides()
	return s.refresh()
}

func next(values []string, now string, by int) string {
	n := len(values)
	return values[((slices.Index(values, now)+by)%n+n)%n]
}

// identify changes how recipients are found. Each way keeps its own recipients.
func (s *Screen) identify(identifier string) tea.Cmd {
	if identifier != s.form.identifier {
		s.record(s.chosen(), s.draft.Fields.Identifier.Label(), spot{onIdentifier, 0})
	}
	s.form.identifier, s.form.wrong, s.form.profiles, s.form.waiting = identifier, "", nil, false
	s.offer()
	return tea.Batch(s.refresh(), s.learnNames())
}

// choose offers the values of the choice under the cursor.
func (s *Screen) choose() tea.Cmd {
	if n, ok := s.narrowingAt(); ok {
		values := n.Choices()
		options := make([]widget.Option, len(values))
		for i, v := range values {
			options[i] = widget.Option{Label: n.Label(v)}
		}
		return screen.Send(screen.ChooseMsg{Title: n.Node.Label(), Body: n.Node.Help, Options: options, Then: func(a widget.Answer) tea.Cmd {
			return s.narrowTo(n, values[a.Index])
		}})
	}
	node := s.draft.Fields.Identifier
	options := make([]widget.Option, len(node.Options))
	for i, o := range node.Options {
		options[i] = widget.Option{Label: o.Title(), Help: problems.Sentence(o.Help)}
	}
	return screen.Send(screen.ChooseMsg{Title: node.Label(), Body: node.Help, Options: options, Then: func(a widget.Answer) tea.Cmd {
		return s.identify(node.Options[a.Index].Value)
	}})
}
