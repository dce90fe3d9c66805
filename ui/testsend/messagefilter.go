package testsend

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// messageFilter chooses which messages of the draft to send.
type messageFilter struct {
	*sendContext
	filter engine.KeyFilter
}

// at returns the choice in a row.
func (n *messageFilter) at(at rowID) (model.FilterField, bool) {
	all := n.draft.FilterFields()
	if at.kind != rowFilter || at.i >= len(all) {
		return model.FilterField{}, false
	}
	return all[at.i], true
}

// View draws the rows.
func (n *messageFilter) View(cursor rowID, w int) []row {
	var rows []row
	for i, c := range n.draft.FilterFields() {
		if i == 0 {
			rows = append(rows, textRow(""))
		}
		at := rowID{rowFilter, i}
		rows = append(rows, line(n.theme, cursor, at, c.Node.Label(), choice(n.theme, cursor == at, c.Label(c.Selected(n.filter))), w))
	}
	return rows
}

// choose lists the values of a choice.
func choose(n model.FilterField, then func(value string) tea.Cmd) tea.Cmd {
	values := n.Choices()
	options := make([]widget.Option, len(values))
	for i, v := range values {
		options[i] = widget.Option{Label: n.Label(v)}
	}
	return screen.Send(screen.ChooseMsg{Title: n.Node.Label(), Body: n.Node.Help, Options: options, Then: func(a widget.Answer) tea.Cmd {
		return then(values[a.Index])
	}})
}

// valueAfter returns the value after another, wrapping around.
func valueAfter(values []string, now string) string {
	return values[(slices.Index(values, now)+1)%len(values)]
}
