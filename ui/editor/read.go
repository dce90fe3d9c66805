package editor

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/forms"
	"bugle/ui/screen"
)

// Reader is an editor other than a form that plain mode can read.
type Reader interface{ Read(Hands) screen.Page }

// Hands is the Update of the screen around an editor, through which plain mode uses it.
type Hands func(tea.Msg) tea.Cmd

// AdoptMsg makes the screen adopt what was changed in its editor without a message.
type AdoptMsg struct{}

// Press passes a key to the editor.
func (h Hands) Press(msg tea.KeyMsg) tea.Cmd { return h(msg) }

// Adopt adopts what was changed.
func (h Hands) Adopt() tea.Cmd { return h(AdoptMsg{}) }

// SpokenPanel is a side panel that plain mode can read.
type SpokenPanel interface{ Read() []string }

// Read returns what an editor says in plain mode.
func Read(e Editor, do Hands) screen.Page {
	if r, ok := e.(Reader); ok {
		return r.Read(do)
	}
	f, ok := e.(*forms.Form)
	if !ok {
		return screen.Page{}
	}
	page := screen.Page{Form: !f.IsList(), Summary: strings.Join(f.Remarks(), " "), Cursor: f.Cursor() + 1}
	var rows screen.RowSlice
	for i, l := range f.Lines() {
		rows = append(rows, formRow(f, i, l, do))
	}
	if f.IsList() && len(rows) == 1 && rows[0].Open == nil {
		page.Ask = 1
	}
	page.Parts = []screen.Part{{Rows: rows}}
	return page
}

// formRow returns a row of a form.
func formRow(f *forms.Form, i int, l forms.Line, do Hands) screen.Row {
	row := screen.Row{Text: l.Label, State: l.Value, Problem: l.Problem, Select: func() tea.Cmd { f.FocusLine(i); return nil }}
	if l.Opens {
		row.Open = func() tea.Cmd {
			f.FocusLine(i)
			return do.Press(tea.KeyMsg{Type: tea.KeyEnter})
		}
		if l.Adds {
			return row
		}
	}
	row.Field = &screen.FormField{
		Value: l.Text, Required: l.Required, Help: l.Help, Locked: l.Locked, Several: l.Several, Names: l.Names,
		Closed: l.Closed, AddsRow: l.Named, Example: l.Example,
		Set: func(text string) (string, tea.Cmd, error) {
			said, err := f.Answer(i, text)
			if err != nil {
				return "", nil, err
			}
			return said, do.Adopt(), nil
		},
		Clear: func() tea.Cmd {
			f.ClearLine(i)
			return do.Adopt()
		},
	}
	for _, o := range l.Choices {
		row.Field.Options = append(row.Field.Options, screen.FormOption{Value: o.Value, Label: o.Label, Help: o.Help,
			DisabledReason: o.Unavailable, On: o.On})
	}
	if l.Node != nil {
		row.Field.Long = l.Node.Long
	}
	row.Field.Suffix = ".txt"
	if row.Field.Long {
		row.Field.Suffix = ".html"
	}
	return row
}
