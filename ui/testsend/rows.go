package testsend

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine"
	"bugle/engine/message/assemble"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// rowKind is a kind of row in the form.
type rowKind uint8

const (
	rowIdentifier rowKind = iota + 1
	rowRecipient          // a recipient
	rowPrompt             // the prompt for the next one
	rowFilter
	rowPersona // a user whose data the messages have; the last one adds another
	rowOverride
	rowSend     // the button, which is not among the rows that scroll
	rowForecast // the forecast beside the form
)

// rowID identifies a row.
type rowID struct {
	kind      rowKind
	i         int                // among the rows of its kind
	attribute assemble.Attribute // of an override
}

// The rows of which there is one.
var (
	identifierRow = rowID{kind: rowIdentifier}
	promptRow     = rowID{kind: rowPrompt}
	sendRow       = rowID{kind: rowSend}
	forecastRow   = rowID{kind: rowForecast}
)

// row is a row of the form.
type row struct {
	rowID
	heads []string             // lines above the row
	draw  func(w int) []string // its lines, the first one without the mark of the cursor
	enter screen.Action        // what enter does, by Label, Help and Run
	more  []screen.Action      // what else can be done with it
	read  screen.Row           // for plain mode
}

// rows returns the rows of the form, from top to bottom, without the button.
func (f *form) rows() []row {
	id := f.draft.Fields.Identifier
	var identifiers []screen.FormOption
	for _, o := range id.Options {
		identifiers = append(identifiers, screen.FormOption{Value: o.Value, Label: o.Title(), Help: o.Help, On: o.Value == f.identifier})
	}
	rows := []row{f.choiceRow(identifierRow, id.Label(), id.Help, identifiers, f.identify)}
	rows = append(rows, f.recipientRows()...)
	options := f.filterRows()
	options = append(options, f.personaRows()...)
	options[0].heads = []string{""}
	return slices.Concat(rows, options, f.overrideRows())
}

// row returns the row under the cursor.
func (f *form) row() row {
	rows := f.rows()
	if i := slices.IndexFunc(rows, func(r row) bool { return r.rowID == f.at }); i >= 0 {
		return rows[i]
	}
	return row{}
}

// labelWidth is the width of labels.
const labelWidth = 12

// label draws a label before the text of a row.
func (f *form) label(text string) string {
	return f.theme.Muted.Render(widget.PadRight(widget.Clean(text), labelWidth))
}

// withNote adds a text below a row.
func (f *form) withNote(r row, text string) row {
	draw := r.draw
	r.draw = func(w int) []string { return f.addNote(draw(w), 2+labelWidth, w, f.theme.Faint, text) }
	return r
}

// addNote adds a text below lines, indented by n; nothing if it is empty.
func (f *form) addNote(lines []string, n, w int, style lipgloss.Style, text string) []string {
	if text == "" {
		return lines
	}
	return append(lines, widget.WrapIndented(style, text, w, n)...)
}

// choiceRow returns the row of a value that is one of several, which enter lists and the space bar goes through.
func (f *form) choiceRow(id rowID, label, help string, options []screen.FormOption, set func(value string) tea.Cmd) row {
	at := max(slices.IndexFunc(options, func(o screen.FormOption) bool { return o.On }), 0)
	r := row{rowID: id, draw: func(int) []string { return []string{f.label(label) + f.dropDown(id, options[at].Label)} }}
	if f.at == id {
		r = f.withNote(r, phrase.Capitalize(options[at].Help))
	}
	r.enter = screen.Action{Label: "choose", Run: func() tea.Cmd {
		list := make([]widget.Option, len(options))
		for i, o := range options {
			list[i] = widget.Option{Label: o.Label, Help: phrase.Capitalize(o.Help)}
		}
		return screen.Send(screen.ChooseMsg{Title: label, Body: help, Options: list, Then: func(a widget.Answer) tea.Cmd {
			return set(options[a.Index].Value)
		}})
	}}
	r.more = []screen.Action{{Keys: []string{" "}, Label: "next value", Help: "choose the next value", Group: groupTest, BarPriority: 7,
		Run: func() tea.Cmd { return set(options[(at+1)%len(options)].Value) }}}
	r.read = screen.Row{Text: label, State: options[at].Label, Field: &screen.FormField{Help: []string{help}, Options: options,
		Set: func(text string) (string, tea.Cmd, error) { return "", set(text), nil }}}
	return r
}

// dropDown draws a value that enter changes by a choice.
func (f *form) dropDown(id rowID, value string) string {
	value = widget.Clean(value)
	if f.at == id {
		return f.theme.Selected.Render(value + " ▾")
	}
	return value + " " + f.theme.Faint.Render("▾")
}

// identify changes the identifier of recipients.
func (f *form) identify(identifier string) tea.Cmd {
	if identifier == f.identifier {
		return nil
	}
	f.change(f.draft.Fields.Identifier.Label(), identifierRow, func(in *input) { in.identifier = identifier })
	f.users, f.enterPending = nil, false
	return f.refresh()
}

// filterRows returns the rows that choose which messages of the draft to send.
func (f *form) filterRows() []row {
	var rows []row
	for i, field := range f.draft.FilterFields() {
		id := rowID{kind: rowFilter, i: i}
		var options []screen.FormOption
		for _, v := range field.Choices() {
			options = append(options, screen.FormOption{Value: v, Label: field.Label(v), On: v == field.Selected(f.filter)})
		}
		rows = append(rows, f.choiceRow(id, field.Node.Label(), field.Node.Help, options, func(value string) tea.Cmd {
			if value == field.Selected(f.filter) {
				return nil
			}
			f.change(field.Node.Label(), id, func(in *input) { in.filter = field.With(in.filter, value) })
			f.offerOverrides()
			return f.refresh()
		}))
	}
	return rows
}

// readForm says the recipients, the options, and the messages that will be sent.
func (f *form) readForm() screen.Page {
	var to, options screen.RowSlice
	for _, r := range f.rows() {
		r.read.Select = func() tea.Cmd { f.focus(r.rowID); return nil }
		switch r.kind {
		case rowPrompt:
			to = slices.Insert(to, 0, r.read)
		case rowRecipient:
			to = append(to, r.read)
		default:
			options = append(options, r.read)
		}
	}
	page := screen.Page{Parts: []screen.Part{{Name: "To", Rows: to}, {Name: "Options", Rows: options}, {Name: "Messages", Lines: f.forecast.read()}}}
	if len(f.recipients()) == 0 {
		page.Ask = 1
	}
	return page
}

// names returns the display names of recipients for the current identifier.
func (f *form) names(values ...string) []string {
	return f.people.Names(engine.TestSend{Identifier: f.identifier, Values: values})
}
