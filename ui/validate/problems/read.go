package problems

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/message/check"
	"bugle/ui/list"
	"bugle/ui/screen"
)

// Read says the problems and warnings.
func (v *View) Read() screen.Part {
	var rows screen.RowSlice
	group := ""
	for i, r := range v.Shown() {
		if n := len(r.above); n > 0 {
			group, _, _ = strings.Cut(list.Spoken(r.above[n-1]), " — ")
		}
		row := screen.Row{Text: list.Spoken(r.place), State: strings.Join(r.text, " "),
			Select: func() tea.Cmd { v.SelectIndex(i); return nil }}
		switch {
		case r.warning != nil && r.warning.Severity == check.Note:
			row.Text = "Note. " + row.Text
		case r.warning != nil:
			row.Text = "Warning. " + row.Text
		case row.Text == "":
			row.Text = group
		default:
			row.Text = group + ", " + row.Text
		}
		rows = append(rows, row)
	}
	return screen.Part{Rows: rows}
}
