package testsend

import (
	"fmt"
	"maps"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/assemble"
	model "bugle/engine/testsend"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// form is the form for a test: the recipients, which messages to send, and overrides of the recipients' values.
// The forecast is shown beside it.
type form struct {
	*layout
	to       recipients
	as       personas
	narrow   messageFilter
	copies   bool // to the addresses in Cc and Bcc
	values   overrides
	forecast forecastPane
	steps    formUndo
	at       rowID
	window   formWindow
}

// formState is what the user entered in the form.
type formState struct {
	identifier string
	values     map[string][]string
	as         []engine.TestPersona
	filter     engine.KeyFilter
	copies     bool
	typed      map[assemble.Attribute]string
}

func newForm(l *layout) form {
	return form{
		layout: l, to: newRecipients(l.sendContext), as: personas{sendContext: l.sendContext}, narrow: messageFilter{sendContext: l.sendContext}, values: overrides{sendContext: l.sendContext, typed: map[assemble.Attribute]string{}},
		forecast: forecastPane{layout: l}, at: rowID{rowPrompt, 0},
	}
}

// request returns the requested test. Invalid overrides are left out.
func (f *form) request() engine.TestSend {
	t := f.to.request()
	t.As, t.Filter = f.as.list, f.narrow.filter
	t.Copies = f.copies && len(f.copiesTo()) > 0
	f.values.addTo(&t)
	return t
}

// missing describes what the form still needs; empty if it can be sent. Pending input counts. The service
// checks the draft itself, and its answer leads to the field.
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

// rowIDs returns the rows that the cursor visits, from top to bottom.
func (f *form) rowIDs() []rowID {
	out := []rowID{{rowIdentifier, 0}}
	for i := range f.to.selected() {
		out = append(out, rowID{rowRecipient, i})
	}
	out = append(out, rowID{rowPrompt, 0})
	for i := range f.draft.FilterFields() {
		out = append(out, rowID{rowFilter, i})
	}
	if len(f.copiesTo()) > 0 {
		out = append(out, rowID{rowCopies, 0})
	}
	out = append(out, f.as.rowIDs()...)
	for i := range f.values.fields {
		out = append(out, rowID{rowOverride, i})
	}
	return append(out, rowID{rowSend, 0}, rowID{rowForecast, 0})
}

// forecastFocused reports whether the forecast has the keyboard.
func (f *form) forecastFocused() bool { return f.at.kind == rowForecast }

// typing reports whether a text field has the keyboard.
func (f *form) typing() bool { return f.at.kind == rowPrompt || f.at.kind == rowOverride }

// focus focuses a row; the prompt if that row does not exist any more.
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

// move moves the cursor by n rows, through the suggestions if they are listed.
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

// nextGroup moves the cursor to the next or previous group of rows or pane, wrapping around. It passes by the choice of
// users whose data messages have while there are none, so that enter leads from the recipients to the values.
func (f *form) nextGroup(n int) tea.Cmd {
	place, spots := f.at.kind, f.rowIDs()
	at := max(slices.Index(spots, f.at), 0)
	for {
		at = (at + n + len(spots)) % len(spots)
		if spots[at].kind == rowPersona && len(f.as.list) == 0 {
			continue
		}
		if p := spots[at].kind; p != place || p == rowOverride || p == rowFilter {
			break
		}
	}
	f.focus(spots[at])
	return nil
}

// Update handles a key that is not an action.
func (f *form) Update(msg tea.KeyMsg) tea.Cmd {
	switch before := f.state(); f.at.kind {
	case rowPrompt:
		next, cmd := f.to.Update(msg)
		f.record(before, f.to.changes(), rowID{rowPrompt, 0})
		if next != f.at {
			f.focus(next)
		}
		return tea.Batch(cmd, f.updateForecast())
	case rowOverride:
		if f.values.Update(f.at.i, msg) {
			a := f.values.fields[f.at.i].Attribute
			f.steps.recordTyping(a, f.deps.Now(), func() { f.recordOf(before, a.Name, f.at, a) })
			return f.updateForecast()
		}
	}
	return nil
}

// refresh updates what depends on the form: the suggested profiles and the forecast.
func (f *form) refresh() tea.Cmd { return tea.Batch(f.to.search(), f.updateForecast()) }

// offerValues updates the overrides for the messages to send.
func (f *form) offerValues() {
	f.values.setMessages(f.draft.Matching(f.narrow.filter), f.forecast.forecast, f.forecast.current().Certain())
}

// updateForecast requests a forecast if the request has changed.
func (f *form) updateForecast() tea.Cmd {
	return f.forecast.update(f.request(), func() { f.values.compare(f.forecast.forecast, f.forecast.current().Certain()) })
}

// setDraft adopts a new draft, or a changed one. Input is kept as far as the draft still has it.
func (f *form) setDraft() tea.Cmd {
	f.forecast.invalidate()
	f.narrow.filter = f.draft.Normalize(f.narrow.filter)
	f.offerValues()
	f.focus(f.at)
	return f.refresh()
}

// fill fills the form from an earlier test. If nothing else is needed, the next enter sends it, because
// repeating a test is most common.
func (f *form) fill(last engine.TestSend) {
	f.to.begin(last)
	f.as.list, f.copies = last.As, last.Copies
	f.narrow.filter = f.draft.Normalize(last.Filter)
	f.values.restore(model.Overrides(last))
	f.offerValues()
	f.focus(rowID{rowPrompt, 0})
	if len(last.Values) > 0 {
		f.focus(rowID{rowSend, 0})
	}
}

// refill fills the form from an earlier test, as a change that can be undone.
func (f *form) refill(ask engine.TestSend) tea.Cmd {
	f.record(f.state(), "filled in an earlier test", rowID{rowPrompt, 0})
	f.fill(ask)
	return f.refresh()
}

// useGroup adds a group's recipients to the form. A test has at most ten recipients; the user is told which are
// left out.
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
		"A test can have up to %d recipients. Left out: %s.", model.MaxRecipients(g.Identifier), model.Summarize(left))))
}

