package testsend

import (
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/material"
	model "bugle/engine/testsend"
	"bugle/ui/screen"
)

// choices is what a person chose in the form.
type choices struct {
	identifier string
	values     map[string][]string
	filter     engine.KeyFilter
	typed      map[material.Attribute]string
}

// steps are the changes of the form, and what is being typed.
type steps struct {
	screen.Steps
	attr    material.Attribute // that the newest step types in
	typedAt time.Time          // when it did last; zero where the newest step is another one
}

// typingPause parts two steps in one field.
const typingPause = 2 * time.Second

// chosen returns what is chosen now.
func (s *Screen) chosen() choices {
	c := choices{s.form.identifier, maps.Clone(s.form.values), s.form.filter, maps.Clone(s.typedValues)}
	for _, o := range s.form.overrides {
		c.typed[o.Attribute] = o.prompt.Value()
	}
	return c
}

// record notes a change at a row: what was chosen before it, and what was changed.
func (s *Screen) record(before choices, what string, at spot) {
	s.recordOf(before, what, at, material.Attribute{})
}

// recordTyping notes a change of a value. What is typed in one field without a pause is one step.
func (s *Screen) recordTyping(before choices, a material.Attribute) {
	now := s.deps.Now()
	if s.steps.attr != a || s.steps.typedAt.IsZero() || now.Sub(s.steps.typedAt) >= typingPause {
		s.recordOf(before, a.Name, spot{onOverride, 0}, a)
	}
	s.steps.attr, s.steps.typedAt = a, now
}

func (s *Screen) recordOf(before choices, what string, at spot, a material.Attribute) {
	other := before // the side that the form is not on
	swap := func() tea.Cmd {
		now := s.chosen()
		s.restore(other, at, a)
		other = now
		return s.refresh()
	}
	s.steps.Did(screen.Step{What: what, Undo: swap, Redo: swap})
	s.steps.typedAt = time.Time{}
}

// Undo undoes the last change of the form, or of the groups where they are shown.
func (s *Screen) Undo() (tea.Cmd, bool) { return s.walk((*screen.Steps).Undo) }

// Redo redoes the change that was undone last.
func (s *Screen) Redo() (tea.Cmd, bool) { return s.walk((*screen.Steps).Redo) }

func (s *Screen) walk(one func(*screen.Steps) (tea.Cmd, bool)) (tea.Cmd, bool) {
	switch {
	case s.stage == stageGroups:
		return one(&s.groups.steps)
	case !s.ready() || s.stage != stageForm:
		return nil, false
	}
	s.steps.typedAt = time.Time{}
	return one(&s.steps.Steps)
}

// restore fills the form with what was chosen, and puts the cursor where it was changed.
func (s *Screen) restore(to choices, at spot, a material.Attribute) {
	f := &s.form
	f.identifier, f.values, f.filter, f.wrong, f.waiting = to.identifier, maps.Clone(to.values), to.filter, "", false
	if slices.Contains(f.recipients(), s.text()) { // it was taken out to be edited
		f.prompt.SetValue("")
	}
	s.typedValues, f.overrides = maps.Clone(to.typed), nil
	f.filter = s.draft.Known(f.filter)
	s.setOverrides()
	if at.place == onOverride {
		at.i = max(slices.IndexFunc(f.overrides, func(o override) bool { return o.Attribute == a }), 0)
	}
	if !slices.Contains(s.spots(), at) {
		at = spot{onPrompt, 0}
	}
	s.focus(at)
	s.offer()
}

// change names a change of recipients.
func (s *Screen) change(verb string, values ...string) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = s.people.Name(s.form.identifier, v)
	}
	return verb + " " + model.Some(names)
}

// putGroups takes groups away and puts others in their place. Groups that another terminal changed stay.
func (s *Screen) putGroups(gone, put []group) tea.Cmd {
	name := ""
	if len(put) > 0 {
		name = put[0].Name
	}
	return s.keepGroups(name, func(all []group) []group {
		for _, g := range slices.Concat(gone, put) {
			all = without(all, g.Name)
		}
		return append(all, put...)
	})
}

// differing returns the groups of one list that the other does not have as they are.
func differing(of, other []group) []group {
	return slices.DeleteFunc(slices.Clone(of), func(g group) bool {
		return slices.ContainsFunc(other, func(o group) bool {
			return o.Name == g.Name && o.Identifier == g.Identifier && slices.Equal(o.Values, g.Values)
		})
	})
}
