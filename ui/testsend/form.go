package testsend

import (
	"fmt"
	"maps"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/assemble"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// form is what a person fills in: the recipients, which of the messages, and values in place of the recipients' own.
// Beside it is the outlook.
type form struct {
	*layout
	to      recipients
	narrow  narrowing
	values  values
	outlook outlook
	steps   steps
	at      spot
	window  window
}

// choices is what a person chose in the form.
type choices struct {
	identifier string
	values     map[string][]string
	filter     engine.KeyFilter
	typed      map[assemble.Attribute]string
}

func newForm(l *layout) form {
	return form{
		layout: l, to: newRecipients(l.subject), narrow: narrowing{subject: l.subject}, values: values{subject: l.subject, typed: map[assemble.Attribute]string{}},
		outlook: outlook{layout: l}, at: spot{onPrompt, 0},
	}
}

// ask is what the form asks for. Values that cannot be used are left out.
func (f *form) ask() engine.TestSend {
	t := f.to.ask()
	t.Filter = f.narrow.filter
	f.values.addTo(&t)
	return t
}

// lacks returns what the form still lacks; empty where it can be sent. What is still being typed counts. What the draft
// lacks is the service's to say: its answer leads to the field.
func (f *form) lacks() string {
	t := f.to.ask()
	t.Filter = f.narrow.filter
	value := f.values.addTo(&t)
	wrong, others := t.CheckRecipients(f.draft.Campaign.Channel)
	typed := f.to.prompt.Value() != ""
	switch {
	case len(t.Values) == 0 && !typed:
		return "Add a recipient first."
	case len(wrong) > 0:
		for i, v := range t.Values {
			if wrong[i] != "" {
				return fmt.Sprintf("%s %s.", widget.Clean(v), wrong[i])
			}
		}
	case len(others) > 0 && !typed:
		return others[0]
	}
	return value
}

// spots returns the rows that the cursor goes to, from top to bottom.
func (f *form) spots() []spot {
	out := []spot{{onIdentifier, 0}}
	for i := range f.to.given() {
		out = append(out, spot{onValue, i})
	}
	out = append(out, spot{onPrompt, 0})
	for i := range f.draft.FilterFields() {
		out = append(out, spot{onNarrowing, i})
	}
	for i := range f.values.list {
		out = append(out, spot{onOverride, i})
	}
	return append(out, spot{onSend, 0}, spot{onGrid, 0})
}

// beside reports whether the outlook has the keyboard.
func (f *form) beside() bool { return f.at.place == onGrid }

// typing reports whether a text is being typed.
func (f *form) typing() bool { return f.at.place == onPrompt || f.at.place == onOverride }

// focus puts the keyboard on a row; on the prompt where that is not there any more.
func (f *form) focus(at spot) {
	if !slices.Contains(f.spots(), at) {
		at = spot{onPrompt, 0}
	}
	f.at = at
	f.to.focus(at.place == onPrompt)
	value := -1
	if at.place == onOverride {
		value = at.i
	}
	f.values.focus(value)
}

// move takes the cursor n rows on, through the suggestions where they are listed.
func (f *form) move(n int) tea.Cmd {
	arrow := map[int]string{1: "down", -1: "up"}[n]
	switch {
	case f.at.place == onPrompt && f.to.list.Key(arrow):
	case f.beside():
		f.outlook.scroll(n)
	default:
		spots := f.spots()
		at := max(slices.Index(spots, f.at), 0)
		f.focus(spots[max(min(at+n, len(spots)-2), 0)]) // the messages are a pane of their own
	}
	return nil
}

// jump takes the cursor to the next group of rows or pane, or the previous one: round and round.
func (f *form) jump(n int) tea.Cmd {
	place, spots := f.at.place, f.spots()
	at := max(slices.Index(spots, f.at), 0)
	for {
		at = (at + n + len(spots)) % len(spots)
		if p := spots[at].place; p != place || p == onOverride || p == onNarrowing {
			break
		}
	}
	f.focus(spots[at])
	return nil
}

// Update takes a key that is no action: it is typed.
func (f *form) Update(msg tea.KeyMsg) tea.Cmd {
	switch before := f.chosen(); f.at.place {
	case onPrompt:
		next, cmd := f.to.Update(msg)
		f.record(before, f.to.changes(), spot{onPrompt, 0})
		if next != f.at {
			f.focus(next)
		}
		return tea.Batch(cmd, f.outlook.foresee(f.ask()))
	case onOverride:
		if f.values.Update(f.at.i, msg) {
			a := f.values.list[f.at.i].Attribute
			f.steps.typed(a, f.deps.Now(), func() { f.recordOf(before, a.Name, f.at, a) })
			return f.outlook.foresee(f.ask())
		}
	}
	return nil
}

// refresh looks up what the form leads to: profiles to offer, and what will become of the test.
func (f *form) refresh() tea.Cmd { return tea.Batch(f.to.search(), f.outlook.foresee(f.ask())) }

// offerValues offers values for the messages that would go out.
func (f *form) offerValues() {
	f.values.set(f.draft.Matching(f.narrow.filter), f.outlook.forecast, f.outlook.told().Certain())
}

// took takes a forecast.
func (f *form) took(news foreseen) {
	f.outlook.took(news)
	f.values.compare(f.outlook.forecast, f.outlook.told().Certain())
}

// renew takes another draft, or the same one after a change. What was filled in stays as far as the draft has it.
func (f *form) renew() tea.Cmd {
	f.outlook.forget()
	f.narrow.filter = f.draft.Normalize(f.narrow.filter)
	f.offerValues()
	f.focus(f.at)
	return f.refresh()
}

// fill fills the form with what was asked for earlier. Where that is all a test needs, the next enter sends it: the same
// again is the most common test of all.
func (f *form) fill(last engine.TestSend) {
	f.to.begin(last)
	f.narrow.filter = f.draft.Normalize(last.Filter)
	f.values.put(model.Overrides(last))
	f.offerValues()
	f.focus(spot{onPrompt, 0})
	if len(last.Values) > 0 {
		f.focus(spot{onSend, 0})
	}
}

// again fills the form as for an earlier test, as a change that can be undone.
func (f *form) again(ask engine.TestSend) tea.Cmd {
	f.record(f.chosen(), "filled in an earlier test", spot{onPrompt, 0})
	f.fill(ask)
	return f.refresh()
}

// use puts a group's recipients into the form. A test takes no more than ten: the person is told what is left out.
func (f *form) use(g group, beside bool) tea.Cmd {
	before := f.chosen()
	left := f.to.use(g, beside)
	f.record(before, f.to.changes(), spot{onPrompt, 0})
	f.focus(spot{onSend, 0})
	cmd := f.refresh()
	if len(left) == 0 {
		return cmd
	}
	return tea.Batch(cmd, screen.Notify(widget.LevelWarning, fmt.Sprintf(
		"A test can have up to %d recipients. Left out: %s.", model.MaxRecipients(g.Identifier), model.Summarize(left))))
}

// enterTyped is enter where recipients are typed: it takes what is highlighted, and goes on where nothing is.
func (f *form) enterTyped() tea.Cmd {
	if _, ok := f.to.list.Highlighted(); !ok {
		return f.jump(1)
	}
	if f.to.waits() {
		return nil
	}
	return f.accept()
}

// accept takes the recipient or group that is highlighted.
func (f *form) accept() tea.Cmd {
	before := f.chosen()
	next := f.to.accept()
	f.record(before, f.to.changes(), spot{onPrompt, 0})
	f.focus(next)
	return f.refresh()
}

// commit takes what is typed as it is. It reports false where that cannot be taken.
func (f *form) commit() bool {
	before := f.chosen()
	ok := f.to.commit()
	f.record(before, f.to.changes(), spot{onPrompt, 0})
	if !ok {
		f.focus(spot{onPrompt, 0})
	}
	return ok
}

// drop takes out the recipient under the cursor, to be edited or for good.
func (f *form) drop(edit bool) tea.Cmd {
	before, at := f.chosen(), f.at
	v := f.to.remove(at.i)
	f.record(before, f.to.changes(), at)
	if f.focus(at); edit {
		f.to.edit(v)
		f.focus(spot{onPrompt, 0})
	}
	return f.refresh()
}

// turn takes the next value of the choice under the cursor, or the one before.
func (f *form) turn(by int) tea.Cmd {
	if n, ok := f.narrow.at(f.at); ok {
		return f.narrowTo(n, next(n.Choices(), n.Selected(f.narrow.filter), by))
	}
	if f.at.place == onIdentifier {
		return f.identify(f.to.following(by))
	}
	return nil
}

// narrowTo sends only what has the value.
func (f *form) narrowTo(n model.FilterField, value string) tea.Cmd {
	if value == n.Selected(f.narrow.filter) {
		return nil
	}
	f.record(f.chosen(), n.Node.Label(), f.at)
	f.narrow.filter = n.With(f.narrow.filter, value)
	f.offerValues()
	return f.refresh()
}

// identify changes how recipients are found.
func (f *form) identify(identifier string) tea.Cmd {
	before := f.chosen()
	f.to.identify(identifier)
	f.record(before, f.to.changes(), spot{onIdentifier, 0})
	return tea.Batch(f.refresh(), f.learnNames(f.to.identifier))
}

// choose offers the values of the choice under the cursor.
func (f *form) choose() tea.Cmd {
	if n, ok := f.narrow.at(f.at); ok {
		return choose(n, func(value string) tea.Cmd { return f.narrowTo(n, value) })
	}
	return f.to.choose(f.identify)
}

// clearValues takes back every value that was typed.
func (f *form) clearValues() tea.Cmd {
	f.record(f.chosen(), "cleared the personalization", f.at)
	f.values.put(map[assemble.Attribute]string{})
	f.offerValues()
	f.focus(f.at)
	return f.outlook.foresee(f.ask())
}

// chosen returns what is chosen now.
func (f *form) chosen() choices {
	return choices{f.to.identifier, maps.Clone(f.to.values), f.narrow.filter, f.values.now()}
}

// record notes a change at a row: what was chosen before it, and what was changed, which may be nothing.
func (f *form) record(before choices, what string, at spot) {
	if what != "" {
		f.recordOf(before, what, at, assemble.Attribute{})
	}
}

// recordOf notes a change at a row, of a value that of its attribute.
func (f *form) recordOf(before choices, what string, at spot, a assemble.Attribute) {
	other := before // the side that the form is not on
	swap := func() tea.Cmd {
		now := f.chosen()
		cmd := f.restore(other, at, a)
		other = now
		return cmd
	}
	f.steps.note(what, swap)
}

// restore fills the form with what was chosen, and puts the cursor where it was changed.
func (f *form) restore(to choices, at spot, a assemble.Attribute) tea.Cmd {
	f.to.restore(to.identifier, maps.Clone(to.values))
	f.narrow.filter = f.draft.Normalize(to.filter)
	f.values.put(maps.Clone(to.typed))
	f.offerValues()
	if at.place == onOverride {
		at.i = max(slices.IndexFunc(f.values.list, func(o override) bool { return o.Attribute == a }), 0)
	}
	f.focus(at)
	f.to.offer()
	return f.refresh()
}

// SetTheme changes the theme.
func (f *form) SetTheme(t themes.Theme) {
	f.to.prompt.SetTheme(t)
	f.values.SetTheme(t)
	f.outlook.SetTheme()
}
