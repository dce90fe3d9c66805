package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	model "bugle/engine/testsend"
	"bugle/forms/typeahead"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// recipients is the input of recipients: the identifier, the chosen recipients, and a prompt with suggestions.
type recipients struct {
	*sendContext
	identifier    string
	values        map[string][]string // by identifier, so that each keeps its own
	prompt        widget.Prompt
	rejection     string // why the text was not added
	profiles      []engine.User
	searchedText  string         // the text that profiles were searched for
	list          typeahead.List // the suggestions below the prompt
	suggestions   []suggestion   // the items of list
	lines         int            // height of the prompt when last drawn
	enterPending  bool           // enter was pressed before the suggestions arrived
	enter         func() tea.Cmd // accepts what is typed
	pendingChange string         // a change that is not recorded yet
}

// suggestion is a suggested recipient or group.
type suggestion struct {
	value, info string
	group       *group
}

// Limits for suggestions, and for profiles to search, of which some lack the identifier's value.
const (
	maxSuggestions = 4
	maxProfiles    = 40
)

func newRecipients(s *sendContext) recipients {
	return recipients{sendContext: s, prompt: widget.NewPrompt(s.theme, "+", ""), values: map[string][]string{}}
}

// selected returns the recipients for the current identifier.
func (r *recipients) selected() []string { return r.values[r.identifier] }

// request returns a test for the recipients.
func (r *recipients) request() engine.TestSend {
	return engine.TestSend{Identifier: r.identifier, Values: slices.Clone(r.selected())}
}

// isSelected reports whether a value is a recipient already.
func (r *recipients) isSelected(value string) bool {
	return engine.IndexRecipient(r.selected(), r.identifier, value) >= 0
}

// text returns the text in the prompt.
func (r *recipients) text() string { return strings.TrimSpace(r.prompt.Value()) }

// focus focuses or blurs the prompt.
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
	r.rejection = ""
	r.prompt.SetValue("")
}

// restore restores earlier recipients.
func (r *recipients) restore(identifier string, values map[string][]string) {
	r.identifier, r.values, r.rejection, r.enterPending = identifier, values, "", false
	if r.isSelected(r.text()) { // it was being edited
		r.prompt.SetValue("")
	}
}

// identify changes the identifier.
func (r *recipients) identify(identifier string) {
	if identifier != r.identifier {
		r.pendingChange = r.draft.Fields.Identifier.Label()
	}
	r.identifier, r.rejection, r.profiles, r.enterPending = identifier, "", nil, false
	r.updateSuggestions()
}

// nextIdentifier returns the identifier after the current one.
func (r *recipients) nextIdentifier() string {
	var all []string
	for _, o := range r.draft.Fields.Identifier.Options {
		all = append(all, o.Value)
	}
	return valueAfter(all, r.identifier)
}

// choose lists the identifiers.
func (r *recipients) choose(then func(identifier string) tea.Cmd) tea.Cmd {
	node := r.draft.Fields.Identifier
	options := make([]widget.Option, len(node.Options))
	for i, o := range node.Options {
		options[i] = widget.Option{Label: o.Title(), Help: phrase.Capitalize(o.Help)}
	}
	return screen.Send(screen.ChooseMsg{Title: node.Label(), Body: node.Help, Options: options, Then: func(a widget.Answer) tea.Cmd {
		return then(node.Options[a.Index].Value)
	}})
}

// Update handles a key in the prompt; next is the row to move to.
func (r *recipients) Update(msg tea.KeyMsg) (next rowID, cmd tea.Cmd) {
	next = rowID{rowPrompt, 0}
	if r.enterPending { // the user typed on, so that enter meant the highlighted suggestion
		r.enterPending = false
		next = r.accept()
	}
	if msg.Type == tea.KeyRunes && model.HasSeparator(r.identifier, string(msg.Runes)) {
		r.prompt.SetValue(r.add(r.prompt.Value() + string(msg.Runes)))
		r.updateSuggestions()
		return rowID{rowPrompt, 0}, r.search()
	}
	if r.list.Key(msg.String()) {
		return next, nil
	}
	if msg.Type == tea.KeyBackspace && r.prompt.Value() == "" {
		if n := len(r.selected()); n > 0 {
			next = rowID{rowRecipient, n - 1}
		}
		return next, nil
	}
	if !r.prompt.Update(msg) {
		return next, nil
	}
	r.rejection = ""
	r.updateSuggestions()
	return next, r.search()
}

