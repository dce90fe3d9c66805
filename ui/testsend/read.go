package testsend

import (
	"cmp"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/ui/list"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Read says the current stage.
func (s *Screen) Read() screen.Page {
	switch {
	case s.failed != nil:
		return screen.Page{Summary: "Can't read this draft: " + phrase.Sentence(s.failed.Error())}
	case !s.loaded:
		return screen.Page{}
	case s.draft.UntestableReason() != "":
		return screen.Page{Summary: "You can't test this campaign. " + s.draft.UntestableReason()}
	}
	switch s.stage {
	case stageSending, stageDone:
		return s.results.read()
	case stageRefused:
		return screen.Page{Place: "Test send, not sent", Summary: "Not sent. " + phrase.Sentence(s.refusal.message),
			Parts: []screen.Part{s.refusal.list.Read()}, Cursor: s.refusal.list.At()}
	case stageGroups:
		g, ok := s.groups.list.Selected()
		return s.groups.read("Groups", phrase.Count(len(s.groups.groups), "group")+".", ok, s.groups.lines(g, screen.Wide))
	case stageEarlier:
		t, ok := s.earlier.list.Selected()
		return s.earlier.read("Earlier tests", phrase.Count(len(s.earlier.tests()), "test")+".", ok,
			s.earlier.lines(t, screen.Wide))
	}
	return s.form.read(s.as.open)
}

// read says the entries of a list, or the details of the one that is open.
func (p *listPage[T]) read(title, summary string, selected bool, details []string) screen.Page {
	if p.onSide() && selected {
		return screen.Page{Place: "Test send, " + title + ", details",
			Parts: []screen.Part{{Lines: list.SpokenLines(strings.Join(details, "\n"))}}}
	}
	open := func(T) tea.Cmd { p.panes.Focus(paneSide); return nil }
	return screen.Page{Place: "Test send, " + title, Summary: summary, Cursor: p.list.At(),
		Parts: []screen.Part{{Rows: p.list.Rows(nil, open)}}}
}

// read says the recipients, the options, and the messages that will be sent.
func (f *form) read(openAs func() tea.Cmd) screen.Page {
	page := screen.Page{}
	if len(f.to.selected()) == 0 {
		page.Ask = 1
	}
	rows := screen.RowSlice{f.readPrompt()}
	wrong, _ := f.to.request().CheckRecipients(f.draft.Campaign.Channel)
	for i, v := range f.to.selected() {
		rows = append(rows, screen.Row{Text: list.Spoken(f.recipientLine("", f.to.identifier, v, screen.Wide)),
			Problem: wrong[i], Select: f.focusing(rowRecipient, i), Field: &screen.FormField{
				Value: v,
				Set: func(text string) (string, tea.Cmd, error) {
					f.focus(rowID{rowRecipient, i})
					return "", tea.Batch(f.drop(true), f.take(text)), nil
				},
				Clear: func() tea.Cmd {
					f.focus(rowID{rowRecipient, i})
					return f.drop(false)
				},
			}})
	}
	page.Parts = []screen.Part{{Name: "To", Rows: rows}, {Name: "Options", Rows: f.readOptions(openAs)},
		{Name: "Messages", Lines: f.forecast.read()}}
	return page
}

func (f *form) focusing(kind rowKind, i int) func() tea.Cmd {
	return func() tea.Cmd { f.focus(rowID{kind, i}); return nil }
}

// readPrompt is the row that adds a recipient.
func (f *form) readPrompt() screen.Row {
	row := screen.Row{Text: "Add a recipient", Select: f.focusing(rowPrompt, 0), Field: &screen.FormField{
		Again: true, Example: f.to.option().Help,
		Set: func(text string) (string, tea.Cmd, error) { return "", f.take(text), nil },
		Clear: func() tea.Cmd {
			f.to.prompt.SetValue("")
			f.to.rejection = ""
			return nil
		},
	}}
	if f.to.rejection != "" {
		row.Problem = "“" + f.to.text() + "” " + f.to.rejection
	}
	return row
}

// take adds what was typed as a recipient: the one that it names, once the users were searched, or the text itself.
func (f *form) take(text string) tea.Cmd {
	f.focus(rowID{rowPrompt, 0})
	f.to.prompt.SetValue(text)
	f.to.rejection = ""
	f.to.updateSuggestions()
	return tea.Batch(f.to.search(), f.enterTyped())
}

// readOptions are the rows of what can be chosen besides the recipients.
func (f *form) readOptions(openAs func() tea.Cmd) screen.RowSlice {
	id := &screen.FormField{Help: []string{f.draft.Fields.Identifier.Help}, Set: func(text string) (string, tea.Cmd,
		error) {
		return "", f.identify(text), nil
	}}
	for _, o := range f.draft.Fields.Identifier.Options {
		id.Options = append(id.Options, screen.FormOption{Value: o.Value, Label: o.Title(), Help: o.Help,
			On: o.Value == f.to.identifier})
	}
	rows := screen.RowSlice{{Text: f.draft.Fields.Identifier.Label(), State: f.to.option().Title(),
		Select: f.focusing(rowIdentifier, 0), Field: id}}
	for i, n := range f.draft.FilterFields() {
		field := &screen.FormField{Help: []string{n.Node.Help}, Set: func(text string) (string, tea.Cmd,
			error) {
			return "", f.narrowTo(n, text), nil
		}}
		for _, v := range n.Choices() {
			field.Options = append(field.Options, screen.FormOption{Value: v, Label: n.Label(v),
				On: v == n.Selected(f.narrow.filter)})
		}
		rows = append(rows, screen.Row{Text: n.Node.Label(), State: n.Label(n.Selected(f.narrow.filter)),
			Select: f.focusing(rowFilter, i), Field: field})
	}
	if to := f.copiesTo(); len(to) > 0 {
		rows = append(rows, screen.Row{Text: "Copies to " + strings.Join(to, ", "),
			State: map[bool]string{true: "yes", false: "no"}[f.copies], Select: f.focusing(rowCopies, 0), Open: func() tea.Cmd {
				f.toggleCopies()
				return f.refresh()
			}})
	}
	for i, as := range f.as.list {
		rows = append(rows, screen.Row{Text: "Send as " + widget.Clean(as.String()), Select: f.focusing(rowPersona, i)})
	}
	rows = append(rows, screen.Row{Text: "Send as another user", Select: f.focusing(rowPersona, len(f.as.list)), Open: openAs})
	for i := range f.values.fields {
		rows = append(rows, f.readOverride(i))
	}
	return rows
}

// readOverride is the row of a value that replaces the recipients' own.
func (f *form) readOverride(i int) screen.Row {
	o := &f.values.fields[i]
	set := func(text string) (string, tea.Cmd, error) {
		if err := o.SetOverride(&engine.TestSend{}, text); err != nil && text != "" {
			return "", nil, screen.Refused("The value " + err.Error())
		}
		before := f.state()
		o.prompt.SetValue(text)
		f.recordOf(before, o.Name, rowID{rowOverride, i}, o.Attribute)
		return "", f.updateForecast(), nil
	}
	return screen.Row{Text: widget.Clean(o.Name), State: widget.Clean(cmp.Or(o.prompt.Value(), o.prompt.Placeholder)),
		Select: f.focusing(rowOverride, i), Field: &screen.FormField{
			Value: o.prompt.Value(), Help: []string{o.description(f.values.all)}, Set: set,
			Clear: func() tea.Cmd {
				_, cmd, _ := set("")
				return cmd
			},
		}}
}

// read says what will be sent, and why some of it will not arrive.
func (o *forecastPane) read() []string {
	identifier, values := o.addressees()
	if len(o.going) == 0 {
		return []string{"There is no message yet."}
	}
	reasons, stopped := o.draft.FailureReasons(o.current(), o.going,
		o.people.Names(engine.TestSend{Identifier: identifier, Values: values}))
	out := []string{fmt.Sprintf("%s to %s.", phrase.Count(len(o.going), "message"), phrase.Count(len(values), "recipient"))}
	if stopped > 0 {
		out = append(out, fmt.Sprintf("%d of %d will not arrive.", stopped, o.sendCount()))
	}
	for _, r := range reasons {
		out = append(out, strings.TrimSuffix(r, ".")+".")
	}
	for _, api := range o.current().Calls {
		out = append(out, fmt.Sprintf("The content API %s is called when the message is sent.", api))
	}
	return out
}

// read says what became of each message, or reads the one that is open.
func (r *results) read() screen.Page {
	r.layoutRows()
	if r.onSide() {
		k, d := r.selected()
		v, title, note := r.reader.message(r.run, k, d, false)
		return screen.Page{Place: "Test send, " + title, Summary: note, Parts: []screen.Part{{Lines: preview.Read(v)}}}
	}
	page := screen.Page{Place: "Test send, results", Cursor: r.rows.At(), Parts: []screen.Part{{Rows: r.rows.Rows(nil, nil)}}}
	if r.done {
		page.Summary = phrase.Sentence(phrase.Capitalize(r.run.Message))
	}
	return page
}
