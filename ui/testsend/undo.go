package testsend

import (
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/material"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// choices is what a person chose in the form.
type choices struct {
	identifier string
	values     map[string][]string
	filter     engine.KeyFilter
	typed      map[material.Attribute]string
}

// step is what was chosen before a change, or after one that was undone.
type step struct {
	choices
	what string // that was changed, for people
	spot spot   // where
	attr material.Attribute
}

// steps is the list of changes that undo and redo walk.
type steps struct {
	past, future []step
	typedAt      time.Time // the newest step is typing in a field, at this time
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
	s.steps.past, s.steps.future = append(s.steps.past, step{choices: before, what: what, spot: at}), nil
	s.steps.typedAt = time.Time{}
}

// recordTyping notes a change of a value. What is typed in one field without a pause is one step.
func (s *Screen) recordTyping(before choices, a material.Attribute) {
	n, now := len(s.steps.past), s.deps.Now()
	if n > 0 && s.steps.past[n-1].attr == a && !s.steps.typedAt.IsZero() && now.Sub(s.steps.typedAt) < typingPause {
		s.steps.typedAt, s.steps.future = now, nil
		return
	}
	s.record(before, a.Name, spot{onOverride, 0})
	s.steps.past[n].attr, s.steps.typedAt = a, now
}

// Undo undoes the last change of the form, or of the groups where they are shown.
func (s *Screen) Undo() (tea.Cmd, bool) { return s.walk("Undone", &s.steps.past, &s.steps.future) }

// Redo redoes the change that was undone last.
func (s *Screen) Redo() (tea.Cmd, bool) { return s.walk("Redone", &s.steps.future, &s.steps.past) }

func (s *Screen) walk(done string, from, to *[]step) (tea.Cmd, bool) {
	if s.stage == stageGroups {
		return s.walkGroups(done)
	}
	n := len(*from)
	if !s.ready() || s.stage != stageForm || n == 0 {
		return nil, false
	}
	target := (*from)[n-1]
	now := target
	now.choices = s.chosen()
	*from, *to, s.steps.typedAt = (*from)[:n-1], append(*to, now), time.Time{}
	s.restore(target)
	return tea.Batch(s.refresh(), screen.NotifyAbout(screen.AboutEdit, widget.LevelSuccess, done+": "+target.what)), true
}

// restore fills the form with what was chosen at a step, and puts the cursor where it was changed.
func (s *Screen) restore(to step) {
	f := &s.form
	f.identifier, f.values, f.filter, f.wrong, f.waiting = to.identifier, maps.Clone(to.values), to.filter, "", false
	if slices.Contains(f.recipients(), s.text()) { // it was taken out to be edited
		f.prompt.SetValue("")
	}
	s.typedValues, f.overrides = maps.Clone(to.typed), nil
	s.dropForeign()
	s.setOverrides()
	at := to.spot
	if at.place == onOverride {
		at.i = max(slices.IndexFunc(f.overrides, func(o override) bool { return o.Attribute == to.attr }), 0)
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
		names[i] = s.who(s.form.identifier, v)
	}
	return verb + " " + someOf(names)
}

// groupStep is a change of the groups.
type groupStep struct {
	from, to []group // that it took away, and put in their place
	what     string
}

// groupSteps are the changes of the groups that undo and redo walk.
type groupSteps struct{ past, future []groupStep }

// walkGroups takes back a change of the groups, or does it again. Groups that another terminal changed stay.
func (s *Screen) walkGroups(done string) (tea.Cmd, bool) {
	g := &s.groups.steps
	from, to := &g.past, &g.future
	if done == "Redone" {
		from, to = to, from
	}
	n := len(*from)
	if n == 0 {
		return nil, false
	}
	step := (*from)[n-1]
	*from, *to = (*from)[:n-1], append(*to, groupStep{step.to, step.from, step.what})
	name := ""
	if len(step.from) > 0 {
		name = step.from[0].Name
	}
	return tea.Batch(s.keepGroups(name, func(all []group) []group {
		for _, gone := range append(slices.Clone(step.to), step.from...) {
			all = without(all, gone.Name)
		}
		return append(all, step.from...)
	}), screen.NotifyAbout(screen.AboutEdit, widget.LevelSuccess, done+": "+step.what)), true
}

// differing returns the groups of one list that the other does not have as they are.
func differing(of, other []group) []group {
	return slices.DeleteFunc(slices.Clone(of), func(g group) bool {
		return slices.ContainsFunc(other, func(o group) bool {
			return o.Name == g.Name && o.Identifier == g.Identifier && slices.Equal(o.Values, g.Values)
		})
	})
}
