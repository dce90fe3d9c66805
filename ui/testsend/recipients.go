package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/schema"
	model "bugle/engine/testsend"
	"bugle/forms/typeahead"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// recipients is where a person enters who gets the test: the identifier, the recipients, and the place where the next one
// is typed, with suggestions below it.
type recipients struct {
	*subject
	identifier string
	values     map[string][]string // by identifier: each keeps its own
	prompt     widget.Prompt
	wrong      string // why what was typed was not taken
	profiles   []engine.User
	found      string         // what profiles were looked up for
	list       typeahead.List // what is suggested below the prompt
	offers     []offer        // its items
	lines      int            // of the prompt above the suggestions, as drawn last
	waiting    bool           // enter was pressed before the suggestions were there
	did        string         // what was changed and is not recorded yet
}

// offer is a recipient that is offered, or a group of them.
type offer struct {
	value, info string
	group       *group
}

// mostOffers is how many recipients are offered at once, mostProfiles how many profiles are looked for: not each of
// them has the identifier's value.
const (
	mostOffers   = 4
	mostProfiles = 40
)

func newRecipients(s *subject) recipients {
	return recipients{subject: s, prompt: widget.NewPrompt(s.theme, "+", ""), values: map[string][]string{}}
}

// given are the recipients of the chosen identifier.
func (r *recipients) given() []string { return r.values[r.identifier] }

// ask is a test to the recipients.
func (r *recipients) ask() engine.TestSend {
	return engine.TestSend{Identifier: r.identifier, Values: slices.Clone(r.given())}
}

// text is what is typed of the next recipient.
func (r *recipients) text() string { return strings.TrimSpace(r.prompt.Value()) }

// focus returns the prompt the keyboard, or takes it away.
func (r *recipients) focus(on bool) {
	r.prompt.Blur()
	if on {
		r.prompt.Focus()
	}
}

// begin fills in the recipients of an earlier test.
func (r *recipients) begin(last engine.TestSend) {
	options := r.draft.Fields.Identifier.Options
	r.identifier = options[0].Value
	for _, o := range options {
		if o.Value == last.Identifier {
			r.identifier = o.Value
		}
	}
	r.values[r.identifier] = slices.Clone(last.Values)
	r.wrong = ""
	r.prompt.SetValue("")
}

// restore brings back what was chosen before.
func (r *recipients) restore(identifier string, values map[string][]string) {
	r.identifier, r.values, r.wrong, r.waiting = identifier, values, "", false
	if slices.Contains(r.given(), r.text()) { // it was taken out to be edited
		r.prompt.SetValue("")
	}
}

// identify changes how recipients are found.
func (r *recipients) identify(identifier string) {
	if identifier != r.identifier {
		r.did = r.draft.Fields.Identifier.Label()
	}
	r.identifier, r.wrong, r.profiles, r.waiting = identifier, "", nil, false
	r.offer()
}

// following returns the identifier n places after the chosen one.
func (r *recipients) following(n int) string {
	var all []string
	for _, o := range r.draft.Fields.Identifier.Options {
		all = append(all, o.Value)
	}
	return next(all, r.identifier, n)
}

// choose offers the identifiers.
func (r *recipients) choose(then func(identifier string) tea.Cmd) tea.Cmd {
	node := r.draft.Fields.Identifier
	options := make([]widget.Option, len(node.Options))
	for i, o := range node.Options {
		options[i] = widget.Option{Label: o.Title(), Help: problems.Sentence(o.Help)}
	}
	return screen.Send(screen.ChooseMsg{Title: node.Label(), Body: node.Help, Options: options, Then: func(a widget.Answer) tea.Cmd {
		return then(node.Options[a.Index].Value)
	}})
}