// enterTyped handles enter in the prompt: it accepts the highlighted suggestion, or goes to the next row.
func (f *form) enterTyped() tea.Cmd {
	if _, ok := f.to.list.Highlighted(); !ok {
		return f.nextGroup(1)
	}
	if f.to.shouldWait() {
		return nil
	}
	return f.accept()
}

// accept accepts the highlighted recipient or group.
func (f *form) accept() tea.Cmd {
	before := f.state()
	next := f.to.accept()
	f.record(before, f.to.changes(), rowID{rowPrompt, 0})
	f.focus(next)
	return f.refresh()
}

// commit adds the typed text as a recipient. It returns false if it is invalid.
func (f *form) commit() bool {
	before := f.state()
	ok := f.to.commit()
	f.record(before, f.to.changes(), rowID{rowPrompt, 0})
	if !ok {
		f.focus(rowID{rowPrompt, 0})
	}
	return ok
}

// drop removes the recipient under the cursor, optionally to edit it.
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

// cycle selects the next value of the choice under the cursor.
func (f *form) cycle() tea.Cmd {
	if n, ok := f.narrow.at(f.at); ok {
		return f.narrowTo(n, valueAfter(n.Choices(), n.Selected(f.narrow.filter)))
	}
	switch f.at.kind {
	case rowIdentifier:
		return f.identify(f.to.nextIdentifier())
	case rowCopies:
		f.toggleCopies()
	}
	return nil
}

// copiesTo returns who can get copies of the messages to send: nobody if another service sends them as it likes.
func (f *form) copiesTo() []string {
	if engine.IsExternal(f.deps.Service) {
		return nil
	}
	return f.draft.CopiesTo(f.narrow.filter)
}

func (f *form) toggleCopies() {
	f.record(f.state(), "copies", f.at)
	f.copies = !f.copies
}

// narrowTo sends only the messages with the value.
func (f *form) narrowTo(n model.FilterField, value string) tea.Cmd {
	if value == n.Selected(f.narrow.filter) {
		return nil
	}
	f.record(f.state(), n.Node.Label(), f.at)
	f.narrow.filter = n.With(f.narrow.filter, value)
	f.offerValues()
	return f.refresh()
}

// identify changes the identifier of recipients.
func (f *form) identify(identifier string) tea.Cmd {
	before := f.state()
	f.to.identify(identifier)
	f.record(before, f.to.changes(), rowID{rowIdentifier, 0})
	return tea.Batch(f.refresh(), f.learnNames(f.to.identifier))
}

// choose lists the values of the choice under the cursor.
func (f *form) choose() tea.Cmd {
	if n, ok := f.narrow.at(f.at); ok {
		return choose(n, func(value string) tea.Cmd { return f.narrowTo(n, value) })
	}
	if f.at.kind == rowCopies {
		f.toggleCopies()
		return nil
	}
	return f.to.choose(f.identify)
}

// clearValues removes all overrides.
func (f *form) clearValues() tea.Cmd {
	f.record(f.state(), "cleared the personalization", f.at)
	f.values.restore(map[assemble.Attribute]string{})
	f.offerValues()
	f.focus(f.at)
	return f.updateForecast()
}

// state returns the current state of the form.
func (f *form) state() formState {
	return formState{f.to.identifier, maps.Clone(f.to.values), f.as.list, f.narrow.filter, f.copies, f.values.current()}
}

// record records a change in a row: the state before it, and a description, which may be empty.
func (f *form) record(before formState, what string, at rowID) {
	if what != "" {
		f.recordOf(before, what, at, assemble.Attribute{})
	}
}

// recordOf is record for a change of an override, identified by its attribute.
func (f *form) recordOf(before formState, what string, at rowID, a assemble.Attribute) {
	other := before // the other state
	swap := func() tea.Cmd {
		now := f.state()
		cmd := f.restore(other, at, a)
		other = now
		return cmd
	}
	f.steps.record(what, swap)
}

// restore restores a state, with the cursor where it was changed.
func (f *form) restore(to formState, at rowID, a assemble.Attribute) tea.Cmd {
	f.to.restore(to.identifier, maps.Clone(to.values))
	f.as.list, f.narrow.filter, f.copies = to.as, f.draft.Normalize(to.filter), to.copies
	f.values.restore(maps.Clone(to.typed))
	f.offerValues()
	if at.kind == rowOverride {
		at.i = max(slices.IndexFunc(f.values.fields, func(o override) bool { return o.Attribute == a }), 0)
	}
	f.focus(at)
	f.to.updateSuggestions()
	return f.refresh()
}
