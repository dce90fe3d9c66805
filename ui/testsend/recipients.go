package testsend

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/forms/typeahead"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Limits for suggestions, and for users to search, of which some lack the identifier's value.
const (
	maxSuggestions = 4
	maxUsers       = 40
)

// recipients returns the recipients for the current identifier.
func (in *input) recipients() []string { return in.values[in.identifier] }

// setRecipients replaces the recipients for the current identifier.
func (in *input) setRecipients(values []string) {
	all := maps.Clone(in.values)
	if all == nil {
		all = map[string][]string{}
	}
	all[in.identifier] = values
	in.values = all
}

// text returns the text in the prompt.
func (f *form) text() string { return strings.TrimSpace(f.prompt.Value()) }

// refusal returns why a recipient cannot be added to others; empty if it can.
func (f *form) refusal(others []string, value string) string {
	return model.RefusalReason(f.draft.Campaign.Channel, engine.TestSend{Identifier: f.identifier, Values: others}, value)
}

// add adds the recipients in a text, and leaves the invalid ones in the prompt. It returns false if there are some.
func (f *form) add(text string) bool {
	had := f.recipients()
	all := slices.Clip(had)
	var left []string
	for _, v := range model.Split(f.identifier, text) {
		switch {
		case engine.IndexRecipient(all, f.identifier, v) >= 0:
		case f.refusal(all, v) != "":
			left = append(left, v)
		default:
			all = append(all, v)
		}
	}
	f.prompt.SetValue(strings.Join(left, ", "))
	if added := all[len(had):]; len(added) > 0 {
		f.change("added "+model.Summarize(f.names(added...)), promptRow, func(in *input) { in.setRecipients(all) })
	}
	f.suggest()
	return len(left) == 0
}

// commit adds the typed text as a recipient, or returns the command that says why it is invalid.
func (f *form) commit() (refused tea.Cmd) {
	if f.add(f.prompt.Value()) {
		return nil
	}
	f.focus(promptRow)
	return screen.Notify(widget.LevelWarning, fmt.Sprintf("“%s” %s.", widget.Clean(f.text()), f.refusalOf(f.text())))
}

// drop removes the i-th recipient, optionally to edit it.
func (f *form) drop(i int, edit bool) tea.Cmd {
	v := f.recipients()[i]
	at := rowID{kind: rowRecipient, i: i}
	f.change("removed "+f.people.Name(f.identifier, v), at, func(in *input) {
		in.setRecipients(slices.Delete(slices.Clone(in.recipients()), i, i+1))
	})
	if f.focus(at); edit {
		f.prompt.SetValue(v)
		f.focus(promptRow)
	}
	return f.refresh()
}

// typeRecipient handles a key in the prompt.
func (f *form) typeRecipient(msg tea.KeyMsg) tea.Cmd {
	if f.enterPending { // the user typed on, so that enter meant the highlighted suggestion
		f.enterPending = false
		f.accept()
	}
	switch {
	case msg.Type == tea.KeyRunes && model.HasSeparator(f.identifier, string(msg.Runes)):
		f.add(f.prompt.Value() + string(msg.Runes))
	case f.list.Key(msg.String()):
		return nil
	case msg.Type == tea.KeyBackspace && f.prompt.Value() == "":
		if n := len(f.recipients()); n > 0 {
			f.focus(rowID{kind: rowRecipient, i: n - 1})
		}
		return nil
	default:
		f.prompt.Update(msg)
	}
	return f.refresh()
}

// enterTyped handles enter in the prompt: it accepts the highlighted suggestion, after the search if only that can tell what
// it is, or goes to the next row.
func (f *form) enterTyped() tea.Cmd {
	h, ok := f.list.Highlighted()
	if !ok {
		return f.nextSection(1)
	}
	if _, searches := f.userStore(); h.Free && searches && f.searchedText != f.text() {
		f.enterPending = true
		return nil
	}
	return f.accept()
}

// accept accepts what is highlighted: the text itself, or a recipient.
func (f *form) accept() tea.Cmd {
	var refused tea.Cmd
	switch h, ok := f.list.Highlighted(); {
	case ok && h.Free:
		refused = f.commit()
	case ok:
		f.add(h.Value)
	}
	f.focus(promptRow)
	return tea.Batch(f.refresh(), refused)
}