// add adds the recipients in a text, and returns those that are invalid, setting the reason.
func (r *recipients) add(text string) (rest string) {
	r.rejection = ""
	had := len(r.selected())
	var left []string
	for _, v := range model.Split(r.identifier, text) {
		switch why := r.refused(v); {
		case r.isSelected(v):
		case why != "":
			left = append(left, v)
			if r.rejection == "" {
				r.rejection = why
			}
		default:
			r.values[r.identifier] = append(slices.Clone(r.selected()), v)
		}
	}
	if added := r.selected()[had:]; len(added) > 0 {
		r.changed("added", added...)
	}
	return strings.Join(left, ", ")
}

// changed records a change of recipients.
func (r *recipients) changed(verb string, values ...string) {
	r.pendingChange = verb + " " + model.Summarize(r.people.Names(engine.TestSend{Identifier: r.identifier, Values: values}))
}

// changes returns the change that is not recorded yet, and clears it.
func (r *recipients) changes() string {
	did := r.pendingChange
	r.pendingChange = ""
	return did
}

func (r *recipients) refused(value string) string {
	return model.RefusalReason(r.draft.Campaign.Channel, r.request(), value)
}

// commit adds the typed text. It returns false if it is invalid.
func (r *recipients) commit() bool {
	rest := r.add(r.prompt.Value())
	r.prompt.SetValue(rest)
	r.updateSuggestions()
	return rest == ""
}

// showRejection shows why the text cannot be added.
func (r *recipients) showRejection() tea.Cmd {
	return screen.Notify(widget.LevelWarning, fmt.Sprintf("“%s” %s.", widget.Clean(r.text()), r.rejection))
}

// shouldWait reports whether enter must wait for the profile search, because nothing matches yet.
func (r *recipients) shouldWait() bool {
	h, ok := r.list.Highlighted()
	r.enterPending = ok && h.Free && r.searchedText != r.text() && r.needsSearch()
	return r.enterPending
}

// accept accepts what is highlighted: the text itself, a recipient, or a group. It returns the row to move to.
func (r *recipients) accept() rowID {
	h, ok := r.list.Highlighted()
	switch {
	case !ok:
	case h.Free:
		r.commit()
	case h.Ref >= 0 && h.Ref < len(r.suggestions):
		o := r.suggestions[h.Ref]
		if o.group != nil {
			r.useGroup(*o.group, true)
			return rowID{rowSend, 0}
		}
		r.prompt.SetValue(r.add(o.value))
		r.updateSuggestions()
	}
	return rowID{rowPrompt, 0}
}

// useGroup adds a group's recipients, replacing the current ones unless beside is set, and returns those beyond
// the limit.
func (r *recipients) useGroup(g group, beside bool) (left []string) {
	r.pendingChange = fmt.Sprintf("used the group %q", g.Name)
	r.identifier, r.rejection, r.profiles = g.Identifier, "", nil
	var values []string
	if beside {
		values = slices.Clone(r.values[g.Identifier])
	}
	for _, v := range g.Values {
		if engine.IndexRecipient(values, g.Identifier, v) < 0 {
			values = append(values, v)
		}
	}
	most := min(model.MaxRecipients(g.Identifier), len(values))
	r.values[g.Identifier] = values[:most]
	r.prompt.SetValue("")
	r.updateSuggestions()
	return values[most:]
}

// remove removes a recipient and returns it.
func (r *recipients) remove(i int) string {
	v := r.selected()[i]
	r.changed("removed", v)
	r.values[r.identifier] = slices.Delete(slices.Clone(r.selected()), i, i+1)
	r.updateSuggestions()
	return v
}

// edit moves a recipient to the prompt.
func (r *recipients) edit(value string) {
	r.prompt.SetValue(value)
	r.updateSuggestions()
}

// needsSearch reports whether profiles must be searched for the text.
func (r *recipients) needsSearch() bool {
	_, ok := r.deps.Service.(engine.UserStore)
	return ok && !engine.IsSegmentIdentifier(r.identifier)
}