// Update takes a key that is typed in the prompt; next is the row that it leads to.
func (r *recipients) Update(msg tea.KeyMsg) (next spot, cmd tea.Cmd) {
	next = spot{onPrompt, 0}
	if r.waiting { // typing went on: what is highlighted is what enter meant
		r.waiting = false
		next = r.accept()
	}
	if msg.Type == tea.KeyRunes && model.EndsRecipient(r.identifier, string(msg.Runes)) {
		r.prompt.SetValue(r.add(r.prompt.Value() + string(msg.Runes)))
		r.offer()
		return spot{onPrompt, 0}, r.search()
	}
	if r.list.Key(msg.String()) {
		return next, nil
	}
	if msg.Type == tea.KeyBackspace && r.prompt.Value() == "" {
		if n := len(r.given()); n > 0 {
			next = spot{onValue, n - 1}
		}
		return next, nil
	}
	if !r.prompt.Update(msg) {
		return next, nil
	}
	r.wrong = ""
	r.offer()
	return next, r.search()
}

// add takes the recipients in a text, and returns what cannot be taken, with the reason beside it.
func (r *recipients) add(text string) (rest string) {
	r.wrong = ""
	had := len(r.given())
	var left []string
	for _, v := range model.Split(r.identifier, text) {
		switch why := r.refused(v); {
		case slices.Contains(r.given(), v): // it is there already
		case why != "":
			left = append(left, v)
			if r.wrong == "" {
				r.wrong = why
			}
		default:
			r.values[r.identifier] = append(slices.Clone(r.given()), v)
		}
	}
	if added := r.given()[had:]; len(added) > 0 {
		r.changed("added", added...)
	}
	return strings.Join(left, ", ")
}

// changed notes a change of recipients.
func (r *recipients) changed(verb string, values ...string) {
	r.did = verb + " " + model.Summarize(r.people.Names(engine.TestSend{Identifier: r.identifier, Values: values}))
}

// changes returns what was changed and is not recorded yet.
func (r *recipients) changes() string {
	did := r.did
	r.did = ""
	return did
}

func (r *recipients) refused(value string) string {
	return model.RefusalReason(r.draft.Campaign.Channel, r.ask(), value)
}

// commit takes what is typed as it is. It reports false where that cannot be taken.
func (r *recipients) commit() bool {
	rest := r.add(r.prompt.Value())
	r.prompt.SetValue(rest)
	r.offer()
	return rest == ""
}

// notTaken reports why what is typed cannot be added.
func (r *recipients) notTaken() tea.Cmd {
	return screen.Notify(widget.LevelWarning, fmt.Sprintf("“%s” %s.", widget.Clean(r.text()), r.wrong))
}

// waits reports whether enter waits for the profiles that are being looked up, since nothing fits yet.
func (r *recipients) waits() bool {
	h, ok := r.list.Highlighted()
	r.waiting = ok && h.Free && r.found != r.text() && r.searches()
	return r.waiting
}

// accept takes what is highlighted: the text that was typed, a recipient, or a group. It returns the row to go to.
func (r *recipients) accept() spot {
	h, ok := r.list.Highlighted()
	switch {
	case !ok:
	case h.Free:
		r.commit()
	case h.Ref >= 0 && h.Ref < len(r.offers):
		o := r.offers[h.Ref]
		if o.group != nil {
			r.use(*o.group, true)
			return spot{onSend, 0}
		}
		r.prompt.SetValue(r.add(o.value))
		r.offer()
	}
	return spot{onPrompt, 0}
}

