package testsend

import (
	"fmt"
	"maps"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/material"
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
	narrow  messageFilter
	values  overrides
	forecast forecastPane
	steps   formUndo
	at      rowID
	window  formWindow
}

// formState is what a person chose in the form.
type formState struct {
	identifier string
	values     map[string][]string
	filter     engine.KeyFilter
	typed      map[material.Attribute]string
}

func newForm(l *layout) form {
	return form{
		layout: l, to: newRecipients(l.sendContext), narrow: messageFilter{sendContext: l.sendContext}, values: overrides{sendContext: l.sendContext, typed: map[material.Attribute]string{}},
		forecast: forecastPane{layout: l}, at: rowID{rowPrompt, 0},
	}
}

// request is what the form asks for. Values that cannot be used are left out.
func (f *form) request() engine.TestSend {
	t := f.to.request()
	t.Filter = f.narrow.filter
	f.values.addTo(&t)
	return t
}

// missing returns what the form still lacks; empty where it can be sent. What is still being typed counts. What the draft
// lacks is the service's to say: its answer leads to the field.
func (f *form) missing() string {
	t := f.to.request()
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

// rowIDs returns the rows that the cursor goes to, from top to bottom.
func (f *form) rowIDs() []rowID {
	out := []rowID{{rowIdentifier, 0}}
	for i := range f.to.selected() {
		out = append(out, rowID{rowRecipient, i})
	}
	out = append(out, rowID{rowPrompt, 0})
	for i := range f.draft.Narrowings() {
		out = append(out, rowID{rowFilter, i})
	}
	for i := range f.values.fields {
		out = append(out, rowID{rowOverride, i})
	}
	return append(out, rowID{rowSend, 0}, rowID{rowForecast, 0})
}

// forecastFocused reports whether the outlook has the keyboard.
func (f *form) forecastFocused() bool { return f.at.kind == rowForecast }

// typing reports whether a text is being typed.
func (f *form) typing() bool { return f.at.kind == rowPrompt || f.at.kind == rowOverride }

// focus puts the keyboard on a row; on the prompt where that is not there any more.
func (f *form) focus(at rowID) {
	if !slices.Contains(f.rowIDs(), at) {
		at = rowID{rowPrompt, 0}
	}
	f.at = at
	f.to.focus(at.kind == rowPrompt)
	value := -1
	if at.kind == rowOverride {
		value = at.i
	}
	f.values.focus(value)
}

// move takes the cursor n rows on, through the suggestions where they are listed.
func (f *form) move(n int) tea.Cmd {
	arrow := map[int]string{1: "down", -1: "up"}[n]
	switch {
	case f.at.kind == rowPrompt && f.to.list.Key(arrow):
	case f.forecastFocused():
		f.forecast.scroll(n)
	default:
		spots := f.rowIDs()
		at := max(slices.Index(spots, f.at), 0)
		f.focus(spots[max(min(at+n, len(spots)-2), 0)]) // the messages are a pane of their own
	}
	return nil
}

// nextGroup takes the cursor to the next group of rows or pane, or the previous one: round and round.
func (f *form) nextGroup(n int) tea.Cmd {
	place, spots := f.at.kind, f.rowIDs()
	at := max(slices.Index(spots, f.at), 0)
	for {
		at = (at + n + len(spots)) % len(spots)
		if p := spots[at].kind; p != place || p == rowOverride || p == rowFilter {
			break
		}
	}
	f.focus(spots[at])
	return nil
}

// Update takes a key that is no action: it is typed.
func (f *form) Update(msg tea.KeyMsg) tea.Cmd {
	switch before := f.state(); f.at.kind {
	case rowPrompt:
		next, cmd := f.to.Update(msg)
		f.record(before, f.to.changes(), rowID{rowPrompt, 0})
		if next != f.at {
			f.focus(next)
		}
		return tea.Batch(cmd, f.forecast.update(f.request()))
	case rowOverride:
		if f.values.Update(f.at.i, msg) {
			a := f.values.fields[f.at.i].Attribute
			f.steps.recordTyping(a, f.deps.Now(), func() { f.recordOf(before, a.Name, f.at, a) })
			return f.forecast.update(f.request())
		}
	}
	return nil
}

// refresh looks up what the form leads to: profiles to offer, and what will become of the test.
func (f *form) refresh() tea.Cmd { return tea.Batch(f.to.search(), f.forecast.update(f.request())) }

// offerValues offers values for the messages that would go out.
func (f *form) offerValues() {
	f.values.setMessages(f.draft.Matching(f.narrow.filter), f.forecast.forecast, f.forecast.current().Certain())
}

// showForecast takes a forecast.
func (f *form) showForecast(news forecastLoaded) {
	f.forecast.setForecast(news)
	f.values.compare(f.forecast.forecast, f.forecast.current().Certain())
}

// setDraft takes another draft, or the same one after a change. What was filled in stays as far as the draft has it.
func (f *form) setDraft() tea.Cmd {
	f.forecast.invalidate()
	f.narrow.filter = f.draft.Known(f.narrow.filter)
	f.offerValues()
	f.focus(f.at)
	return f.refresh()
}

// fill fills the form with what was asked for earlier. Where that is all a test needs, the next enter sends it: the same
// again is the most common test of all.
func (f *form) fill(last engine.TestSend) {
	f.to.begin(last)
	f.narrow.filter = f.draft.Known(last.Filter)
	f.values.restore(model.Typed(last))
	f.offerValues()
	f.focus(rowID{rowPrompt, 0})
	if len(last.Values) > 0 {
		f.focus(rowID{rowSend, 0})
	}
}

// refill fills the form as for an earlier test, as a change that can be undone.
func (f *form) refill(ask engine.TestSend) tea.Cmd {
	f.record(f.state(), "filled in an earlier test", rowID{rowPrompt, 0})
	f.fill(ask)
	return f.refresh()
}

// useGroup puts a group's recipients into the form. A test takes no more than ten: the person is told what is left out.
func (f *form) useGroup(g group, beside bool) tea.Cmd {
	before := f.state()
	left := f.to.useGroup(g, beside)
	f.record(before, f.to.changes(), rowID{rowPrompt, 0})
	f.focus(rowID{rowSend, 0})
	cmd := f.refresh()
	if len(left) == 0 {
		return cmd
	}
	return tea.Batch(cmd, screen.Notify(widget.LevelWarning, fmt.Sprintf(
		"A test can have up to %d recipients. Left out: %s.", model.MostRecipients(g.Identifier), model.Some(left))))
}

// enterTyped is enter where recipients are typed: it takes what is highlighted, and goes on where nothing is.
func (f *form) enterTyped() tea.Cmd {
	if _, ok := f.to.list.Highlighted(); !ok {
		return f.nextGroup(1)
	}
	if f.to.shouldWait() {
		return nil
	}
	return f.accept()
}

// accept takes the recipient or group that is highlighted.
func (f *form) accept() tea.Cmd {
	before := f.state()
	next := f.to.accept()
	f.record(before, f.to.changes(), rowID{rowPrompt, 0})
	f.focus(next)
	return f.refresh()
}

// commit takes what is typed as it is. It reports false where that cannot be taken.
func (f *form) commit() bool {
	before := f.state()
	ok := f.to.commit()
	f.record(before, f.to.changes(), rowID{rowPrompt, 0})
	if !ok {
		f.focus(rowID{rowPrompt, 0})
	}
	return ok
}

// drop takes out the recipient under the cursor, to be edited or for good.
func (f *form) drop(edit bool) tea.Cmd {
	before, at := f.state(), f.at
	v := f.to.remove(at.i)
	f.record(before, f.to.changes(), at)
	if f.focus(at); edit {
		f.to.edit(v)
		f.focus(rowID{rowPrompt, 0})
	}
	return f.refresh()
}

// cycle takes the next value of the choice under the cursor, or the one before.
func (f *form) cycle(by int) tea.Cmd {
	if n, ok := f.narrow.at(f.at); ok {
		return f.narrowTo(n, cycleValue(n.Choices(), n.Of(f.narrow.filter), by))
	}
	if f.at.kind == rowIdentifier {
		return f.identify(f.to.identifierAfter(by))
	}
	return nil
}

// narrowTo sends only what has the value.
func (f *form) narrowTo(n model.Narrowing, value string) tea.Cmd {
	if value == n.Of(f.narrow.filter) {
		return nil
	}
	f.record(f.state(), n.Node.Label(), f.at)
	f.narrow.filter = n.With(f.narrow.filter, value)
	f.offerValues()
	return f.refresh()
}

// identify changes how recipients are found.
func (f *form) identify(identifier string) tea.Cmd {
	before := f.state()
	f.to.identify(identifier)
	f.record(before, f.to.changes(), rowID{rowIdentifier, 0})
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
	f.record(f.state(), "cleared the personalization", f.at)
	f.values.restore(map[material.Attribute]string{})
	f.offerValues()
	f.focus(f.at)
	return f.forecast.update(f.request())
}

// state returns what is chosen now.
func (f *form) state() formState {
	return formState{f.to.identifier, maps.Clone(f.to.values), f.narrow.filter, f.values.current()}
}

// record notes a change at a row: what was chosen before it, and what was changed, which may be nothing.
func (f *form) record(before formState, what string, at rowID) {
	if what != "" {
		f.recordOf(before, what, at, material.Attribute{})
	}
}

// recordOf notes a change at a row, of a value that of its attribute.
func (f *form) recordOf(before formState, what string, at rowID, a material.Attribute) {
	other := before // the side that the form is not on
	swap := func() tea.Cmd {
		now := f.state()
		cmd := f.restore(other, at, a)
		other = now
		return cmd
	}
	f.steps.record(what, swap)
}

// restore fills the form with what was chosen, and puts the cursor where it was changed.
func (f *form) restore(to formState, at rowID, a material.Attribute) tea.Cmd {
	f.to.restore(to.identifier, maps.Clone(to.values))
	f.narrow.filter = f.draft.Known(to.filter)
	f.values.restore(maps.Clone(to.typed))
	f.offerValues()
	if at.kind == rowOverride {
		at.i = max(slices.IndexFunc(f.values.fields, func(o override) bool { return o.Attribute == a }), 0)
	}
	f.focus(at)
	f.to.updateSuggestions()
	return f.refresh()
}

// SetTheme changes the theme.
func (f *form) SetTheme(t themes.Theme) {
	f.to.prompt.SetTheme(t)
	f.values.SetTheme(t)
	f.forecast.SetTheme()
}