// search searches profiles for the text.
func (r *recipients) search() tea.Cmd {
	if !r.needsSearch() {
		r.profiles = nil
		r.updateSuggestions()
		return nil
	}
	keeper, text := r.deps.Service.(engine.UserStore), r.text()
	work := screen.Settled(r.tasks, taskProfiles, func(ctx context.Context) ([]engine.User, error) { return keeper.Users(ctx, text, maxProfiles) })
	return screen.Go(r.tasks, taskProfiles, work, func(profiles []engine.User, err error) tea.Cmd {
		if err != nil { // without profiles everything else still works
			profiles, text = nil, r.text()
		}
		return r.setProfiles(text, profiles)
	})
}

// setProfiles stores the profiles for a text, and accepts it if enter was waiting for them.
func (r *recipients) setProfiles(text string, profiles []engine.User) tea.Cmd {
	r.profiles, r.searchedText = profiles, text
	for _, p := range profiles {
		for _, v := range engine.IdentifierValues(r.identifier, p) {
			r.people.SetName(model.Recipient{Identifier: r.identifier, Value: v}, p)
		}
	}
	r.updateSuggestions()
	if !r.enterPending || text != r.text() {
		return nil
	}
	r.enterPending = false
	return r.enter()
}

// updateSuggestions finds suggestions for the text: groups, recent recipients, profiles, and last those that
// the last test did not reach.
func (r *recipients) updateSuggestions() {
	r.suggestions = r.suggestions[:0]
	typed := r.text()
	text := strings.ToLower(typed)
	put := func(value, info string) {
		known := slices.ContainsFunc(r.suggestions, func(o suggestion) bool {
			return engine.RecipientKey(r.identifier, o.value) == engine.RecipientKey(r.identifier, value)
		})
		if len(r.suggestions) < maxSuggestions && !known && value != "" && !r.isSelected(value) {
			r.suggestions = append(r.suggestions, suggestion{value: value, info: info})
		}
	}
	r.suggestGroups(text)
	var missed []string
	for _, v := range r.recent[r.identifier] {
		switch {
		case !strings.Contains(strings.ToLower(v+"\n"+r.people.Name(r.identifier, v)), text):
		case r.past.FailureReason(r.identifier, v) != "":
			missed = append(missed, v)
		default:
			put(v, withNote(r.people.Caption(r.identifier, v), "recent"))
		}
	}
	for _, p := range r.profiles {
		for _, v := range engine.IdentifierValues(r.identifier, p) {
			if (r.searchedText == typed || profileMatches(p, v, text)) && !slices.Contains(missed, v) {
				put(v, nameUnless(p.DisplayName(), v))
			}
		}
	}
	if engine.IsSegmentIdentifier(r.identifier) && len(r.selected()) == 0 {
		for _, seg := range r.draft.Workspace.Segments {
			if strings.Contains(strings.ToLower(seg.Name), text) {
				put(seg.Name, phrase.Count(len(seg.Members), "member"))
			}
		}
	}
	for _, v := range missed {
		put(v, withNote(r.people.Caption(r.identifier, v), "failed last time"))
	}
	r.setList(typed)
}

// suggestGroups adds the groups of the identifier that match and have someone to add.
func (r *recipients) suggestGroups(text string) {
	for _, g := range r.groups {
		news := slices.ContainsFunc(g.Values, func(v string) bool { return !r.isSelected(v) })
		if g.Identifier == r.identifier && news && len(r.suggestions) < maxSuggestions/2 && strings.Contains(strings.ToLower(g.Name), text) {
			r.suggestions = append(r.suggestions, suggestion{g.Name, fmt.Sprintf("group of %d", len(g.Values)), &g})
		}
	}
}

// setList lists the suggestions, followed by the text itself unless it is one of them.
func (r *recipients) setList(typed string) {
	o := typeahead.Options{Text: typed, Typed: typed != "", Free: true}
	for i, f := range r.suggestions {
		o.Items = append(o.Items, typeahead.Item{Value: f.value, Info: f.info, Ref: i})
	}
	if r.rejectionReason(typed) != "" {
		o.Note = "not valid"
	}
	r.list.Show(o)
}