// tab moves to the next section of the form, accepting the highlighted suggestion if something was typed.
func (f *form) tab() tea.Cmd {
	var cmd tea.Cmd
	if h, ok := f.list.Highlighted(); ok && f.at == promptRow && !h.Free && f.text() != "" {
		cmd = f.accept()
	}
	return tea.Batch(cmd, f.nextSection(1))
}

// userStore returns the service's users; false if recipients are not users.
func (f *form) userStore() (engine.UserStore, bool) {
	users, ok := f.deps.Service.(engine.UserStore)
	return users, ok && !engine.IsSegmentIdentifier(f.identifier)
}

// search searches users for the text.
func (f *form) search() tea.Cmd {
	store, ok := f.userStore()
	if !ok {
		f.users = nil
		return nil
	}
	text := f.text()
	work := screen.Settled(f.tasks, taskUsers, func(ctx context.Context) ([]engine.User, error) { return store.Users(ctx, text, maxUsers) })
	return screen.Go(f.tasks, taskUsers, work, func(users []engine.User, err error) tea.Cmd {
		if err != nil { // without users everything else still works
			users = nil
		}
		f.users, f.searchedText = users, text
		for _, u := range users {
			for _, v := range engine.IdentifierValues(f.identifier, u) {
				f.people.SetName(model.Recipient{Identifier: f.identifier, Value: v}, u)
			}
		}
		f.suggest()
		if !f.enterPending || text != f.text() {
			return nil
		}
		f.enterPending = false
		return f.enterTyped()
	})
}

// suggest finds suggestions for the text: recent recipients, users, and last those that the last test did not reach.
func (f *form) suggest() {
	typed := f.text()
	has := func(words ...string) bool {
		return strings.Contains(strings.ToLower(strings.Join(words, "\n")), strings.ToLower(typed))
	}
	chosen := func(v string) bool { return engine.IndexRecipient(f.recipients(), f.identifier, v) >= 0 }
	var items []typeahead.Item
	put := func(value, note string) {
		known := slices.ContainsFunc(items, func(o typeahead.Item) bool {
			return engine.RecipientKey(f.identifier, o.Value) == engine.RecipientKey(f.identifier, value)
		})
		if len(items) == maxSuggestions || known || value == "" || chosen(value) {
			return
		}
		info := f.people.Caption(f.identifier, value)
		if info != "" && note != "" {
			info += " · "
		}
		items = append(items, typeahead.Item{Value: value, Info: info + note})
	}
	var missed []string
	for _, v := range f.recent[f.identifier] {
		switch {
		case !has(v, f.people.Name(f.identifier, v)):
		case f.past.FailureReason(f.identifier, v) != "":
			missed = append(missed, v)
		default:
			put(v, "recent")
		}
	}
	for _, u := range f.users {
		for _, v := range engine.IdentifierValues(f.identifier, u) {
			// Users that were found for another text are offered if they match this one, too.
			if matches := f.searchedText == typed || has(v, u.ID, u.DisplayName()); matches && !slices.Contains(missed, v) {
				put(v, "")
			}
		}
	}
	if engine.IsSegmentIdentifier(f.identifier) && len(f.recipients()) == 0 {
		for _, seg := range f.draft.Workspace.Segments {
			if has(seg.Name) {
				put(seg.Name, phrase.Count(len(seg.Members), "member"))
			}
		}
	}
	for _, v := range missed {
		put(v, "failed last time")
	}
	o := typeahead.Options{Items: items, Text: typed, Typed: typed != "", Free: true}
	if f.refusalOf(typed) != "" {
		o.Note = "not valid"
	}
	f.list.Show(o)
}

// refusalOf returns why the recipients in a text cannot be added; empty if they can.
func (f *form) refusalOf(text string) (why string) {
	for _, v := range model.Split(f.identifier, text) {
		why = cmp.Or(why, f.refusal(f.recipients(), v))
	}
	return why
}

// recipientRows returns the rows of the recipients, and the prompt for the next one.
func (f *form) recipientRows() []row {
	var rows []row
	wrong, _ := f.request().CheckRecipients(f.draft.Campaign.Channel)
	for i, v := range f.recipients() {
		rows = append(rows, f.recipientRow(i, v, wrong[i]))
	}
	rows = append(rows, f.promptRow())
	note := fmt.Sprintf("  %d of %d", len(f.recipients()), model.MaxRecipients(f.identifier))
	rows[0].heads = []string{"", "  " + f.theme.Strong.Render(f.draft.Fields.Values.Label()) + f.theme.Faint.Render(note)}
	return rows
}

