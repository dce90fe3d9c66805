package newdraft

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Read asks for what the draft needs; for the creator only if it is not known.
func (s *Screen) Read() screen.Page {
	var rows screen.RowSlice
	for _, q := range s.questions {
		row := screen.Row{Text: q.name, Field: &screen.FormField{Help: []string{q.help}, Options: q.options, Required: q.text == nil}}
		row.Field.Set = func(text string) (string, tea.Cmd, error) { return "", nil, s.set(q, text) }
		if q.text != nil {
			row.State, row.Field.Value = widget.Clean(q.text.Text()), q.text.Text()
		}
		for i, o := range q.options {
			if q.options[i].On = o.Value == *q.answer; q.options[i].On {
				row.State = o.Label
			}
		}
		rows = append(rows, row)
	}
	return screen.Page{
		Form: true, Cursor: s.at() + 1, Parts: []screen.Part{{Rows: rows}},
		Done: func() tea.Cmd { return s.create() },
	}
}

// set answers a question, unless the answer is not valid.
func (s *Screen) set(q question, text string) error {
	if q.text == nil {
		*q.answer = text
		s.build(s.at())
		return nil
	}
	was := q.text.Text()
	q.text.SetText(text)
	err := q.text.Check()
	if err != nil {
		q.text.SetText(was)
	}
	return err
}