// withNote returns a name with a note.
func withNote(name, note string) string {
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

// profileMatches reports whether a profile that was found for another text matches this one.
func profileMatches(p engine.User, value, text string) bool {
	return strings.Contains(strings.ToLower(value+"\n"+p.ID+"\n"+p.DisplayName()), text)
}

// rejectionReason returns why a text cannot be added; empty if it can.
func (r *recipients) rejectionReason(typed string) string {
	for _, v := range model.Split(r.identifier, typed) {
		if why := r.refused(v); why != "" {
			return why
		}
	}
	return ""
}

// highlightFirst highlights the first suggested recipient.
func (r *recipients) highlightFirst() tea.Cmd {
	if !r.list.Highlight(0) {
		return screen.Notify(widget.LevelInfo, "No recipient, group or user matches.")
	}
	return nil
}

// View draws the rows: the identifier, the recipients, and the prompt.
func (r *recipients) View(at rowID, w int) []row {
	o := r.option()
	first := line(r.theme, at, rowID{rowIdentifier, 0}, r.draft.Fields.Identifier.Label(), choice(r.theme, at == rowID{rowIdentifier, 0}, o.Title()), w)
	if at == (rowID{rowIdentifier, 0}) && o.Help != "" {
		first = addBelow(first, 2+labelWidth, w, r.theme.Faint, phrase.Capitalize(o.Help))
	}
	given := r.selected()
	note := fmt.Sprintf("  %d of %d", len(given), model.MaxRecipients(r.identifier))
	if g, ok := r.group(); ok {
		note += " · " + widget.Clean(g.Name)
	}
	head := r.theme.Strong.Render(r.draft.Fields.Values.Label()) + r.theme.Faint.Render(widget.Truncate(note, max(w-labelWidth-2, 1)))
	rows := []row{first, textRow(""), textRow("  " + head)}
	wrong, _ := r.request().CheckRecipients(r.draft.Campaign.Channel)
	for i, v := range given {
		l := line(r.theme, at, rowID{rowRecipient, i}, "", r.recipientLine(fmt.Sprintf("%2d ", i+1), r.identifier, v, w-2), w)
		if wrong[i] != "" {
			l = addBelow(l, 5, w, r.theme.Danger, "✗ "+wrong[i])
		}
		rows = append(rows, l)
	}
	return append(rows, r.promptRow(at, w))
}

// option returns the current identifier.
func (r *recipients) option() schema.Option {
	for _, o := range r.draft.Fields.Identifier.Options {
		if o.Value == r.identifier {
			return o
		}
	}
	return schema.Option{}
}

// group returns the group with exactly these recipients.
func (r *recipients) group() (group, bool) {
	given := slices.Sorted(slices.Values(r.selected()))
	i := slices.IndexFunc(r.groups, func(g group) bool {
		return g.Identifier == r.identifier && len(given) > 0 && slices.Equal(slices.Sorted(slices.Values(g.Values)), given)
	})
	if i < 0 {
		return group{}, false
	}
	return r.groups[i], true
}

// suggestIndent is the indentation of suggestions.
const suggestIndent = 3

func (r *recipients) promptRow(at rowID, w int) row {
	r.prompt.Placeholder = r.hint()
	r.prompt.SetSize(max(w-3, 1), 1)
	l := line(r.theme, at, rowID{rowPrompt, 0}, "", " "+r.prompt.View(), w)
	if r.rejection != "" {
		l = addBelow(l, 5, w, r.theme.Danger, "✗ "+r.rejection)
	}
	r.lines = len(l.lines)
	if at.kind == rowPrompt {
		for _, text := range r.list.Lines(r.theme, max(w-suggestIndent, 1), typeahead.MaxRows) {
			l.lines = append(l.lines, strings.Repeat(" ", suggestIndent)+text)
		}
		if free, _ := r.list.Highlighted(); free.Free && r.rejection == "" {
			l = addBelow(l, 5, w, r.theme.Warning, r.rejectionReason(free.Value))
		}
	}
	return l
}

// hint returns the placeholder of the prompt.
func (r *recipients) hint() string {
	if len(r.selected()) >= model.MaxRecipients(r.identifier) {
		return "no more recipients can be added"
	}
	if len(r.suggestions) > 0 && len(r.profiles) > 0 {
		return "type a recipient or part of a name"
	}
	return "type a recipient"
}
