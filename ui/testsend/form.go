package testsend

import (
	"fmt"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/material"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// form is what a person fills in: the recipients, which of the messages, and values in place of the recipients' own.
// Beside it is the outlook.
type form struct {
	*layout
	to      recipients
	filter  engine.KeyFilter
	values  values
	outlook outlook
	steps   steps

	at   spot
	top  int // the first line in sight
	more int // lines below those in sight
}

// steps are the changes of the form, and what is being typed.
type steps struct {
	screen.Steps
	attr    material.Attribute // that the newest step types in
	typedAt time.Time          // when it did last; zero where the newest step is another one
}

// choices is what a person chose in the form.
type choices struct {
	identifier string
	values     map[string][]string
	filter     engine.KeyFilter
	typed      map[material.Attribute]string
}

// typingPause parts two steps in one field.
const typingPause = 2 * time.Second

func newForm(l *layout) form {
	return form{
		layout: l, to: newRecipients(l.subject), values: values{subject: l.subject, typed: map[material.Attribute]string{}},
		outlook: outlook{layout: l}, at: spot{onPrompt, 0},
	}
}

// ask is what the form asks for. Values that cannot be used are left out.
func (f *form) ask() engine.TestSend {
	t := f.to.ask()
	t.Filter = f.filter
	f.values.addTo(&t)
	return t
}

// lacks returns what the form still lacks; empty where it can be sent. What is still being typed counts. What the draft
// lacks is the service's to say: its answer leads to the field.
func (f *form) lacks() string {
	t := f.to.ask()
	t.Filter = f.filter
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
	for i := range f.draft.Narrowings() {
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
		f.record(before, spot{onPrompt, 0})
		f.focus(next)
		return tea.Batch(cmd, f.foresee())
	case onOverride:
		if f.values.Update(f.at.i, msg) {
			f.recordTyping(before, f.values.list[f.at.i].Attribute)
			return f.foresee()
		}
	}
	return nil
}

func (f *form) foresee() tea.Cmd { return f.outlook.foresee(f.ask()) }

// refresh looks up what the form leads to: profiles to offer, and what will become of the test.
func (f *form) refresh() tea.Cmd { return tea.Batch(f.to.search(), f.foresee()) }

// offerValues offers values for the messages that would go out.
func (f *form) offerValues() {
	f.values.set(f.draft.Matching(f.filter), f.outlook.forecast, f.outlook.told().Certain())
}

// took takes a forecast.
func (f *form) took(news foreseen) {
	f.outlook.took(news)
	f.values.compare(f.outlook.forecast, f.outlook.told().Certain())
}

// renew takes another draft, or the same one after a change. What was filled in stays as far as the draft has it.
func (f *form) renew() tea.Cmd {
	f.outlook.forget()
	return f.fit(f.at)
}

// fit leaves out what the draft does not have, and puts the keyboard on a row.
func (f *form) fit(at spot) tea.Cmd {
	f.filter = f.draft.Known(f.filter)
	f.offerValues()
	f.focus(at)
	return f.refresh()
}

// fill fills the form with what was asked for earlier. Where that is all a test needs, the next enter sends it: the same
// again is the most common test of all.
func (f *form) fill(last engine.TestSend) {
	f.to.begin(last)
	f.filter = f.draft.Known(last.Filter)
	f.values.put(model.Typed(last))
	f.offerValues()
	f.focus(spot{onPrompt, 0})
	if len(last.Values) > 0 {
		f.focus(spot{onSend, 0})
	}
}

// again fills the form as for an earlier test, as a change that can be undone.
func (f *form) again(ask engine.TestSend) tea.Cmd {
	f.recordOf(f.chosen(), "filled in an earlier test", spot{onPrompt, 0}, material.Attribute{})
	f.fill(ask)
	return f.refresh()
}

// use puts a group's recipients into the form. A test takes no more than ten: the person is told what is left out.
func (f *form) use(g group, beside bool) tea.Cmd {
	before := f.chosen()
	left := f.to.use(g, beside)
	f.record(before, spot{onPrompt, 0})
	f.focus(spot{onSend, 0})
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
	f.record(before, spot{onPrompt, 0})
	f.focus(next)
	return f.refresh()
}

// commit takes what is typed as it is. It reports false where that cannot be taken.
func (f *form) commit() bool {
	before := f.chosen()
	ok := f.to.commit()
	f.record(before, spot{onPrompt, 0})
	if !ok {
		f.focus(spot{onPrompt, 0})
	}
	return ok
}

// remove drops the recipient under the cursor; edit puts it back where it can be typed.
func (f *form) remove() tea.Cmd {
	before, at := f.chosen(), f.at
	f.to.remove(at.i)
	f.record(before, at)
	f.focus(at)
	return f.refresh()
}

func (f *form) edit() tea.Cmd {
	before, at := f.chosen(), f.at
	f.to.edit(at.i)
	f.record(before, at)
	f.focus(spot{onPrompt, 0})
	return f.refresh()
}

// narrowing returns the narrowing under the cursor.
func (f *form) narrowing() (model.Narrowing, bool) {
	all := f.draft.Narrowings()
	if f.at.place != onNarrowing || f.at.i >= len(all) {
		return model.Narrowing{}, false
	}
	return all[f.at.i], true
}

// turn takes the next value of the choice under the cursor, or the one before.
func (f *form) turn(by int) tea.Cmd {
	if n, ok := f.narrowing(); ok {
		return f.narrowTo(n, next(n.Choices(), n.Of(f.filter), by))
	}
	if f.at.place == onIdentifier {
		var values []string
		for _, o := range f.draft.Fields.Identifier.Options {
			values = append(values, o.Value)
		}
		return f.identify(next(values, f.to.identifier, by))
	}
	return nil
}

func next(values []string, now string, by int) string {
	n := len(values)
	return values[((slices.Index(values, now)+by)%n+n)%n]
}

// narrowTo sends only what has the value.
func (f *form) narrowTo(n model.Narrowing, value string) tea.Cmd {
	if value == n.Of(f.filter) {
		return nil
	}
	f.recordOf(f.chosen(), n.Node.Label(), f.at, material.Attribute{})
	f.filter = n.With(f.filter, value)
	f.offerValues()
	return f.refresh()
}

// identify changes how recipients are found.
func (f *form) identify(identifier string) tea.Cmd {
	before := f.chosen()
	f.to.identify(identifier)
	f.record(before, spot{onIdentifier, 0})
	return tea.Batch(f.refresh(), f.learnNames(f.to.identifier))
}

// choose offers the values of the choice under the cursor.
func (f *form) choose() tea.Cmd {
	if n, ok := f.narrowing(); ok {
		values := n.Choices()
		options := make([]widget.Option, len(values))
		for i, v := range values {
			options[i] = widget.Option{Label: n.Label(v)}
		}
		return screen.Send(screen.ChooseMsg{Title: n.Node.Label(), Body: n.Node.Help, Options: options, Then: func(a widget.Answer) tea.Cmd {
			return f.narrowTo(n, values[a.Index])
		}})
	}
	node := f.draft.Fields.Identifier
	options := make([]widget.Option, len(node.Options))
	for i, o := range node.Options {
		options[i] = widget.Option{Label: o.Title(), Help: problems.Sentence(o.Help)}
	}
	return screen.Send(screen.ChooseMsg{Title: node.Label(), Body: node.Help, Options: options, Then: func(a widget.Answer) tea.Cmd {
		return f.identify(node.Options[a.Index].Value)
	}})
}

// clearValues takes back every value that was typed.
func (f *form) clearValues() tea.Cmd {
	f.recordOf(f.chosen(), "cleared the personalization", f.at, material.Attribute{})
	f.values.put(map[material.Attribute]string{})
	f.offerValues()
	f.focus(f.at)
	return f.foresee()
}

// leave leaves the field with what is typed in it; esc leaves the screen from there.
func (f *form) leave() tea.Cmd {
	f.to.waiting = false
	f.focus(spot{onIdentifier, 0})
	return nil
}

// chosen returns what is chosen now.
func (f *form) chosen() choices {
	return choices{f.to.identifier, maps.Clone(f.to.values), f.filter, f.values.now()}
}

// record notes what was changed of the recipients, with what was chosen before it.
func (f *form) record(before choices, at spot) {
	if f.to.did != "" {
		f.recordOf(before, f.to.did, at, material.Attribute{})
	}
	f.to.did = ""
}

// recordTyping notes a change of a value. What is typed in one field without a pause is one step.
func (f *form) recordTyping(before choices, a material.Attribute) {
	now := f.deps.Now()
	if f.steps.attr != a || f.steps.typedAt.IsZero() || now.Sub(f.steps.typedAt) >= typingPause {
		f.recordOf(before, a.Name, spot{onOverride, 0}, a)
	}
	f.steps.attr, f.steps.typedAt = a, now
}

// recordOf notes a change at a row, of a value that of its attribute.
func (f *form) recordOf(before choices, what string, at spot, a material.Attribute) {
	other := before // the side that the form is not on
	swap := func() tea.Cmd {
		now := f.chosen()
		cmd := f.restore(other, at, a)
		other = now
		return cmd
	}
	f.steps.Did(screen.Step{What: what, Undo: swap, Redo: swap})
	f.steps.typedAt = time.Time{}
}

// restore fills the form with what was chosen, and puts the cursor where it was changed.
func (f *form) restore(to choices, at spot, a material.Attribute) tea.Cmd {
	f.to.restore(to.identifier, maps.Clone(to.values))
	f.filter = f.draft.Known(to.filter)
	f.values.put(maps.Clone(to.typed))
	f.offerValues()
	if at.place == onOverride {
		at.i = max(slices.IndexFunc(f.values.list, func(o override) bool { return o.Attribute == a }), 0)
	}
	f.focus(at)
	f.to.offer()
	return f.refresh()
}

// walk undoes or redoes a change.
func (f *form) walk(one func(*screen.Steps) (tea.Cmd, bool)) (tea.Cmd, bool) {
	f.steps.typedAt = time.Time{}
	return one(&f.steps.Steps)
}

// SetTheme changes the theme.
func (f *form) SetTheme(t themes.Theme) {
	f.to.prompt.SetTheme(t)
	f.values.SetTheme(t)
	f.outlook.SetTheme()
}