// use takes a group's recipients, in the place of those there or beside them, and returns those that a test has no room
// for.
func (r *recipients) use(g group, beside bool) (left []string) {
	r.did = fmt.Sprintf("used the group %q", g.Name)
	r.identifier, r.wrong, r.profiles = g.Identifier, "", nil
	var values []string
	if beside {
		values = slices.Clone(r.values[g.Identifier])
	}
	for _, v := range g.Values {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	most := min(model.MaxRecipients(g.Identifier), len(values))
	r.values[g.Identifier] = values[:most]
	r.prompt.SetValue("")
	r.offer()
	return values[most:]
}

// remove drops a recipient, and returns it.
func (r *recipients) remove(i int) string {
	v := r.given()[i]
	r.changed("removed", v)
	r.values[r.identifier] = slices.Delete(slices.Clone(r.given()), i, i+1)
	r.offer()
	return v
}

// edit puts a recipient where it can be typed.
func (r *recipients) edit(value string) {
	r.prompt.SetValue(value)
	r.offer()
}

// searches reports whether profiles are looked up for what is typed.
func (r *recipients) searches() bool {
	_, ok := r.deps.Service.(engine.UserStore)
	return ok && !engine.IsSegmentIdentifier(r.identifier)
}

// found are the profiles that a text leads to.
type found struct {
	text     string
	profiles []engine.User
}

// search looks for profiles that what is typed leads to.
func (r *recipients) search() tea.Cmd {
	if !r.searches() {
		r.profiles = nil
		r.offer()
		return nil
	}
	keeper, text := r.deps.Service.(engine.UserStore), r.text()
	return r.tasks.Run(taskProfiles, func(ctx context.Context) (any, error) {
		profiles, err := keeper.Users(ctx, text, mostProfiles)
		return found{text, profiles}, err
	})
}

// tookProfiles lists the profiles that were found. It reports whether enter waited for them.
func (r *recipients) tookProfiles(res screen.Result) (waited bool) {
	f, _ := res.Value.(found)
	if res.Err != nil { // without profiles there is still everything else
		f = found{text: r.text()}
	}
	r.profiles, r.found = f.profiles, f.text
	for _, p := range f.profiles {
		for _, v := range engine.IdentifierValues(r.identifier, p) {
			r.people.SetName(model.Recipient{Identifier: r.identifier, Value: v}, p)
		}
	}
	r.offer()
	if !r.waiting || f.text != r.text() {
		return false
	}
	r.waiting = false
	return true
}

// offer finds the recipients to suggest for what is typed: groups, recent ones, profiles, and last those that the last
// test did not reach.
func (r *recipients) offer() {
	r.offers = r.offers[:0]
	typed := r.text()
	text := strings.ToLower(typed)
	put := func(value, info string) {
		known := slices.ContainsFunc(r.offers, func(o offer) bool { return o.value == value })
		if len(r.offers) < mostOffers && !known && value != "" && !slices.Contains(r.given(), value) {
			r.offers = append(r.offers, offer{value: value, info: info})
		}
	}
	r.offerGroups(text)
	var missed []string
	for _, v := range r.recent[r.identifier] {
		switch {
		case !strings.Contains(strings.ToLower(v+"\n"+r.people.Name(r.identifier, v)), text):
		case r.past.FailureReason(r.identifier, v) != "":
			missed = append(missed, v)
		default:
			put(v, noted(r.people.Caption(r.identifier, v), "recent"))
		}
	}
	for _, p := range r.profiles {
		for _, v := range engine.IdentifierValues(r.identifier, p) {
			if (r.found == typed || fits(p, v, text)) && !slices.Contains(missed, v) {
				put(v, nameUnless(p.DisplayName(), v))
			}
		}
	}
	if engine.IsSegmentIdentifier(r.identifier) && len(r.given()) == 0 {
		for _, seg := range r.draft.Workspace.Segments {
			if strings.Contains(strings.ToLower(seg.Name), text) {
				put(seg.Name, count(len(seg.Members), "member"))
			}
		}
	}
	for _, v := range missed {
		put(v, noted(r.people.Caption(r.identifier, v), "failed last time"))
	}
	r.show(typed)
}

// offerGroups offers the groups of the identifier whose names have the letters, and have somebody to add.
func (r *recipients) offerGroups(text string) {
	for _, g := range r.groups {
		given := r.given()
		news := slices.ContainsFunc(g.Values, func(v string) bool { return !slices.Contains(given, v) })
		if g.Identifier == r.identifier && news && len(r.offers) < mostOffers/2 && strings.Contains(strings.ToLower(g.Name), text) {
			r.offers = append(r.offers, offer{g.Name, fmt.Sprintf("group of %d", len(g.Values)), &g})
		}
	}
}

// show lists the suggestions. What is typed stands below them as it is, but where it is one of them.
func (r *recipients) show(typed string) {
	o := typeahead.Offer{Text: typed, Typed: typed != "", Free: true}
	for i, f := range r.offers {
		o.Items = append(o.Items, typeahead.Item{Value: f.value, Info: f.info, Ref: i})
	}
	if r.whyNot(typed) != "" {
		o.Note = "not valid"
	}
	r.list.Show(o)
}

// noted returns a name with what is noted beside it.
func noted(name, note string) string {
	if name == "" {
		return note
	}
	return name + " · " + note
}

func nameUnless(name, value string) string {
	if name == value {
		return ""
	}
	return name
}

// fits reports whether a profile that was found for another text is one for this, too.
func fits(p engine.User, value, text string) bool {
	return strings.Contains(strings.ToLower(value+"\n"+p.ID+"\n"+p.DisplayName()), text)
}

// whyNot returns why a text that is typed cannot be added as it is; empty where it can.
func (r *recipients) whyNot(typed string) string {
	for _, v := range model.Split(r.identifier, typed) {
		if why := r.refused(v); why != "" {
			return why
		}
	}
	return ""
}

// suggest highlights the first recipient that is suggested.
func (r *recipients) suggest() tea.Cmd {
	if !r.list.Highlight(0) {
		return screen.Notify(widget.LevelInfo, "No recipient, group or user matches.")
	}
	return nil
}

// View draws the rows: the identifier, the recipients, and where the next is typed.
func (r *recipients) View(at spot, w int) []row {
	o := r.option()
	first := line(r.theme, at, spot{onIdentifier, 0}, r.draft.Fields.Identifier.Label(), choice(r.theme, at == spot{onIdentifier, 0}, o.Title()), w)
	if at == (spot{onIdentifier, 0}) && o.Help != "" {
		first = below(first, 2+labelWidth, w, r.theme.Faint, problems.Sentence(o.Help))
	}
	given := r.given()
	note := fmt.Sprintf("  %d of %d", len(given), model.MaxRecipients(r.identifier))
	if g, ok := r.group(); ok {
		note += " · " + widget.Clean(g.Name)
	}
	head := r.theme.Strong.Render(r.draft.Fields.Values.Label()) + r.theme.Faint.Render(widget.Truncate(note, max(w-labelWidth-2, 1)))
	rows := []row{first, words(""), words("  " + head)}
	wrong, _ := r.ask().CheckRecipients(r.draft.Campaign.Channel)
	for i, v := range given {
		l := line(r.theme, at, spot{onValue, i}, "", r.named(fmt.Sprintf("%2d ", i+1), r.identifier, v, w-2), w)
		if wrong[i] != "" {
			l = below(l, 5, w, r.theme.Danger, "✗ "+wrong[i])
		}
		rows = append(rows, l)
	}
	return append(rows, r.promptRow(at, w))
}

// option is the chosen identifier.
func (r *recipients) option() schema.Option {
	for _, o := range r.draft.Fields.Identifier.Options {
		if o.Value == r.identifier {
			return o
		}
	}
	return schema.Option{}
}

// group returns the group that has just these recipients.
func (r *recipients) group() (group, bool) {
	given := slices.Sorted(slices.Values(r.given()))
	i := slices.IndexFunc(r.groups, func(g group) bool {
		return g.Identifier == r.identifier && len(given) > 0 && slices.Equal(slices.Sorted(slices.Values(g.Values)), given)
	})
	if i < 0 {
		return group{}, false
	}
	return r.groups[i], true
}

// suggestIndent is what stands before a suggestion.
const suggestIndent = 3

func (r *recipients) promptRow(at spot, w int) row {
	r.prompt.Placeholder = r.hint()
	r.prompt.SetSize(max(w-3, 1), 1)
	l := line(r.theme, at, spot{onPrompt, 0}, "", " "+r.prompt.View(), w)
	if r.wrong != "" {
		l = below(l, 5, w, r.theme.Danger, "✗ "+r.wrong)
	}
	r.lines = len(l.lines)
	if at.place == onPrompt {
		for _, text := range r.list.Lines(r.theme, max(w-suggestIndent, 1), typeahead.Most) {
			l.lines = append(l.lines, strings.Repeat(" ", suggestIndent)+text)
		}
		if free, _ := r.list.Highlighted(); free.Free && r.wrong == "" {
			l = below(l, 5, w, r.theme.Warning, r.whyNot(free.Value))
		}
	}
	return l
}

// hint returns what can be typed.
func (r *recipients) hint() string {
	if len(r.given()) >= model.MaxRecipients(r.identifier) {
		return "no more recipients can be added"
	}
	if len(r.offers) > 0 && len(r.profiles) > 0 {
		return "type a recipient or part of a name"
	}
	return "type a recipient"
}