// recipientRow returns the row of a recipient, and what is wrong with it.
func (f *form) recipientRow(i int, v, wrong string) row {
	remove := func() tea.Cmd { return f.drop(i, false) }
	return row{
		rowID: rowID{kind: rowRecipient, i: i},
		draw: func(w int) []string {
			lines := []string{f.recipientLine(fmt.Sprintf("%2d ", i+1), f.identifier, v, w-2)}
			if wrong != "" {
				lines = f.addNote(lines, 5, w, f.theme.Danger, "✗ "+wrong)
			}
			return lines
		},
		enter: screen.Action{Label: "edit", Help: "edit the recipient", Run: func() tea.Cmd { return f.drop(i, true) }},
		more:  []screen.Action{removeAction("remove the recipient", remove)},
		read: screen.Row{Text: list.Spoken(f.recipientLine("", f.identifier, v, screen.Wide)), Problem: wrong, Field: &screen.FormField{
			Value: v, Clear: remove,
			Set: func(text string) (string, tea.Cmd, error) { return "", tea.Batch(f.drop(i, true), f.take(text)), nil },
		}},
	}
}

// removeAction returns the action that removes what the row under the cursor stands for.
func removeAction(help string, run func() tea.Cmd) screen.Action {
	return screen.Action{Keys: []string{"x", "delete", "backspace"}, Label: "delete", Help: help, Group: groupTest, BarPriority: 7, Run: run}
}

// promptRow returns the row of the prompt, with its suggestions below while it has the keyboard.
func (f *form) promptRow() row {
	r := row{rowID: promptRow, enter: screen.Action{Label: "add", Help: "add the highlighted recipient", Run: f.enterTyped}}
	if f.list.At() < 0 {
		r.enter.Label, r.enter.Help = "next", "go to the next field"
	}
	if f.prompt.Value() != "" || f.list.At() >= 0 { // nothing typed is lost
		r.more = append(r.more, f.leaveAction())
	}
	suggestions := screen.Action{Keys: []string{"ctrl+@"}, Label: "suggestions", Help: "highlight the first suggestion (ctrl+space)", Group: groupMove, WhileTyping: true,
		Run: func() tea.Cmd { f.list.Highlight(0); return nil }}
	if f.list.Len() == 0 {
		suggestions.DisabledReason = "No recipient or user matches."
	}
	r.more = append(r.more, suggestions)
	r.draw = func(w int) []string {
		f.prompt.SetSize(max(w-3, 1), 1)
		lines := []string{" " + f.prompt.View()}
		if f.at != promptRow {
			return lines
		}
		for _, text := range f.list.Lines(f.theme, max(w-promptX, 1), typeahead.MaxRows) {
			lines = append(lines, strings.Repeat(" ", promptX)+text)
		}
		if h, _ := f.list.Highlighted(); h.Free {
			lines = f.addNote(lines, 5, w, f.theme.Warning, f.refusalOf(h.Value))
		}
		return lines
	}
	r.read = screen.Row{Text: "Add a recipient", Field: &screen.FormField{
		Again: true, Help: []string{f.draft.Fields.Values.Help},
		Set:   func(text string) (string, tea.Cmd, error) { return "", f.take(text), nil },
		Clear: func() tea.Cmd { f.prompt.SetValue(""); return nil },
	}}
	if why := f.refusalOf(f.text()); why != "" {
		r.read.Problem = "“" + f.text() + "” " + why
	}
	return r
}

// take adds what was typed in plain mode as a recipient: the one that it names, once the users were searched, or the text
// itself.
func (f *form) take(text string) tea.Cmd {
	f.focus(promptRow)
	f.prompt.SetValue(text)
	return tea.Batch(f.refresh(), f.enterTyped())
}

// leaveAction leaves a text field.
func (f *form) leaveAction() screen.Action {
	return screen.Action{Keys: []string{"esc"}, Label: "leave field", Help: "leave the field and keep its text", Group: groupMove, BarPriority: 6, WhileTyping: true, Run: func() tea.Cmd {
		f.enterPending = false
		f.focus(identifierRow)
		return nil
	}}
}
