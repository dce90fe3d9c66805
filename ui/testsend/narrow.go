package testsend

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/content"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// narrowing is one way of sending less than all messages of the draft.
type narrowing struct {
	place place
	node  *schema.Node
	names []string // that the draft has
	value *string  // the chosen one; empty is all
	named func(string) string
}

// narrowings returns those that leave a choice.
func (s *Screen) narrowings() []narrowing {
	f := &s.form
	all := []narrowing{
		{onPlatform, s.fields.Platform, f.platforms, &f.filter.Platform, func(p string) string { return content.CellName(p, "", "") }},
		{onLocale, s.fields.Locale, f.locales, &f.filter.Locale, content.LocaleName},
		{onVariation, s.fields.Variation, f.variations, &f.filter.Variation, content.VariationName},
	}
	return slices.DeleteFunc(all, func(n narrowing) bool { return len(n.names) < 2 })
}

// dropForeign forgets what was narrowed to and is not in the draft (any more).
func (s *Screen) dropForeign() {
	f := &s.form
	for value, names := range map[*string][]string{&f.filter.Platform: f.platforms, &f.filter.Locale: f.locales, &f.filter.Variation: f.variations} {
		if len(names) < 2 || !slices.Contains(names, *value) {
			*value = ""
		}
	}
}

// label names a choice for people.
func (n narrowing) label(name string) string {
	if name == "" {
		return "All"
	}
	return n.named(name)
}

// choices are the values to choose from, all first.
func (n narrowing) choices() []string { return append([]string{""}, n.names...) }

// narrowingAt returns the narrowing under the cursor.
func (s *Screen) narrowingAt() (narrowing, bool) {
	for _, n := range s.narrowings() {
		if n.place == s.form.at.place {
			return n, true
		}
	}
	return narrowing{}, false
}

// turnChoice takes the next value of the choice under the cursor, or the one before.
func (s *Screen) turnChoice(by int) tea.Cmd {
	if n, ok := s.narrowingAt(); ok {
		return s.narrowTo(n, next(n.choices(), *n.value, by))
	}
	if s.form.at.place == onIdentifier {
		var values []string
		for _, o := range s.fields.Identifier.Options {
			values = append(values, o.Value)
		}
		return s.identify(next(values, s.form.identifier, by))
	}
	return nil
}

// narrowTo sends only what has the value.
func (s *Screen) narrowTo(n narrowing, value string) tea.Cmd {
	if value == *n.value {
		return nil
	}
	s.record(s.chosen(), n.node.Label(), spot{n.place, 0})
	*n.value = value
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
		s.record(s.chosen(), s.fields.Identifier.Label(), spot{onIdentifier, 0})
	}
	s.form.identifier, s.form.wrong, s.form.profiles, s.form.waiting = identifier, "", nil, false
	s.offer()
	return tea.Batch(s.refresh(), s.learnNames())
}

// choose offers the values of the choice under the cursor.
func (s *Screen) choose() tea.Cmd {
	if n, ok := s.narrowingAt(); ok {
		values := n.choices()
		options := make([]widget.Option, len(values))
		for i, v := range values {
			options[i] = widget.Option{Label: n.label(v)}
		}
		return screen.Send(screen.ChooseMsg{Title: n.node.Label(), Body: n.node.Help, Options: options, Then: func(a widget.Answer) tea.Cmd {
			return s.narrowTo(n, values[a.Index])
		}})
	}
	node := s.fields.Identifier
	options := make([]widget.Option, len(node.Options))
	for i, o := range node.Options {
		options[i] = widget.Option{Label: o.Title(), Help: problems.Sentence(o.Help)}
	}
	return screen.Send(screen.ChooseMsg{Title: node.Label(), Body: node.Help, Options: options, Then: func(a widget.Answer) tea.Cmd {
		return s.identify(node.Options[a.Index].Value)
	}})
}
