package testsend

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/forms/typeahead"
	"bugle/themes"
	"bugle/ui/widget"
)

// form is what a person fills in.
type form struct {
	identifier  string
	values      map[string][]string // recipients, by identifier
	prompt      widget.Prompt
	wrong       string // why what was typed was not taken
	profiles    []engine.Profile
	found       string         // what profiles were looked up for
	list        typeahead.List // what is suggested below the prompt
	offers      []offer        // its items
	promptLines int            // the lines of the prompt above the suggestions, as drawn last
	waiting     bool           // enter was pressed before the suggestions were there
	filter      engine.KeyFilter
	overrides   []override

	at   spot
	top  int // the first line in sight
	more int // lines below those in sight
}

// place is a kind of row of the form.
type place uint8

const (
	onIdentifier place = iota
	onValue            // a recipient
	onPrompt           // where the next is typed
	onNarrowing
	onOverride
	onSend
	onGrid    // the messages beside the form
	onNothing // words that the cursor passes over
)

// spot is one row of the form: its kind, and which of that kind.
type spot struct {
	place place
	i     int
}

// row is a row of the form as it is drawn.
type row struct {
	spot
	lines []string
}

func newForm(t themes.Theme) form {
	return form{prompt: widget.NewPrompt(t, "+", ""), values: map[string][]string{}, at: spot{onPrompt, 0}}
}

// recipients are those of the chosen identifier.
func (f *form) recipients() []string { return f.values[f.identifier] }

// spots returns the rows that the cursor goes to, from top to bottom.
func (s *Screen) spots() []spot {
	out := []spot{{onIdentifier, 0}}
	for i := range s.form.recipients() {
		out = append(out, spot{onValue, i})
	}
	out = append(out, spot{onPrompt, 0})
	for i := range s.draft.Narrowings() {
		out = append(out, spot{onNarrowing, i})
	}
	for i := range s.form.overrides {
		out = append(out, spot{onOverride, i})
	}
	return append(out, spot{onSend, 0}, spot{onGrid, 0})
}

// offering reports whether recipients are suggested now: below the place where one is typed.
func (s *Screen) offering() bool { return s.form.at.place == onPrompt }

// focus puts the keyboard on a row.
func (s *Screen) focus(at spot) {
	s.form.at = at
	s.form.prompt.Blur()
	if at.place == onPrompt {
		s.form.prompt.Focus()
	}
	for i := range s.form.overrides {
		s.form.overrides[i].prompt.Blur()
		if at == (spot{onOverride, i}) {
			s.form.overrides[i].prompt.Focus()
		}
	}
}

// move takes the cursor n rows on, through the suggestions where they are listed.
func (s *Screen) move(n int) {
	if arrow := map[int]string{1: "down", -1: "up"}[n]; s.offering() && s.form.list.Key(arrow) {
		return
	}
	if s.beside() {
		s.gridTop = max(s.gridTop+n, 0)
		return
	}
	spots := s.spots()
	at := max(slices.Index(spots, s.form.at), 0)
	s.focus(spots[max(min(at+n, len(spots)-2), 0)]) // the messages are a pane of their own
}

// jump takes the cursor to the next group of rows or pane, or the previous one: round and round.
func (s *Screen) jump(n int) {
	place, spots := s.form.at.place, s.spots()
	at := max(slices.Index(spots, s.form.at), 0)
	for {
		at = (at + n + len(spots)) % len(spots)
		if p := spots[at].place; p != place || p == onOverride || p == onNarrowing {
			break
		}
	}
	s.focus(spots[at])
}

// key takes a key that is no action: it is typed, or scrolls.
func (s *Screen) key(msg tea.KeyMsg) tea.Cmd {
	if !s.ready() {
		return nil
	}
	switch s.stage {
	case stageRefused:
		s.refusal.list.Update(msg)
		return nil
	case stageSending, stageDone:
		s.layRun()
		if s.run.read.open {
			s.run.read.view.Update(msg)
			return nil
		}
		s.run.rows.update(msg)
		return nil
	case stageGroups:
		s.detailTop = 0
		s.groups.list.Update(msg)
		return nil
	case stageEarlier:
		s.detailTop = 0
		s.past.list.Update(msg)
		return nil
	}
	switch s.form.at.place {
	case onPrompt:
		return s.typed(msg)
	case onOverride:
		o, before := &s.form.overrides[s.form.at.i], s.chosen()
		if o.prompt.Update(msg) {
			s.recordTyping(before, o.Attribute)
			return s.foresee()
		}
	}
	return nil
}

// ask is what the form asks for.
func (s *Screen) ask() engine.TestSend {
	t := engine.TestSend{Identifier: s.form.identifier, Values: slices.Clone(s.form.recipients()), Filter: s.form.filter}
	for _, o := range s.form.overrides {
		_ = o.Put(&t, o.prompt.Value()) // a value that is wrong is said beside it
	}
	return t
}

// sendWhy returns what the form still lacks; empty where it can be sent. What is still being typed
// counts. What the draft lacks is the service's to say: its answer leads to the field.
func (s *Screen) sendWhy() string {
	wrong, others := s.ask().CheckRecipients(s.draft.Campaign.Channel)
	typed := s.form.prompt.Value() != ""
	switch {
	case len(s.form.recipients()) == 0 && !typed:
		return "Add a recipient first."
	case len(wrong) > 0:
		for i, v := range s.form.recipients() {
			if wrong[i] != "" {
				return fmt.Sprintf("%s %s.", widget.Clean(v), wrong[i])
			}
		}
	case len(others) > 0 && !typed:
		return others[0]
	}
	for _, o := range s.form.overrides {
		if why := o.wrong(); why != "" {
			return fmt.Sprintf("The value for %s %s.", o.Name, why)
		}
	}
	return ""
}
